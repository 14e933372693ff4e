import type { Services } from '../../platform/context.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { recordAudit, operatorAct } from '../../tenancy/audit/log.ts';
import { toUsd } from '../usage/prices.ts';
import { availableMicros, postEntry, lockAccount } from '../ledger/accounts.ts';
import { scheduleAutopay } from '../ledger/schedule.ts';
import { hold } from './holds.ts';

/** Something that the operator puts right by hand, or gives. */
export interface Correction {
  organizationId: string;
  kind: 'correction' | 'credit';
  /** Signed: what raises the balance is above zero. A credit is always. */
  micros: number;
  /** The operator's own name for it, such as the number of a ticket: the same again changes nothing. */
  reference: string;
  /** For people: the organization reads it among its transactions. */
  description: string;
}

/** What was entered under a reference. */
export interface Corrected {
  /** False where it was entered before: the rest is what was entered then. */
  isNew: boolean;
  micros: number;
  at: Date;
  /** What is left now, as the console says. */
  leftMicros: number;
}

/**
 * Enters what the operator puts right, once for each kind and reference, and notes it in the organization's audit log. Autopay looks at
 * the balance, as after any change; where it is on, what is taken holds it, as a refund does: it would charge that back.
 * @returns undefined where the organization is gone
 * @throws RangeError for an amount that is none, or a credit that takes
 */
export async function enterCorrection(
  services: Pick<Services, 'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl'>,
  { organizationId, kind, micros, reference, description }: Correction,
): Promise<Corrected | undefined> {
  if (!Number.isSafeInteger(micros) || micros === 0) throw new RangeError('The amount must be whole micro-USD, not 0.');
  if (kind === 'credit' && micros < 0) throw new RangeError('A credit must be above 0; enter a correction.');
  return services.db.transaction().execute(async (trx) => {
    const account = await lockAccount(trx, organizationId);
    if (account === undefined) return undefined;
    const at = await databaseNow(trx, services.clock);
    const cause = `${kind}:${organizationId}:${reference}`;
    const isNew = await postEntry(trx, { organizationId, kind, micros, cause, description, at });
    if (isNew) {
      await recordAudit(trx, operatorAct(at), {
        organizationId,
        action: kind === 'credit' ? 'credit.entered' : 'correction.entered',
        subject: 'Billing',
        detail: `${toUsd(micros)} USD, ${reference}: ${description}`,
      });
      if (micros < 0 && account.autopay_enabled)
        await hold(trx, services, { ...account, kind: 'payment' }, { cause, why: 'refunded' });
      await scheduleAutopay(trx, organizationId, at);
    }
    const entered = await trx
      .selectFrom('ledger_entries')
      .select(['amount_micros', 'at'])
      .where('cause', '=', cause)
      .executeTakeFirstOrThrow();
    const leftMicros = (await availableMicros(trx, organizationId)) ?? 0;
    return { isNew, micros: entered.amount_micros, at: entered.at, leftMicros };
  });
}
