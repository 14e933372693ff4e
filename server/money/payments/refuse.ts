import type { Transaction } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import type { LedgerTables } from '../../platform/db/ledger-tables.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { toUsd } from '../usage/prices.ts';
import type { Payment } from '../ledger/accounts.ts';
import { move, waitingStates } from '../ledger/life.ts';
import { causeOf, isOfSameKind, paidCause, refundCause, takenCause } from './entries.ts';
import { hold } from './holds.ts';
import type { Foreign, MoneyEvent, MoneyMoved } from './port.ts';

type Trx = Transaction<Schema>;
type Parts = Pick<Services, 'clock' | 'log' | 'mail' | 'config' | 'publicUrl'>;
type Why = LedgerTables['refused_events']['why'];

/** Whether an event tells of money, rather than of how a payment stands. */
export const isMoney = (event: MoneyEvent): event is MoneyEvent & (MoneyMoved | Foreign) =>
  'amountMicros' in event || event.type === 'foreign';

/**
 * Why the books do not take what an event tells of a payment; undefined where they do. A payment is whole, or it is another one; it is
 * refunded once, and disputed once, however many refunds or disputes that are.
 */
export async function misfitOf(trx: Trx, event: MoneyEvent, payment: Payment): Promise<Why | undefined> {
  if (event.type === 'foreign') return 'currency';
  if (!('amountMicros' in event)) return whyPaymentRefused(trx, event);
  const { type, amountMicros: micros, providerId } = event;
  if (isOfSecond(providerId, payment)) return 'second';
  const paid = payment.amount_micros ?? 0;
  const isSome = Number.isSafeInteger(micros) && micros > 0;
  // What ends a refund or dispute takes nothing more, whatever else was taken; but for a part that does not come back with it.
  const taken = type === 'dispute_won' ? (event.takenMicros ?? micros) : micros;
  const kept = type === 'refunded' || type === 'disputed' ? taken : taken - micros;
  const others = kept > 0 ? await takenMicros(trx, event, payment.id) : 0;
  const fits = type === 'paid' ? micros === paid : Math.max(micros, taken) <= paid && kept <= paid - others;
  return isSome && fits ? whyPaymentRefused(trx, event) : 'amount';
}

/** Whether it is of another charge than the one that counts. */
const isOfSecond = (
  providerId: string | undefined,
  { state, provider_id }: Pick<Payment, 'state' | 'provider_id'>,
): boolean => state === 'succeeded' && providerId !== undefined && providerId !== provider_id;

/** Refunds of a payment that were refused, as events: what they are too much beside may have failed since. */
export async function refusedRefunds(trx: Trx, paymentId: string): Promise<MoneyEvent[]> {
  const rows = await trx
    .selectFrom('refused_events')
    .select(['event_id', 'cause', 'amount_micros'])
    .where('payment_id', '=', paymentId)
    .where('type', '=', 'refunded')
    .where('why', '=', 'amount')
    .where('settled_at', 'is', null)
    .where('amount_micros', 'is not', null)
    .orderBy('received_at')
    .execute();
  return rows.map(({ event_id: id, cause, amount_micros }) => ({
    ...{ id, type: 'refunded', paymentId, refundId: cause.slice(refundCause('').length) },
    amountMicros: Number(amount_micros),
  }));
}

/** What other refunds, or disputes, of the payment have taken out of the balance, micro-USD. */
async function takenMicros(trx: Trx, event: MoneyMoved, paymentId: string): Promise<number> {
  const own = takenCause(event);
  const entries = await trx
    .selectFrom('ledger_entries')
    .select(['cause', 'amount_micros'])
    .where('payment_id', '=', paymentId)
    .execute();
  const others = entries.filter(({ cause }) => isOfSameKind(cause, event) && own !== cause && causeOf(event) !== cause);
  return -others.reduce((sum, { amount_micros }) => sum + amount_micros, 0);
}

/** Why the payment behind a refund or dispute was refused; undefined where it was not, or was entered later. */
async function whyPaymentRefused(trx: Trx, event: MoneyEvent): Promise<Why | undefined> {
  if (!isMoney(event) || event.type === 'paid') return undefined;
  const paid = await trx
    .selectFrom('refused_events')
    .select('why')
    .where('cause', '=', paidCause(event.paymentId))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb.selectFrom('ledger_entries').select('id').whereRef('ledger_entries.cause', '=', 'refused_events.cause'),
        ),
      ),
    )
    .executeTakeFirst();
  return paid?.why;
}

/** By its payment alone, a second charge would have the name of the first. Undefined for what is no charge. */
export const secondCause = (event: MoneyEvent): string | undefined =>
  event.type === 'paid' ? `${causeOf(event)}:${event.providerId}` : undefined;

/**
 * Writes down, once, money that an event tells of and that no balance takes, for the operator. What was entered while its organization was
 * there, or before its payment was refused, is no news.
 */
export async function refuse(
  trx: Trx,
  { clock, log }: Parts,
  event: MoneyEvent,
  why: Why,
  organizationId?: string,
): Promise<void> {
  const told = { event: event.id, payment: event.paymentId };
  if (!isMoney(event)) return log.warn({ ...told, why }, 'an event changes nothing');
  const payment_id = event.paymentId;
  const isSecond = why === 'second' || (why === 'gone' && (await isSecondCharge(trx, event)));
  const cause = (isSecond ? secondCause(event) : undefined) ?? causeOf(event);
  // Of a payment that counts, another amount is news; a refund or dispute that is told again is none.
  const isKnown = why === 'gone' || why === 'mode' || takenCause(event) !== undefined;
  const before = isKnown ? await enteredBefore(trx, payment_id) : [];
  if (before.some((entry) => entry.cause === cause)) return;
  const added = await trx
    .insertInto('refused_events')
    .values({
      cause,
      event_id: event.id,
      why,
      type: event.type === 'foreign' ? event.of : event.type,
      payment_id,
      organization_id: organizationId ?? before[0]?.organization_id ?? null,
      amount: event.type === 'foreign' ? event.amount : `${toUsd(event.amountMicros)} USD`,
      amount_micros: event.type === 'foreign' ? null : event.amountMicros,
      received_at: clock(),
    })
    .onConflict((conflict) => conflict.column('cause').doNothing())
    .returning('cause')
    .executeTakeFirst();
  if (added !== undefined)
    log.error({ ...told, why }, 'an event tells of money that no balance has: npm run admin -- books check');
}

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
 * @param second the name of a charge beside the one that counts
 */
export async function endMismatched(
  trx: Trx,
  services: Parts,
  payment: Payment,
  second: string | undefined,
): Promise<void> {
  const { id, kind } = payment;
  const failed = await move(trx, services, id, 'mismatched', { error_message: MISMATCHED });
  if (kind === 'autopay' && (failed !== undefined || second !== undefined))
    await hold(trx, services, payment, { cause: second ?? paidCause(id), why: 'mismatched' });
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

/** The operator has dealt with it. False where nothing of the name waits. */
export async function settleRefused(db: Db, cause: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('refused_events')
    .set({ settled_at: now })
    .where('cause', '=', cause)
    .where('settled_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
