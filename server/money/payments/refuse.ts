import { sql, type Transaction } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import type { LedgerTables } from '../../platform/db/ledger-tables.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { toUsd } from '../usage/prices.ts';
import { lockAnyAccount, type Payment } from '../ledger/accounts.ts';
import { COUNTED, move, waitingStates } from '../ledger/life.ts';
import { causeOf, chargeOf, endCause, isOfRefund, refusedCause, takenCause } from './entries.ts';
import { endSilence, hold } from './holds.ts';
import type { Foreign, MoneyEvent, MoneyMoved } from './port.ts';

type Trx = Transaction<Schema>;
type Parts = Pick<Services, 'clock' | 'log' | 'mail' | 'config' | 'publicUrl'>;
export type Why = LedgerTables['refused_events']['why'];

/** Whether an event tells of money, rather than of how a payment stands. */
export const isMoney = (event: MoneyEvent): event is MoneyEvent & (MoneyMoved | Foreign) =>
  'amountMicros' in event || event.type === 'foreign';

/**
 * Why the books do not take what an event tells of a payment; undefined where they do. One charge of it counts, which is whole; it is
 * refunded once, however many refunds that are.
 */
export async function misfitOf(trx: Trx, event: MoneyEvent, payment: Payment): Promise<Why | undefined> {
  if (event.type === 'foreign') return 'currency';
  if (!('amountMicros' in event)) return undefined;
  const { type, amountMicros, providerId } = event;
  if (isOfSecond(providerId, payment)) return 'second';
  if (await isSettled(trx, event)) return 'settled';
  const isSome = Number.isSafeInteger(amountMicros) && amountMicros > 0;
  if (!isSome || !(await doesFit(trx, event, payment.amount_micros ?? 0))) return 'amount';
  return type === 'paid' || COUNTED.includes(payment.state) ? undefined : whyChargeRefused(trx, event);
}

/** A dispute takes what its bank does, which may be more than was paid: it is about several charges, or in another currency. */
async function doesFit(trx: Trx, event: MoneyMoved, paid: number): Promise<boolean> {
  const { amountMicros } = event;
  if (event.type === 'paid') return amountMicros === paid;
  if (event.type === 'refunded') return amountMicros <= paid - (await refundedMicros(trx, event));
  if (event.type === 'refund_failed') return amountMicros <= paid;
  if (event.type !== 'dispute_won') return true;
  const taken = await trx
    .selectFrom('ledger_entries')
    .select('amount_micros')
    .where('cause', '=', takenCause(event) ?? '')
    .executeTakeFirst();
  return amountMicros <= (taken === undefined ? (event.takenMicros ?? amountMicros) : -taken.amount_micros);
}

/** Whether it is of another charge than the one that counts. */
const isOfSecond = (charge: string, { state, provider_id }: Pick<Payment, 'state' | 'provider_id'>): boolean =>
  COUNTED.includes(state) && charge !== provider_id;

/** Whether the operator has dealt with the event, with what it ends, or with its end: entering it as well would count it twice. */
async function isSettled(trx: Trx, event: MoneyMoved): Promise<boolean> {
  const begin = takenCause(event);
  const causes = [refusedCause(event), ...(begin === undefined ? [] : [begin, endCause(begin)])];
  const { rows } = await sql`
    select from refused_events r where cause in (${sql.join(causes)}) and settled_at is not null
      and not exists (select from ledger_entries e where e.cause = r.cause
        or (r.type = 'paid' and e.cause = 'payment:' || r.payment_id and e.charge_id = r.charge_id))`.execute(trx);
  return rows.length > 0;
}

/** Refused events of a charge, as they were told: they may fit by now. */
export async function refusedOf(
  trx: Trx,
  { paymentId, providerId }: { paymentId: string; providerId: string },
  type: MoneyMoved['type'],
): Promise<MoneyEvent[]> {
  const rows = await trx
    .selectFrom('refused_events')
    .select('told')
    .where('payment_id', '=', paymentId)
    .where('charge_id', '=', providerId)
    .where('type', '=', type)
    .where('settled_at', 'is', null)
    .where('told', 'is not', null)
    .orderBy('received_at')
    .execute();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- As `refuse` has written it.
  return rows.map(({ told }) => told as MoneyEvent);
}

/** What other refunds of the charge have taken out of the balance, micro-USD. */
async function refundedMicros(trx: Trx, event: MoneyMoved): Promise<number> {
  const entries = await trx
    .selectFrom('ledger_entries')
    .select(['cause', 'amount_micros'])
    .where('payment_id', '=', event.paymentId)
    .where((eb) => eb.or([eb('charge_id', 'is', null), eb('charge_id', '=', event.providerId)]))
    .execute();
  const others = entries.filter(({ cause }) => isOfRefund(cause) && causeOf(event) !== cause);
  return -others.reduce((sum, { amount_micros }) => sum + amount_micros, 0);
}

/** Why the charge behind a refund or dispute was refused, of a payment of which none counts so far; undefined where it was not. */
async function whyChargeRefused(trx: Trx, { paymentId, providerId }: MoneyMoved): Promise<Why | undefined> {
  const paid = await trx
    .selectFrom('refused_events')
    .select('why')
    .where('payment_id', '=', paymentId)
    .where('type', '=', 'paid')
    .where((eb) => eb.or([eb('charge_id', 'is', null), eb('charge_id', '=', providerId)]))
    .executeTakeFirst();
  return paid?.why;
}

/**
 * Writes down, once, money that an event tells of and that no balance takes, for the operator. What was entered while its organization was
 * there, or before its payment was refused, is no news.
 * @returns whether it is news
 */
export async function refuse(
  trx: Trx,
  { clock, log }: Parts,
  event: MoneyEvent,
  why: Why,
  organizationId?: string,
): Promise<boolean> {
  const told = { event: event.id, payment: event.paymentId };
  if (!isMoney(event)) {
    log.warn({ ...told, why }, 'an event changes nothing');
    return false;
  }
  const payment_id = event.paymentId;
  const cause = refusedCause(event);
  // Of a payment that counts, another amount is news; a refund or dispute that is told again is none.
  const isKnown = why === 'gone' || why === 'mode' || takenCause(event) !== undefined;
  const before = isKnown ? await enteredBefore(trx, payment_id) : [];
  if (before.some((entry) => entry.cause === causeOf(event)) && !(await isSecondCharge(trx, event))) return false;
  const organization_id = organizationId ?? before[0]?.organization_id ?? null;
  const asTold = {
    amount: amountInWords(event),
    amount_micros: event.type === 'foreign' ? null : event.amountMicros,
    told: event.type === 'foreign' ? null : JSON.stringify(event),
  };
  const added = await trx
    .insertInto('refused_events')
    .values({
      cause,
      event_id: event.id,
      why,
      type: event.type === 'foreign' ? event.of : event.type,
      payment_id,
      charge_id: chargeOf(event) ?? null,
      organization_id,
      ...asTold,
      received_at: clock(),
    })
    .onConflict((conflict) => conflict.column('cause').doNothing())
    .returning('cause')
    .executeTakeFirst();
  // A later event may say more, such as the fee, or whose it is.
  if (added === undefined)
    await trx
      .updateTable('refused_events')
      .set({ ...asTold, ...(organization_id !== null && { organization_id }) })
      .where('cause', '=', cause)
      .where('settled_at', 'is', null)
      .execute();
  else log.error({ ...told, why }, 'an event tells of money that no balance has: npm run admin -- books check');
  return added !== undefined;
}

/** All that the operator has to put right. */
function amountInWords(event: MoneyMoved | Foreign): string {
  if (event.type === 'foreign') return event.amount;
  const taken = event.type === 'dispute_won' ? event.takenMicros : undefined;
  const fee =
    (event.type === 'dispute_won' ? (event.takenFeeMicros ?? 0) : 0) +
    ('feeMicros' in event ? (event.feeMicros ?? 0) : 0);
  return usdWithFee(event.amountMicros, fee, taken);
}

/** @param fee what the provider has kept for a dispute so far: it may return that at its end. Micro-USD, all of them */
export const usdWithFee = (micros: number, fee: number, taken?: number): string =>
  [
    `${toUsd(micros)} USD`,
    ...(taken === undefined ? [] : [` of ${toUsd(taken)} USD that were taken`]),
    ...(fee === 0 ? [] : [` and a fee of ${toUsd(fee)} USD`]),
  ].join('');

/** Whether it tells of a second charge of a payment, whose organization may be gone. */
async function isSecondCharge(trx: Trx, event: MoneyEvent): Promise<boolean> {
  if (event.type !== 'paid') return false;
  const payment = await trx
    .selectFrom('payments')
    .select(['state', 'provider_id'])
    .where('id', '=', event.paymentId)
    .executeTakeFirst();
  return payment !== undefined && isOfSecond(event.providerId, payment);
}

/** What a payment has changed in the balance, also of an organization that is gone. */
async function enteredBefore(trx: Trx, payment_id: string): Promise<{ cause: string; organization_id: string }[]> {
  const entries = trx.selectFrom('ledger_entries').select(['cause', 'organization_id']);
  const gone = trx.selectFrom('gone_entries').select(['cause', 'organization_id']);
  return entries
    .where('payment_id', '=', payment_id)
    .unionAll(gone.where('payment_id', '=', payment_id))
    .execute();
}

const MISMATCHED = 'What was paid is not what was asked for. It is not in the balance; the operator looks into it.';

/**
 * A payment whose money the books do not take has an end, too: nobody waits for it, and autopay charges nothing more before a reset, though
 * the payment was told as failed before.
 */
export async function endMismatched(
  trx: Trx,
  services: Parts,
  payment: Payment,
  event: MoneyMoved | Foreign,
  why: Why,
): Promise<void> {
  const failed = await move(trx, services, payment.id, 'mismatched', { error_message: MISMATCHED });
  if (failed !== undefined || why === 'second')
    await hold(trx, services, payment, { cause: refusedCause(event), why: 'mismatched' });
  await endSilence(trx, services, payment);
}

/** Charges that the provider does not take, for a reason that is not the card's; each is asked for again. */
export const listRefusedCharges = (db: Db) =>
  db
    .selectFrom('payments')
    .select(['id', 'organization_id', 'amount_micros', 'refusal', 'run_at'])
    .where('state', 'in', waitingStates('autopay'))
    .where('refusal', 'is not', null)
    .orderBy('position')
    .execute();

/** Money that waits for the operator. */
export const listRefused = (db: Db) =>
  db
    .selectFrom('refused_events')
    .selectAll()
    .where('settled_at', 'is', null)
    .orderBy('received_at')
    .orderBy('cause')
    .execute();

/** Whether the operator has. */
export const isDealtWith = async (db: Db, cause: string): Promise<boolean> =>
  (await db
    .selectFrom('refused_events')
    .select('cause')
    .where('cause', '=', cause)
    .where('settled_at', 'is not', null)
    .executeTakeFirst()) !== undefined;

/** The operator has dealt with it. False where nothing of the name waits, such as what was entered after all. */
export function settleRefused(db: Db, cause: string, now: Date): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const owner = await trx
      .selectFrom('refused_events')
      .select('organization_id')
      .where('cause', '=', cause)
      .executeTakeFirst();
    // Who enters it has looked whether this was done before.
    if (owner !== undefined && owner.organization_id !== null) await lockAnyAccount(trx, owner.organization_id);
    const { numUpdatedRows } = await trx
      .updateTable('refused_events')
      .set({ settled_at: now })
      .where('cause', '=', cause)
      .where('settled_at', 'is', null)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  });
}
