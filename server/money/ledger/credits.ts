import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { enter, lockAccount } from './accounts.ts';

const START = 'credit:start:';

/** Sets what organizations begin with from now on, and gives it to those from before there was a ledger; to each once. */
export async function grantStartingCredits(db: Db, micros: number, now: Date): Promise<void> {
  await db
    .insertInto('billing_defaults')
    .values({ starting_credit_micros: micros })
    .onConflict((conflict) => conflict.column('single').doUpdateSet({ starting_credit_micros: micros }))
    .execute();
  const accounts = await db
    .selectFrom('accounts')
    .select('organization_id')
    .where('is_credited', '=', false)
    .orderBy('organization_id')
    .execute();
  for (const { organization_id } of accounts) await grant(db, organization_id, micros, now);
}

/**
 * Remembers what was used of the starting credit of an organization that goes, for who has made it: it is not given again with the next. Money
 * that was paid counts as used before.
 */
export async function keepUsedCredit(trx: Db, organizationId: string, leftMicros: number): Promise<void> {
  await sql`insert into used_credits (organization_id, user_id, micros)
    select o.id, o.created_by, e.amount_micros - greatest(0, ${leftMicros}::bigint)
    from organizations o join ledger_entries e on e.cause = ${START + organizationId}
    where o.id = ${organizationId} and o.created_by is not null and e.amount_micros > greatest(0, ${leftMicros}::bigint)`.execute(
    trx,
  );
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
    if (micros === 0) return;
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
