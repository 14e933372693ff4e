/** The operator's commands about limits. */
import type { Transaction } from 'kysely';
import type { LimitName, OrganizationLimits } from '#contract/limits.ts';
import type { Services } from '../../platform/context.ts';
import { databaseNow } from '../../platform/db/now.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { notFound } from '../../platform/refusal.ts';
import { recordAudit, operatorAct } from '../../tenancy/audit/log.ts';
import { lockAccount } from '../ledger/accounts.ts';
import { lockLimits } from './admission.ts';
import { alertBudget } from './alerts.ts';
import { readBounds } from './bounds.ts';
import type { LimitDefaults } from './defaults.ts';
import { decisionMail } from './mails.ts';
import { readOrganizationLimits } from './read.ts';
import { LIMIT_NAMES, valueInWords } from './words.ts';

export type OperatorParts = Pick<Services, 'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl'> & {
  limitDefaults: LimitDefaults;
};

type Trx = Transaction<Schema>;
/** Null for no bound; undefined for the default. */
export type Maximum = number | null | undefined;

/** An organization with its limits. @throws Refusal */
export async function showLimits(
  parts: OperatorParts,
  organizationId: string,
): Promise<OrganizationLimits & { uuid: string; name: string }> {
  const name = await nameOf(parts, organizationId);
  return { uuid: organizationId, name, ...(await readOrganizationLimits(parts, organizationId)) };
}

/**
 * Sets the maximum for an organization: the cap of its own limit, and its limit if it sets none.
 * @throws Refusal
 */
export async function setMaximum(
  parts: OperatorParts,
  organizationId: string,
  name: LimitName,
  maximum: Maximum,
): Promise<void> {
  const { db, clock, limitDefaults } = parts;
  await nameOf(parts, organizationId);
  await db.transaction().execute(async (trx) => {
    const at = await databaseNow(trx, clock);
    await lockLimits(trx, organizationId);
    const before = await maximumOf(trx, organizationId, name, limitDefaults);
    await grant(trx, organizationId, name, maximum);
    const after = await maximumOf(trx, organizationId, name, limitDefaults);
    if (after !== before)
      await recordAudit(trx, operatorAct(at), {
        organizationId,
        action: 'limits.changed',
        subject: 'Limits',
        detail: `most ${LIMIT_NAMES[name]}: ${valueInWords(name, before, 'no limit')} → ${valueInWords(name, after, 'no limit')}`,
      });
    await alertIfBudget(trx, parts, organizationId, name, at);
  });
}

/** Requests for higher limits, oldest first. */
export async function listIncreases({ db }: OperatorParts, of: 'pending' | 'all') {
  const rows = await db
    .selectFrom('limit_increases')
    .innerJoin('organizations', 'organizations.id', 'limit_increases.organization_id')
    .leftJoin('users', 'users.id', 'limit_increases.asked_by')
    .select([
      'limit_increases.id as uuid',
      'organizations.id as organization_uuid',
      'organizations.name as organization',
      'limit_increases.name as limit',
      'value',
      'reason',
      'state',
      'users.email as asked_by',
      'asked_at',
      'decided_at',
      'answer',
    ])
    .$if(of === 'pending', (query) => query.where('state', '=', 'pending'))
    .orderBy('limit_increases.position')
    .execute();
  return rows.map((row) => ({
    ...row,
    asked_at: row.asked_at.toISOString(),
    decided_at: row.decided_at?.toISOString() ?? null,
  }));
}

/**
 * Decides a pending request once, and mails the person who asked. Granting raises the maximum; a higher one stays.
 * @throws Refusal
 */
export async function decide(
  parts: OperatorParts,
  id: string,
  state: 'granted' | 'declined',
  answer: string,
): Promise<void> {
  const { db, clock, mail, limitDefaults } = parts;
  const request = await db.selectFrom('limit_increases').selectAll().where('id', '=', id).executeTakeFirst();
  if (request === undefined) throw notFound(`There is no request ${id}. See: increase list --all`);
  const { organization_id: organizationId, name } = request;
  await db.transaction().execute(async (trx) => {
    const at = await databaseNow(trx, clock);
    await lockLimits(trx, organizationId);
    const row = await trx
      .updateTable('limit_increases')
      .set({ state, answer, decided_at: at })
      .where('id', '=', id)
      .where('state', '=', 'pending')
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) throw notFound('This was decided already. See: increase list --all');
    const before = await maximumOf(trx, organizationId, name, limitDefaults);
    const isHigher = before !== null && row.value > before;
    if (state === 'granted' && isHigher) await grant(trx, organizationId, name, row.value);
    await recordAudit(trx, operatorAct(at), {
      organizationId,
      action: 'limit_increase.decided',
      subject: 'Limits',
      detail: `${LIMIT_NAMES[name]}: ${valueInWords(name, before, 'no limit')} → ${valueInWords(name, row.value)}, ${state}`,
    });
    await alertIfBudget(trx, parts, organizationId, name, at);
    const asker = await trx
      .selectFrom('users')
      .innerJoin('memberships', 'memberships.user_id', 'users.id')
      .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
      .select(['users.email', 'organizations.name'])
      .where('users.id', '=', row.asked_by)
      .where('organizations.id', '=', organizationId)
      .executeTakeFirst();
    // A person who has left the organization since gets no mail.
    if (asker !== undefined)
      await mail.send(trx, decisionMail(parts, { to: asker.email, organization: asker.name, row }));
  });
}

const maximumOf = async (
  trx: Trx,
  organizationId: string,
  name: LimitName,
  defaults: LimitDefaults,
): Promise<number | null> =>
  (await readBounds(trx, { organizationId, projectId: null }, defaults)).organization[name].maximum;

async function grant(trx: Trx, organizationId: string, name: LimitName, maximum: Maximum): Promise<void> {
  const granted = { is_granted: maximum !== undefined, granted: maximum ?? null };
  await trx
    .insertInto('organization_limits')
    .values({ organization_id: organizationId, name, own: null, ...granted })
    .onConflict((conflict) => conflict.columns(['organization_id', 'name']).doUpdateSet(granted))
    .execute();
}

async function alertIfBudget(
  trx: Trx,
  { limitDefaults }: OperatorParts,
  organizationId: string,
  name: LimitName,
  at: Date,
): Promise<void> {
  if (name !== 'budget_micros') return;
  await lockAccount(trx, organizationId);
  await alertBudget(trx, organizationId, limitDefaults, at);
}

/** @throws Refusal */
async function nameOf({ db }: OperatorParts, organizationId: string): Promise<string> {
  const row = await db.selectFrom('organizations').select('name').where('id', '=', organizationId).executeTakeFirst();
  if (row === undefined) throw notFound(`There is no organization ${organizationId}.`);
  return row.name;
}
