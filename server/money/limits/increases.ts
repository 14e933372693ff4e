/** Requests for limits above the maximum that an organization may set by itself. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { LimitIncrease, LimitIncreaseRequest } from '#contract/limits.ts';
import { Refusal, invalidRequest } from '../../platform/refusal.ts';
import { countCall, type Rate } from '../../platform/rate-limit.ts';
import type { Services } from '../../platform/context.ts';
import { recordAudit, type Act } from '../../tenancy/audit/log.ts';
import { organizationNotFound } from '../../tenancy/not-found.ts';
import { lockLimits } from './admission.ts';
import { isAbove, readBounds } from './bounds.ts';
import type { LimitDefaults } from './defaults.ts';
import { increaseMail } from './mails.ts';
import { toIncrease } from './read.ts';
import { LIMIT_NAMES, valueInWords } from './words.ts';

/** Requests per organization; each mails the operator. */
const RATE: Rate = { burst: 10, everyMs: 3_600_000 };

type Parts = Pick<Services, 'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl'> & {
  limitDefaults: LimitDefaults;
};

/**
 * Stores a request for a higher limit, and mails the operator if an address is set. One request per limit may be open.
 * @throws Refusal invalid for a value that needs no request, not_found, increase_pending, limit
 */
export async function askForIncrease(
  services: Parts,
  act: Act,
  organizationId: string,
  { limit, value, reason }: LimitIncreaseRequest,
): Promise<LimitIncrease> {
  const { db, mail, config, log, limitDefaults } = services;
  await countCall(services, `limit increase ${organizationId}`, RATE);
  return db.transaction().execute(async (trx) => {
    await lockLimits(trx, organizationId);
    const place = { organizationId, projectId: null };
    const { maximum } = (await readBounds(trx, place, limitDefaults)).organization[limit];
    if (!isAbove(value, maximum)) throw invalidRequest([tooLow(maximum)]);
    const organization = await trx
      .selectFrom('organizations')
      .select('name')
      .where('id', '=', organizationId)
      .executeTakeFirst();
    if (organization === undefined) throw organizationNotFound();
    const row = await trx
      .insertInto('limit_increases')
      .values({
        id: randomUUID(),
        organization_id: organizationId,
        name: limit,
        value,
        reason,
        state: 'pending',
        asked_by: act.userId,
        asked_at: act.at,
      })
      .onConflict((conflict) =>
        // A literal, not a parameter: a generic plan could not choose the partial index.
        conflict.columns(['organization_id', 'name']).where('state', '=', sql.lit('pending')).doNothing(),
      )
      .returningAll()
      .executeTakeFirst();
    if (row === undefined)
      throw new Refusal('conflict', 'increase_pending', 'This was asked for already. Wait for the answer.');
    await recordAudit(trx, act, {
      organizationId,
      action: 'limit_increase.requested',
      subject: 'Limits',
      detail: `${LIMIT_NAMES[limit]}: ${valueInWords(limit, maximum)} → ${valueInWords(limit, value)}`,
    });
    const to = config.operatorEmail ?? config.supportEmail;
    if (to === undefined)
      log.warn(
        { increase: row.id },
        'a higher limit was requested; no OPERATOR_EMAIL is set, so `npm run admin -- increase list` shows it',
      );
    else
      await mail.send(
        trx,
        increaseMail(services, { to, by: act.email, organization: organization.name, row, maximum }),
      );
    return toIncrease(row);
  });
}

const tooLow = (maximum: number | null) => ({
  error_type: 'too_low',
  location: 'body.value',
  message:
    maximum === null
      ? 'Nothing bounds this limit.'
      : `Must be above ${maximum}: up to there it can be set without a request.`,
});
