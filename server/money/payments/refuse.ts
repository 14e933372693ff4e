import { sql, type Transaction } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import type { LedgerTables } from '../../platform/db/ledger-tables.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { toUsd } from '../usage/prices.ts';
import { lockAnyAccount, type Payment } from '../ledger/accounts.ts';
import { COUNTED, movePayment, waitingStates } from '../ledger/life.ts';
import { causeOf, chargeOf, refusedCause, refundOrDisputeCause, returnCauses } from './entries.ts';
import { endSilence, hold } from './holds.ts';
import type { OtherCurrency, MoneyEvent, MoneyMoved } from './port.ts';

type Trx = Transaction<Schema>;
type Parts = Pick<Services, 'clock' | 'log' | 'mail' | 'config' | 'publicUrl'>;
export type Why = LedgerTables['refused_events']['why'];

/** Whether an event reports moved money. */
export const isMoney = (event: MoneyEvent): event is MoneyEvent & (MoneyMoved | OtherCurrency) =>
  'amountMicros' in event || event.type === 'other_currency';

/**
 * Why the books refuse an event of a payment; undefined if it fits. Only one charge of a payment counts, with the whole
 * amount. Its refunds together must not exceed it.
 */
export async function misfitOf(trx: Trx, event: MoneyEvent, payment: Payment): Promise<Why | undefined> {
  if (event.type === 'other_currency') return 'currency';
  if (!('amountMicros' in event)) return undefined;
  const { type, amountMicros, providerId } = event;
  if (isOfSecond(providerId, payment)) return 'second';
  if (await isSettled(trx, event)) return 'settled';
  const isSome = Number.isSafeInteger(amountMicros) && amountMicros > 0;
  if (!isSome || !(await doesFit(trx, event, payment.amount_micros ?? 0))) return 'amount';
  return type === 'paid' || COUNTED.includes(payment.state) ? undefined : whyChargeRefused(trx, event);
}

/** Whether an event's amount is valid. A dispute may take any amount: it may cover several charges, or be converted. */
async function doesFit(trx: Trx, event: MoneyMoved, paid: number): Promise<boolean> {
  const { amountMicros } = event;
  if (event.type === 'paid') return amountMicros === paid;
  if (event.type === 'refunded') return amountMicros <= paid - (await refundedMicros(trx, event));
  if (event.type === 'refund_failed') return amountMicros <= paid;
  if (event.type !== 'dispute_won') return true;
  const taken = await trx
    .selectFrom('ledger_entries')
    .select('amount_micros')
    .where('cause', '=', refundOrDisputeCause(event) ?? '')
    .executeTakeFirst();
  return amountMicros <= (taken === undefined ? (event.takenMicros ?? amountMicros) : -taken.amount_micros);
}

/** Whether another charge of the payment counts already. */
const isOfSecond = (charge: string, { state, provider_id }: Pick<Payment, 'state' | 'provider_id'>): boolean =>
  COUNTED.includes(state) && charge !== provider_id;

/** Whether the operator has settled the event, its beginning or its end by hand. Entering it would count it twice. */
async function isSettled(trx: Trx, event: MoneyMoved): Promise<boolean> {
  const causes = [refusedCause(event), ...Object.values(returnCauses(event) ?? {})];
  const { rows } = await sql`
    select from refused_events r where cause in (${sql.join(causes)}) and settled_at is not null
      and not exists (select from ledger_entries e where e.cause = r.cause
        or (r.type = 'paid' and e.cause = 'payment:' || r.payment_id and e.charge_id = r.charge_id))`.execute(trx);
  return rows.length > 0;
}

/** Refused events of a charge, as they were received, to retry them. */
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

/** The sum of the charge's other refunds, micro-USD. */
async function refundedMicros(trx: Trx, event: MoneyMoved): Promise<number> {
  const entries = await trx
    .selectFrom('ledger_entries')
    .select('amount_micros')
    .where('payment_id', '=', event.paymentId)
    .where((eb) => eb.or([eb('charge_id', 'is', null), eb('charge_id', '=', event.providerId)]))
    .where((eb) => eb.or([eb('kind', '=', 'refund'), eb('reversal', '=', 'refund_failed')]))
    .where('cause', '<>', causeOf(event))
    .execute();
  return -entries.reduce((sum, { amount_micros }) => sum + amount_micros, 0);
}

/**
 * Why the charge of a refund or dispute was refused; undefined if it was not. For payments without a charge that
 * counts.
 */
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
 * Lists an event's money that fits no balance for the operator, once. Skips money that was entered before its
 * organization was deleted or its payment was refused.
 * @returns whether the money is newly listed
 */
export async function refuse(
  trx: Trx,
  { clock, log }: Parts,
  event: MoneyEvent,
  why: Why,
  organizationId?: string,
): Promise<boolean> {
  const fields = { event: event.id, payment: event.paymentId };
  if (!isMoney(event)) {
    log.warn({ ...fields, why }, 'an event changes nothing');
    return false;
  }
  const payment_id = event.paymentId;
  const cause = refusedCause(event);
  // A payment's event with another amount is new, even after its entry; a repeated refund or dispute is not.
  const mayBeEntered = why === 'gone' || why === 'mode' || refundOrDisputeCause(event) !== undefined;
  const before = mayBeEntered ? await enteredBefore(trx, payment_id) : [];
  if (before.some((entry) => entry.cause === causeOf(event)) && !(await isSecondCharge(trx, event))) return false;
  const organization_id = organizationId ?? before[0]?.organization_id ?? null;
  const asTold = {
    amount: amountInWords(event),
    amount_micros: event.type === 'other_currency' ? null : event.amountMicros,
    told: event.type === 'other_currency' ? null : JSON.stringify(event),
  };
  const added = await trx
    .insertInto('refused_events')
    .values({
      cause,
      event_id: event.id,
      why,
      type: event.type === 'other_currency' ? event.of : event.type,
      payment_id,
      charge_id: chargeOf(event) ?? null,
      organization_id,
      ...asTold,
      received_at: clock(),
    })
    .onConflict((conflict) => conflict.column('cause').doNothing())
    .returning('cause')
    .executeTakeFirst();
  // A later event may add details, such as the fee or the organization.
  if (added === undefined)
    await trx
      .updateTable('refused_events')
      .set({ ...asTold, ...(organization_id !== null && { organization_id }) })
      .where('cause', '=', cause)
      .where('settled_at', 'is', null)
      .execute();
  else log.error({ ...fields, why }, 'an event tells of money that no balance has: npm run admin -- books check');
  return added !== undefined;
}

/** The amount for the operator, with the fee of a dispute. */
function amountInWords(event: MoneyMoved | OtherCurrency): string {
  if (event.type === 'other_currency') return event.amount;
  const taken = event.type === 'dispute_won' ? event.takenMicros : undefined;
  const fee =
    (event.type === 'dispute_won' ? (event.takenFeeMicros ?? 0) : 0) +
    ('feeMicros' in event ? (event.feeMicros ?? 0) : 0);
  return usdWithFee(event.amountMicros, fee, taken);
}

/** Amounts in micro-USD. @param fee the fee of a dispute, which may be returned @param taken what the dispute took */
export const usdWithFee = (micros: number, fee: number, taken?: number): string =>
  [
    `${toUsd(micros)} USD`,
    ...(taken === undefined ? [] : [` of ${toUsd(taken)} USD that were taken`]),
    ...(fee === 0 ? [] : [` and a fee of ${toUsd(fee)} USD`]),
  ].join('');

/** Whether an event reports a second charge of a payment, even of a deleted organization. */
async function isSecondCharge(trx: Trx, event: MoneyEvent): Promise<boolean> {
  if (event.type !== 'paid') return false;
  const payment = await trx
    .selectFrom('payments')
    .select(['state', 'provider_id'])
    .where('id', '=', event.paymentId)
    .executeTakeFirst();
  return payment !== undefined && isOfSecond(event.providerId, payment);
}

/** Entries of a payment, including those of a deleted organization. */
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
 * Ends a payment whose money the books refuse, so that nobody waits for it. Holds autopay until a reset, even if the
 * payment had failed before.
 */
export async function endMismatched(
  trx: Trx,
  services: Parts,
  payment: Payment,
  event: MoneyMoved | OtherCurrency,
  why: Why,
): Promise<void> {
  const failed = await movePayment(trx, services, payment.id, 'mismatched', { error_message: MISMATCHED });
  if (failed !== undefined || why === 'second')
    await hold(trx, services, payment, { cause: refusedCause(event), why: 'mismatched' });
  await endSilence(trx, services, payment);
}

/** Charges that the provider has refused for a reason other than the card. They are retried. */
export const listRefusedCharges = (db: Db) =>
  db
    .selectFrom('payments')
    .select(['id', 'organization_id', 'amount_micros', 'refusal', 'run_at'])
    .where('state', 'in', waitingStates('autopay'))
    .where('refusal', 'is not', null)
    .orderBy('position')
    .execute();

/** Refused money that the operator has not settled. */
export const listRefused = (db: Db) =>
  db
    .selectFrom('refused_events')
    .selectAll()
    .where('settled_at', 'is', null)
    .orderBy('received_at')
    .orderBy('cause')
    .execute();

/** Whether the operator has settled refused money. */
export const isRefusalSettled = async (db: Db, cause: string): Promise<boolean> =>
  (await db
    .selectFrom('refused_events')
    .select('cause')
    .where('cause', '=', cause)
    .where('settled_at', 'is not', null)
    .executeTakeFirst()) !== undefined;

/** Marks refused money as settled by the operator. @returns false if none with this cause is open */
export function settleRefused(db: Db, cause: string, now: Date): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const owner = await trx
      .selectFrom('refused_events')
      .select('organization_id')
      .where('cause', '=', cause)
      .executeTakeFirst();
    // Serializes with the entering of this money, which first checks whether it is settled.
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
