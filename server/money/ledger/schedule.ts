import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { chargeAt } from '#contract/paying.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { hasPrices } from '../usage/price-lists.ts';
import { lockAccount, unpostedMicros, type Account, type Payment } from './accounts.ts';
import { endOfWait, FIRST, waitingStates } from './life.ts';
import { AUTOPAY as MOVES, autopayState } from './autopay-life.ts';

/** The kind of job that charges a stored payment method. Its subject is the row in `payments`. */
export const AUTOPAY = 'autopay';

/** One try of autopay to charge after the balance has crossed its threshold. */
interface Try {
  crossing: number;
  attempt: number;
  amountMicros: number;
  /** The amount that a refused request needed; 0 for none. */
  wantedMicros: number;
  /** Not before this. */
  runAt: Date;
}

/**
 * Checks whether the balance has fallen below autopay's threshold, or risen above it. Call it in the transaction that
 * changed the balance or the threshold. Each fall makes one charge due. Does nothing while autopay has an error or a
 * charge is under way; ending either calls this again.
 * @param wantedMicros the amount that a refused request needed: the balance also counts as low below that
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
 * The amount that autopay must charge now, micro-USD: the set amount, or more if the balance needs more to reach the
 * threshold or `wantedMicros`. Undefined if autopay is off, nothing has a price, the balance is not low, or nobody can
 * be charged.
 */
export async function neededMicros(
  trx: Db,
  account: Account,
  now: Date,
  wantedMicros = 0,
): Promise<number | undefined> {
  const { autopay_enabled, customer_id, method_id } = account;
  if (!autopay_enabled || customer_id === null || method_id === null || !(await hasPrices(trx, now))) return undefined;
  return chargeOf(trx, account, Math.max(account.threshold_micros, wantedMicros));
}

/** {@link chargeAt} of an account, with another threshold. Undefined if the balance is not low. */
async function chargeOf(trx: Db, account: Account, threshold_micros: number): Promise<number | undefined> {
  const left = account.balance_micros - (await unpostedMicros(trx, account.organization_id));
  return chargeAt(left, { ...account, threshold_micros }) ?? undefined;
}

/**
 * Lets autopay charge after a request that needs `micros` was refused, if the balance (without reservations) is below
 * that; it may be more than autopay's threshold. Do not call this within a transaction: the refused request's is rolled
 * back.
 */
export async function wantFunds(db: Db, organizationId: string, micros: number, clock: () => Date): Promise<void> {
  const account = await db
    .selectFrom('accounts')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('autopay_enabled', '=', true)
    .executeTakeFirst();
  // Checks without locks first, so that a client that retries all the time blocks nobody.
  if (account === undefined || MOVES[autopayState(account)].crossed === undefined) return;
  if ((await chargeOf(db, account, micros)) === undefined) return;
  if (await isUnderWay(db, organizationId)) return;
  await db.transaction().execute((trx) => scheduleAutopay(trx, organizationId, clock(), micros));
}

/**
 * Whether a charge of autopay is in one of these states; the default is due or sent.
 * @param evenRefused counts a charge that the provider has refused, too
 */
export const isUnderWay = async (
  db: Db,
  organizationId: string,
  states: readonly Payment['state'][] = waitingStates('autopay'),
  { evenRefused = true } = {},
): Promise<boolean> =>
  (await db
    .selectFrom('payments')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'autopay')
    .where('state', 'in', states)
    .$if(!evenRefused, (query) => query.where('refusal', 'is', null))
    .executeTakeFirst()) !== undefined;

/**
 * Longest delay of a job, milliseconds. The queue takes a longer one for an error of a clock, and runs the job at once.
 */
const DELAY_MAX_MS = 60_000;

/** When the job of a charge runs next: at `runAt`, or earlier if that is too far ahead for the queue. */
export const nextRun = (runAt: Date, now: Date): Date =>
  new Date(Math.min(runAt.getTime(), now.getTime() + DELAY_MAX_MS));

/** Makes a charge due, and queues its job. */
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
      // The random part keeps keys unique after a restore, which repeats crossings: by an old key the provider would
      // return the old charge.
      key: `autopay:${organizationId}:${crossing}:${attempt}:0:${id.slice(0, 8)}`,
      run_at: runAt,
      ends_at: endOfWait(FIRST.autopay, runAt),
      created_at: now,
    })
    .execute();
  await enqueue(trx, { kind: AUTOPAY, subject: id, now: nextRun(runAt, now) });
}
