import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { enter, lockAccount } from './accounts.ts';

const START = 'credit:start:';

/**
 * Sets what the first organization of each person begins with from now on, micro-USD, and gives it to those from before there was a ledger:
 * to the oldest of each person, once.
 */
export async function grantStartingCredits(db: Db, micros: number, now: Date): Promise<void> {
  await db
    .insertInto('billing_defaults')
    .values({ starting_credit_micros: micros })
    .onConflict((conflict) => conflict.column('single').doUpdateSet({ starting_credit_micros: micros }))
    .execute();
  const accounts = await db
    .selectFrom('accounts')
    .innerJoin('organizations', 'organizations.id', 'accounts.organization_id')
    .select('organization_id')
    .where('is_credited', '=', false)
    .orderBy('organizations.position')
    .execute();
  for (const { organization_id } of accounts) await grant(db, organization_id, micros, now);
}

async function grant(db: Db, organizationId: string, micros: number, now: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const account = await lockAccount(trx, organizationId);
    if (account === undefined || account.is_credited) return;
    await trx
      .updateTable('accounts')
      .set({ is_credited: true })
      .where('organization_id', '=', organizationId)
      .execute();
    if (micros === 0 || !(await isFirstOfMaker(trx, organizationId, now))) return;
    await enter(trx, {
      organizationId,
      kind: 'credit',
      micros,
      cause: START + organizationId,
      description: 'Starting credit',
      at: now,
    });
  });
}

/** Whether whoever has made an organization has had no starting credit before; from here on they have. */
async function isFirstOfMaker(trx: Db, organizationId: string, now: Date): Promise<boolean> {
  const { rows } = await sql<{ is_first: boolean }>`
    select take_starting_credit(created_by, id, ${now}::timestamptz) as is_first from organizations where id = ${organizationId}`.execute(
    trx,
  );
  return rows[0]?.is_first === true;
}
