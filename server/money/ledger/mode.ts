/** Whether payments are real (`live`) or tests. Once they are real, test money is taken out of the balances. */
import type { Config } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import type { MoneyMode } from '../../platform/db/ledger-tables.ts';
import { StartError } from '../../platform/start-error.ts';
import { COUNTED, ORDERED } from './life.ts';

/** The mode of a server's payments, by its settings. */
export const moneyModeOf = ({ stripe }: Pick<Config, 'stripe'>): MoneyMode => {
  if (stripe === undefined) return 'test';
  return /^(sk|rk)_test_/.test(stripe.secretKey) ? 'sandbox' : 'live';
};

/** For each mode, the modes whose money is taken out of the balances. */
export const OUTDATED: Readonly<Record<MoneyMode, readonly MoneyMode[]>> = {
  test: [],
  sandbox: ['test'],
  live: ['test', 'sandbox'],
};

/** The mode of this database's payments; undefined before the first start. */
export const readMode = async (db: Db): Promise<MoneyMode | undefined> =>
  (await db.selectFrom('payment_mode').select('mode').executeTakeFirst())?.mode;

/**
 * Whether this server has test payments in a database with real ones; then it must not handle any payment. In a
 * transaction, keeps the mode from changing until its end.
 */
export const isStale = async (db: Db, config: Pick<Config, 'stripe'>): Promise<boolean> =>
  moneyModeOf(config) !== 'live' &&
  (await db.selectFrom('payment_mode').select('mode').forShare().executeTakeFirst())?.mode === 'live';

/** Makes the database's mode `live` after a real payment, even if a server with test payments has started since. */
export const noteReal = (trx: Db, now: Date) =>
  trx.updateTable('payment_mode').set({ mode: 'live', since: now }).where('mode', '<>', 'live').execute();

/** A server must know this migration to work on a database whose payments are real. */
const MIGRATION = '0046-payment-modes';

/**
 * At the start, before anything else, stores this server's mode in the database.
 * @throws StartError if the database has real payments and this server's are tests
 */
export async function enterMode(
  db: Db,
  config: Pick<Config, 'stripe' | 'testPaymentsOnCopy' | 'role'>,
  now: Date,
): Promise<void> {
  const mode = moneyModeOf(config);
  await db.transaction().execute(async (trx) => {
    await trx
      .insertInto('payment_mode')
      .values({ mode, since: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const before = await trx.selectFrom('payment_mode').select('mode').forUpdate().executeTakeFirstOrThrow();
    if (before.mode === 'live' && mode !== 'live' && !config.testPaymentsOnCopy && (await isAnyReal(trx)))
      throw new StartError(
        'Payments of this database are real: start with the live STRIPE_SECRET_KEY. On a copy of it, to try things with, set TEST_PAYMENTS_ON_COPY to on.',
      );
    // A worker often runs without the payment settings, so it does not turn the mode back to a test.
    if (before.mode === mode || (config.role === 'worker' && OUTDATED[before.mode].includes(mode))) return;
    await trx.updateTable('payment_mode').set({ mode, since: now }).execute();
    if (mode === 'live')
      await trx
        .insertInto('required_migrations')
        .values({ name: MIGRATION })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  });
}

/** Whether somebody has paid real money or is being charged. */
const isAnyReal = async (db: Db): Promise<boolean> =>
  (await db
    .selectFrom('payments')
    .select('id')
    .where('mode', '=', 'live')
    .where('state', 'in', [...COUNTED, ...ORDERED])
    .limit(1)
    .executeTakeFirst()) !== undefined;
