/** Whether payments are real. Money of tests never stays where they are. */
import type { Config } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import type { MoneyMode } from '../../platform/db/ledger-tables.ts';
import { StartError } from '../../platform/start-error.ts';

/** What the payments of a server are, as its settings say. */
export const moneyModeOf = ({ stripe }: Pick<Config, 'stripe'>): MoneyMode => {
  if (stripe === undefined) return 'test';
  return /^(sk|rk)_test_/.test(stripe.secretKey) ? 'sandbox' : 'live';
};

/** Whose money is taken out of the balances where payments are of a mode. */
export const OUTDATED: Readonly<Record<MoneyMode, readonly MoneyMode[]>> = {
  test: [],
  sandbox: ['test'],
  live: ['test', 'sandbox'],
};

/** What the payments of this database are; undefined before a server has started. */
export const readMode = async (db: Db): Promise<MoneyMode | undefined> =>
  (await db.selectFrom('payment_mode').select('mode').executeTakeFirst())?.mode;

/** Whether a server's payments are tests in a database where they are real: none of them counts. */
export const isStale = async (db: Db, config: Pick<Config, 'stripe'>): Promise<boolean> =>
  moneyModeOf(config) !== 'live' && (await readMode(db)) === 'live';

/**
 * Writes down what payments are from now on. At the first time, those of Stripe of which nothing was known are taken to be the same.
 * @throws StartError where they are real in this database, and not for this server
 */
export async function enterMode(db: Db, config: Pick<Config, 'stripe'>, now: Date): Promise<void> {
  const mode = moneyModeOf(config);
  await db.transaction().execute(async (trx) => {
    const first = await trx
      .insertInto('payment_mode')
      .values({ mode, since: now })
      .onConflict((conflict) => conflict.doNothing())
      .returning('mode')
      .executeTakeFirst();
    if (first !== undefined && mode !== 'test')
      await trx
        .updateTable('payments')
        .set({ mode })
        .where('mode', 'is', null)
        .where((eb) =>
          eb.exists(eb.selectFrom('ledger_entries').select('id').whereRef('payment_id', '=', 'payments.id')),
        )
        .execute();
    const before = await trx.selectFrom('payment_mode').select('mode').forUpdate().executeTakeFirstOrThrow();
    if (before.mode === mode) return;
    if (before.mode === 'live')
      throw new StartError(
        'Payments of this database are real: start with the live STRIPE_SECRET_KEY. For a copy to try things with, see "From test payments to Stripe" in docs/operating.md.',
      );
    await trx.updateTable('payment_mode').set({ mode, since: now }).execute();
  });
}
