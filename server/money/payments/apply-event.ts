import type { Transaction } from 'kysely';
import type { Schema } from '../../platform/db/schema.ts';
import { lockAccount, lockAnyAccount, type Account, type Payment } from '../ledger/accounts.ts';
import { scheduleAutopay } from '../ledger/schedule.ts';
import { COUNTED, dropDue, movePayment } from '../ledger/life.ts';
import { isStale, moneyModeOf, noteReal } from '../ledger/mode.ts';
import type { Services } from '../../platform/context.ts';
import { recordAudit, providerAct } from '../../tenancy/audit/log.ts';
import { applyDecline } from './decline.ts';
import { chargeOf, postEntries, entriesOf, paidCause, returnCauses } from './entries.ts';
import { forgetLater } from './forget.ts';
import { cardOf, endSilence, hold, holdFor, hasEverHeld, releaseByMethod } from './holds.ts';
import { mailReceipt } from './paid-letter.ts';
import type { Charged, OtherCurrency, MoneyEvent, MoneyMoved, DisputeInquiry, PaidWith, StoredMethod } from './port.ts';
import { refuseConfirmed } from './refusal.ts';
import { endMismatched, isRefusalSettled, isMoney, misfitOf, refuse, refusedOf } from './refuse.ts';
import { putReturnsRight, reverseReturns } from './reversals.ts';
import { moveAutopay } from './stop.ts';

type Trx = Transaction<Schema>;
type Parts = Pick<Services, 'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl' | 'secretFor' | 'meters'>;

/**
 * Applies an event of the payment provider, or an answer of it in the form of an event, once. Writes the event, its
 * entries and the payment's state in one transaction. Events may come late, twice, and in any order. Money that fits no
 * balance is listed for the operator. Refunds and disputes of a deleted organization's payments are entered, too.
 */
export async function applyPaymentEvent(services: Parts, event: MoneyEvent): Promise<void> {
  const isNew = await services.db.transaction().execute((trx) => applyIn(trx, services, event));
  if (isNew) services.meters.count('parlance_payment_events_total', { event: event.type });
}

/**
 * Handles an event of a payment that this database does not know, as after a restore. Lists its money for the operator,
 * and holds autopay of the organization for its charge and its disputes. @returns whether the event is new
 */
async function applyUnknown(trx: Trx, services: Parts, event: MoneyEvent): Promise<boolean> {
  const charge = 'charge' in event ? event.charge : undefined;
  const account = await ownerOfUnknown(trx, event.paymentId, charge);
  if (account === undefined) return refuse(trx, services, event, 'gone');
  await lockAccount(trx, account.organization_id);
  const isNews = await refuse(trx, services, event, 'gone', account.organization_id);
  // The payment's method is unknown.
  const payment = { ...account, kind: 'autopay', method_id: null } as const;
  if (charge !== undefined) await holdForgotten(trx, services, event.paymentId, { ...payment, ...charge });
  else if (isMoney(event) || event.type === 'dispute_opened' || event.type === 'dispute_dropped')
    await holdFor(trx, services, event, payment, await isTakenAnew(trx, event, isNews));
  return isNews;
}

/** The account of an unknown payment: by the charged customer, or by earlier refused events. */
async function ownerOfUnknown(trx: Trx, paymentId: string, charge: Charged | undefined) {
  const accounts = trx.selectFrom('accounts').select('organization_id').where('closed_at', 'is', null);
  const refused = trx.selectFrom('refused_events').select('organization_id').where('payment_id', '=', paymentId);
  return charge === undefined
    ? accounts.where('organization_id', 'in', refused).executeTakeFirst()
    : accounts.where('customer_id', '=', charge.customerId).executeTakeFirst();
}

/**
 * Whether an event is about money of another organization. After a restore, an organization may begin an attempt with
 * the id of a lost one.
 */
async function isOfAnother(trx: Trx, event: MoneyEvent, organizationId: string): Promise<boolean> {
  if (!('charge' in event) || event.charge === undefined) return false;
  const account = await ownerOfUnknown(trx, event.paymentId, event.charge);
  return account !== undefined && account.organization_id !== organizationId;
}

/**
 * Whether an event reports, for the first time, that a dispute took money, and no earlier event reported its return.
 */
async function isTakenAnew(
  trx: Trx,
  event: MoneyMoved | OtherCurrency | DisputeInquiry,
  isNews: boolean,
): Promise<boolean> {
  const type = event.type === 'other_currency' ? event.of : event.type;
  const causes = returnCauses(event);
  if (!isNews || type !== 'disputed' || causes === undefined) return false;
  const won = trx.selectFrom('refused_events').select('cause').where('cause', '=', causes.ended);
  return (await won.executeTakeFirst()) === undefined;
}

/** Holds autopay for a charge that this database does not know, so that it is not charged again before a reset. */
async function holdForgotten(
  trx: Trx,
  services: Parts,
  payment: string,
  { providerId, organization_id, method_id }: Pick<Payment, 'organization_id' | 'method_id'> & Charged,
): Promise<void> {
  const cause = `${paidCause(payment)}:${providerId}`;
  if ((await isRefusalSettled(trx, cause)) || (await hasEverHeld(trx, cause))) return;
  await hold(trx, services, { organization_id, method_id, kind: 'autopay' }, { cause, why: 'mismatched' });
  const fields = { organization: organization_id, payment, charge: providerId };
  services.log.error(fields, 'the provider has a charge that this database does not know; autopay waits for a reset');
}

/** {@link applyPaymentEvent} within a transaction. @returns whether the event is new */
async function applyIn(trx: Trx, services: Parts, event: MoneyEvent): Promise<boolean> {
  const owner = await trx
    .selectFrom('payments')
    .select('organization_id')
    .where('id', '=', event.paymentId)
    .executeTakeFirst();
  if (owner === undefined || (await isOfAnother(trx, event, owner.organization_id)))
    return applyUnknown(trx, services, event);
  const account = await lockAnyAccount(trx, owner.organization_id);
  if (account === undefined || (account.closed_at !== null && !isReturn(event)))
    return refuse(trx, services, event, 'gone', owner.organization_id);
  if (await isStale(trx, services.config)) {
    return refuse(trx, services, event, 'mode', owner.organization_id);
  }
  if (event.type === 'accepted' && event.charge !== undefined) {
    await holdForgotten(trx, services, event.paymentId, { ...account, ...event.charge });
    return false;
  }
  const now = services.clock();
  const first = await trx
    .insertInto('payment_events')
    .values({ id: event.id, type: event.type, received_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (first === undefined) return false;
  const payment = await readPayment(trx, event.paymentId);
  // After an organization is deleted, its payments can no longer succeed.
  const isForNothing = account.closed_at !== null && !COUNTED.includes(payment.state);
  const misfit = isForNothing ? 'gone' : await misfitOf(trx, event, payment);
  // A payment has the mode of the provider that reports its money.
  if (misfit === undefined && isMoney(event) && (payment.mode === null || event.type === 'paid'))
    await trx
      .updateTable('payments')
      .set({ mode: moneyModeOf(services.config) })
      .where('id', '=', payment.id)
      .execute();
  if (event.type === 'paid' && moneyModeOf(services.config) === 'live') await noteReal(trx, now);
  if (misfit === undefined) await applyFitting(trx, services, event, payment, now);
  else {
    const isNews = await refuse(trx, services, event, misfit, payment.organization_id);
    if (isMoney(event)) await holdFor(trx, services, event, payment, await isTakenAnew(trx, event, isNews));
    if (event.type === 'paid' || (event.type === 'other_currency' && event.of === 'paid')) {
      await reverseReturns(trx, payment, { charge: chargeOf(event), why: misfit }, now);
      await endMismatched(trx, services, payment, event, misfit);
    }
  }
  await scheduleAutopay(trx, payment.organization_id, now);
  return true;
}

async function applyFitting(trx: Trx, services: Parts, event: MoneyEvent, payment: Payment, now: Date): Promise<void> {
  const isNew = await postEntries(trx, services, event, payment, entriesOf(event, payment, now));
  switch (event.type) {
    case 'accepted':
      await movePayment(trx, services, payment.id, 'accepted');
      return undefined;
    case 'canceled':
      await movePayment(trx, services, payment.id, 'left');
      return undefined;
    case 'paid':
      if (event.paidWith !== undefined) await notePaidWith(trx, payment.id, event.paidWith);
      // A repeated report changes nothing: a newer error of autopay may be about another payment.
      if (!isNew) return undefined;
      await paid(trx, services, payment, event.providerId, now);
      await mailReceipt(trx, services, payment);
      return applyRefused(trx, services, event, RETURNS, now);
    case 'failed':
      return applyDecline(trx, services, payment, event.message, now);
    case 'refused':
      return refuseConfirmed(trx, services, payment, event);
    case 'stored':
      // A repeated report does not bring back a method that was removed since.
      if (await movePayment(trx, services, payment.id, 'stored'))
        await store(trx, services, payment, event.method, providerAct(event.id, now));
      else if (!COUNTED.includes(payment.state))
        await forgetLater(trx, { setupId: payment.id, methodId: event.method.id }, now);
      return undefined;
    case 'refunded':
    case 'disputed':
    case 'dispute_won':
    case 'refund_failed':
      if (!isNew) return undefined;
      await holdFor(trx, services, event, payment, true);
      if (event.type === 'refund_failed') return applyRefused(trx, services, event, ['refund_failed', 'refunded'], now);
      return undefined;
    case 'dispute_opened':
    case 'dispute_dropped':
      return holdFor(trx, services, event, payment, true);
    case 'other_currency':
      return undefined;
  }
}

/** Returns of money, in the order in which refused ones are retried: an end enters its beginning, too. */
const RETURNS = ['refund_failed', 'refunded', 'dispute_won', 'disputed'] as const;
const isReturn = ({ type }: MoneyEvent): boolean => RETURNS.some((one) => one === type);

/** Retries refused events that may fit now: after another refund has failed, or once their charge counts. */
async function applyRefused(
  trx: Trx,
  services: Parts,
  of: { paymentId: string; providerId: string },
  types: readonly (typeof RETURNS)[number][],
  now: Date,
): Promise<void> {
  for (const type of types)
    for (const event of await refusedOf(trx, of, type)) {
      const payment = await readPayment(trx, of.paymentId);
      if ((await misfitOf(trx, event, payment)) === undefined) await applyFitting(trx, services, event, payment, now);
    }
}

const readPayment = (trx: Trx, id: string): Promise<Payment> =>
  trx.selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Stores what a payment was paid with, once: events of a payment may know it or not. */
const notePaidWith = (trx: Trx, id: string, { brand, last4 }: PaidWith) =>
  trx
    .updateTable('payments')
    .set({ paid_brand: brand, paid_last4: last4 })
    .where('id', '=', id)
    .where('paid_brand', 'is', null)
    .execute();

/** Makes a payment succeed, and drops charges of autopay that are not needed any more. */
async function paid(trx: Trx, services: Parts, payment: Payment, providerId: string, now: Date): Promise<void> {
  await putReturnsRight(trx, payment, providerId, now);
  await movePayment(trx, services, payment.id, 'paid', { provider_id: providerId, error_message: null });
  await dropDue(trx, payment.organization_id);
  await endSilence(trx, services, payment);
  await moveAutopay(trx, services, payment.organization_id, payment.kind === 'autopay' ? 'charged' : 'paid');
}

/** Stores a method, unless nobody could be charged by it: then the provider removes it. */
async function store(
  trx: Trx,
  services: Parts,
  payment: Payment,
  method: StoredMethod,
  act: ReturnType<typeof providerAct>,
): Promise<void> {
  // Of two setups the one that was begun last counts, even if its event comes first.
  const later = await trx
    .selectFrom('payments')
    .select('id')
    .where('organization_id', '=', payment.organization_id)
    .where('kind', '=', 'setup')
    .where('state', 'in', COUNTED)
    .where('position', '>', payment.position)
    .executeTakeFirst();
  if (later !== undefined) return;
  const before = await lockAccount(trx, payment.organization_id);
  // A database that was restored to a moment between the setup and its customer does not know whom the method is of.
  if (before?.customer_id === null) return forgetLater(trx, { setupId: payment.id, methodId: method.id }, act.at);
  await trx
    .updateTable('accounts')
    .set({
      method_id: method.id,
      method_brand: method.brand,
      method_last4: method.last4,
      method_expires_month: method.expires_month,
      method_expires_year: method.expires_year,
    })
    .where('organization_id', '=', payment.organization_id)
    .execute();
  if (before !== undefined && before.method_id !== method.id)
    await recordAudit(trx, act, {
      organizationId: payment.organization_id,
      action: 'payment_method.changed',
      subject: `${method.brand} ${method.last4}`,
      detail: before.method_id === null ? '' : `${methodName(before)} → ${method.brand} ${method.last4}`,
    });
  await dropDue(trx, payment.organization_id);
  await releaseByMethod(trx, services, payment.organization_id, method);
}

/** The name of an account's payment method, such as `Visa 4242`. */
export const methodName = (account: Account): string => cardOf(account) ?? 'Card';
