import type { Db } from '../../platform/db/database.ts';
import { enter, lockAccount } from './accounts.ts';

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
      cause: `credit:start:${organizationId}`,
      description: 'Starting credit',
      at: now,
    });
  });
}
