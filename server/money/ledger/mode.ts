/** Whether payments are real. Money of tests never stays where they are. */
import type { Config } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import type { MoneyMode } from '../../platform/db/ledger-tables.ts';
import { StartError } from '../../platform/start-error.ts';
import { COUNTED, ORDERED } from './life.ts';

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

/** Whether a server's payments are tests in a database where they are real: it does nothing with any. Held to the end of a transaction. */
export const isStale = async (db: Db, config: Pick<Config, 'stripe'>): Promise<boolean> =>
  moneyModeOf(config) !== 'live' &&
  (await db.selectFrom('payment_mode').select('mode').forShare().executeTakeFirst())?.mode === 'live';

/** Once a real payment has come, payments of the database are real, whatever has started since. */
export const noteReal = (trx: Db, now: Date) =>
  trx.updateTable('payment_mode').set({ mode: 'live', since: now }).where('mode', '<>', 'live').execute();

/** The migration that a version must know to work on a database whose payments have become real. */
const MIGRATION = '0046-payment-modes';

/**
 * Writes down what payments are from now on, before a server does anything else.
 * @throws StartError where some are real in this database, and none for this server
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
    // A worker is often started without the settings of those that answer.
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

/** Whether somebody has paid real money, or is being charged. */
const isAnyReal = async (db: Db): Promise<boolean> =>
  (await db
    .selectFrom('payments')
    .select('id')
    .where('mode', '=', 'live')
    .where('state', 'in', [...COUNTED, ...ORDERED])
    .limit(1)
    .executeTakeFirst()) !== undefined;
