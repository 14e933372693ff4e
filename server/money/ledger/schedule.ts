import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { MICROS_PER_CENT, PAYMENT_MAX_MICROS } from '#contract/billing.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { hasPrices } from '../usage/price-lists.ts';
import { lockAccount, unpostedMicros, type Account } from './accounts.ts';
import { AUTOPAY as MOVES, autopayState, endOfWait, FIRST, waitingStates } from './life.ts';

/** The kind of job that charges a stored payment method. Its subject is the row in `payments`. */
export const AUTOPAY = 'autopay';

/** One try to charge for a crossing. */
interface Try {
  crossing: number;
  attempt: number;
  amountMicros: number;
  /** What a request was refused for want of; 0 for none. */
  wantedMicros: number;
  /** Not before this. */
  runAt: Date;
}

/**
 * Looks whether the balance has fallen below autopay's threshold, or risen above it; part of the transaction that changed one of
 * the two. Each crossing makes one charge due. An account whose autopay has an error, or has a charge under way, arms nothing:
 * whatever ends these looks again.
 * @param wantedMicros what a request was refused for want of: below that the balance is low, too
 */
export async function scheduleAutopay(
  trx: Transaction<Schema>,
  organizationId: string,
  now: Date,
  wantedMicros = 0,
): Promise<void> {
  const account = await lockAccount(trx, organizationId);
  if (account === undefined) return;
  const { crossed, risen } = MOVES[autopayState(account)];
  if (crossed === undefined && risen === undefined) return;
  const amountMicros = await neededMicros(trx, account, now, wantedMicros);
  const target = amountMicros === undefined ? risen : crossed;
  if (target === undefined || (amountMicros !== undefined && (await isUnderWay(trx, organizationId)))) return;
  const crossing = account.crossing + (amountMicros === undefined ? 0 : 1);
  await trx
    .updateTable('accounts')
    .set({ below: target === 'low', crossing })
    .where('organization_id', '=', organizationId)
    .execute();
  if (amountMicros !== undefined)
    await addTry(trx, organizationId, { crossing, attempt: 1, amountMicros, wantedMicros, runAt: now }, now);
}

/**
 * What autopay is to charge now, micro-USD: at least what lifts the balance to the threshold, or to what a request wants. Undefined where
 * it is off, where nothing has a price, or where the balance is not low.
 */
export async function neededMicros(
  trx: Db,
  account: Account,
  now: Date,
  wantedMicros = 0,
): Promise<number | undefined> {
  if (!account.autopay_enabled || account.method_id === null || !(await hasPrices(trx, now))) return undefined;
  const mark = Math.max(account.threshold_micros, wantedMicros);
  const left = await lowMicros(trx, account, mark);
  if (left === undefined) return undefined;
  const missing = Math.ceil((mark - left) / MICROS_PER_CENT) * MICROS_PER_CENT;
  return Math.min(Math.max(account.amount_micros, missing), PAYMENT_MAX_MICROS);
}

/**
 * What is left where that is low, micro-USD; undefined where it is not. Nothing is low whatever the mark: requests are refused from there
 * on.
 * @param mark below which it is low
 */
async function lowMicros(trx: Db, account: Account, mark: number): Promise<number | undefined> {
  const left = account.balance_micros - (await unpostedMicros(trx, account.organization_id));
  return left < mark || left <= 0 ? left : undefined;
}

/**
 * A request was refused that needs so much, micro-USD, which may be more than autopay's threshold: where there is not even that, reserved
 * or not, it charges all the same, as for a crossing. Not to be called within a transaction: that of the request is undone.
 */
export async function wantFunds(db: Db, organizationId: string, micros: number, clock: () => Date): Promise<void> {
  const account = await db
    .selectFrom('accounts')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('autopay_enabled', '=', true)
    .executeTakeFirst();
  // Whoever asks again and again holds nobody up.
  if (account === undefined || MOVES[autopayState(account)].crossed === undefined) return;
  if ((await lowMicros(db, account, micros)) === undefined) return;
  if (await isUnderWay(db, organizationId)) return;
  await db.transaction().execute((trx) => scheduleAutopay(trx, organizationId, clock(), micros));
}

const isUnderWay = async (trx: Db, organizationId: string): Promise<boolean> =>
  (await trx
    .selectFrom('payments')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'autopay')
    .where('state', 'in', waitingStates('autopay'))
    .executeTakeFirst()) !== undefined;

/** The queue takes a job that is put off for longer as one of a clock that was ahead, and runs it at once; milliseconds. */
const LOOK_MS = 60_000;

/** When the job of a charge looks whether it is due: then, or before. */
export const nextLook = (runAt: Date, now: Date): Date => new Date(Math.min(runAt.getTime(), now.getTime() + LOOK_MS));

/** Makes a charge due, with the job that does it. */
export async function addTry(
  trx: Transaction<Schema>,
  organizationId: string,
  { crossing, attempt, amountMicros, wantedMicros, runAt }: Try,
  now: Date,
): Promise<void> {
  const id = randomUUID();
  await trx
    .insertInto('payments')
    .values({
      id,
      organization_id: organizationId,
      kind: 'autopay',
      state: FIRST.autopay,
      amount_micros: amountMicros,
      wanted_micros: wantedMicros,
      crossing,
      attempt,
      // Of a database that was restored, crossings come again: the provider would take another charge for the one of before.
      key: `autopay:${organizationId}:${crossing}:${attempt}:0:${id.slice(0, 8)}`,
      run_at: runAt,
      ends_at: endOfWait(FIRST.autopay, runAt),
      created_at: now,
    })
    .execute();
  await enqueue(trx, { kind: AUTOPAY, subject: id, now: nextLook(runAt, now) });
}
