import type { Transaction } from 'kysely';
import type { Schema } from '../../platform/db/schema.ts';
import { lockAccount, lockAnyAccount, type Account, type Payment } from '../ledger/accounts.ts';
import { scheduleAutopay } from '../ledger/schedule.ts';
import { COUNTED, dropDue, move } from '../ledger/life.ts';
import { isStale, moneyModeOf, noteReal } from '../ledger/mode.ts';
import type { Services } from '../../platform/context.ts';
import { recordAudit, providerAct } from '../../tenancy/audit/log.ts';
import { applyDecline } from './decline.ts';
import { chargeOf, endCause, postEntries, entriesOf, paidCause, takenCause } from './entries.ts';
import { forgetLater } from './forget.ts';
import { cardOf, endSilence, hold, holdFor, isHolding, releaseByMethod } from './holds.ts';
import type { Charged, Foreign, MoneyEvent, MoneyMoved, Question, StoredMethod } from './port.ts';
import { refuseConfirmed } from './refusal.ts';
import { endMismatched, isDealtWith, isMoney, misfitOf, refuse, refusedOf } from './refuse.ts';
import { putReturnsRight, reverseReturns } from './reversals.ts';
import { moveAutopay } from './stop.ts';

type Trx = Transaction<Schema>;
type Parts = Pick<Services, 'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl' | 'meters'>;

/**
 * Does what an event of the payment provider says, or its answer when it was asked, once: the event, the entry and the state of the payment are written together, or not
 * at all. Events may come late, twice, and in any order. Money that no balance takes is kept for the operator. Of an organization that is gone,
 * what goes back of its payments, or returns, is entered as well.
 */
export async function applyPaymentEvent(services: Parts, event: MoneyEvent): Promise<void> {
  const isNew = await services.db.transaction().execute((trx) => applyIn(trx, services, event));
  if (isNew) services.meters.count('parlance_payment_events_total', { event: event.type });
}

/**
 * Of a payment that this database does not know, such as after a restore, nobody knows what was bought; its charge, and disputes of it, hold
 * the autopay of whose it is.
 */
async function applyUnknown(trx: Trx, services: Parts, event: MoneyEvent): Promise<boolean> {
  const charge = 'charge' in event ? event.charge : undefined;
  const account = await ownerOfUnknown(trx, event.paymentId, charge);
  if (account === undefined) return refuse(trx, services, event, 'gone');
  await lockAccount(trx, account.organization_id);
  const isNews = await refuse(trx, services, event, 'gone', account.organization_id);
  // Nobody knows by which method it was made.
  const payment = { ...account, kind: 'autopay', method_id: null } as const;
  if (charge !== undefined) await holdForgotten(trx, services, event.paymentId, { ...payment, ...charge });
  else if (isMoney(event) || event.type === 'dispute_opened' || event.type === 'dispute_dropped')
    await holdFor(trx, services, event, payment, await isTakenAnew(trx, event, isNews));
  return isNews;
}

/** Whose payment it is that this database does not know: by its customer, or by what was told of it before. */
async function ownerOfUnknown(trx: Trx, paymentId: string, charge: Charged | undefined) {
  const accounts = trx.selectFrom('accounts').select('organization_id').where('closed_at', 'is', null);
  const told = trx.selectFrom('refused_events').select('organization_id').where('payment_id', '=', paymentId);
  return charge === undefined
    ? accounts.where('organization_id', 'in', told).executeTakeFirst()
    : accounts.where('customer_id', '=', charge.customerId).executeTakeFirst();
}

/** Whether it is about money of another organization: after a restore, somebody else may begin an attempt that this database has lost. */
async function isOfAnother(trx: Trx, event: MoneyEvent, organizationId: string): Promise<boolean> {
  if (!('charge' in event) || event.charge === undefined) return false;
  const account = await ownerOfUnknown(trx, event.paymentId, event.charge);
  return account !== undefined && account.organization_id !== organizationId;
}

/** Whether a dispute has taken money that these rows did not know of, and that is not told to be back. */
async function isTakenAnew(trx: Trx, event: MoneyMoved | Foreign | Question, isNews: boolean): Promise<boolean> {
  const type = event.type === 'foreign' ? event.of : event.type;
  const cause = takenCause(event);
  if (!isNews || type !== 'disputed' || cause === undefined) return false;
  const won = trx.selectFrom('refused_events').select('cause').where('cause', '=', endCause(cause));
  return (await won.executeTakeFirst()) === undefined;
}

/** What was charged, and these rows do not say, is not charged again before somebody has seen it. */
async function holdForgotten(
  trx: Trx,
  services: Parts,
  payment: string,
  { providerId, organization_id, method_id }: Pick<Payment, 'organization_id' | 'method_id'> & Charged,
): Promise<void> {
  const cause = `${paidCause(payment)}:${providerId}`;
  if ((await isDealtWith(trx, cause)) || (await isHolding(trx, cause))) return;
  await hold(trx, services, { organization_id, method_id, kind: 'autopay' }, { cause, why: 'mismatched' });
  const told = { organization: organization_id, payment, charge: providerId };
  services.log.error(told, 'the provider has a charge that this database does not know; autopay waits for a reset');
}

/** {@link applyPaymentEvent} as part of a transaction. @returns whether nothing was heard of it before */
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
  // Nothing makes the payment of an organization that is gone count any more.
  const isForNothing = account.closed_at !== null && !COUNTED.includes(payment.state);
  const misfit = isForNothing ? 'gone' : await misfitOf(trx, event, payment);
  // Whoever tells of a payment has the money.
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
    if (event.type === 'paid' || (event.type === 'foreign' && event.of === 'paid')) {
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
      await move(trx, services, payment.id, 'accepted');
      return undefined;
    case 'canceled':
      await move(trx, services, payment.id, 'left');
      return undefined;
    case 'paid':
      // Told a second time it changes nothing: autopay may have an error since that is not about this payment.
      if (!isNew) return undefined;
      await paid(trx, services, payment, event.providerId, now);
      return applyRefused(trx, services, event, RETURNS, now);
    case 'failed':
      return applyDecline(trx, services, payment, event.message, now);
    case 'refused':
      return refuseConfirmed(trx, services, payment, event);
    case 'stored':
      // Nor does this bring a method back that was removed since.
      if (await move(trx, services, payment.id, 'stored'))
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
    case 'foreign':
      return undefined;
  }
}

/** Ends come first: each also enters its beginning. */
const RETURNS = ['refund_failed', 'refunded', 'dispute_won', 'disputed'] as const;
const isReturn = ({ type }: MoneyEvent): boolean => RETURNS.some((one) => one === type);

/** Applies what was refused and fits by now: a refund came back that it was too much beside, or its charge counts. */
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

/** Money came, whatever was told before: what still waits to be charged for the same crossing is not needed any more. */
async function paid(trx: Trx, services: Parts, payment: Payment, providerId: string, now: Date): Promise<void> {
  await putReturnsRight(trx, payment, providerId, now);
  await move(trx, services, payment.id, 'paid', { provider_id: providerId, error_message: null });
  await dropDue(trx, payment.organization_id);
  await endSilence(trx, services, payment);
  await moveAutopay(trx, services, payment.organization_id, payment.kind === 'autopay' ? 'charged' : 'paid');
}

async function store(
  trx: Trx,
  services: Parts,
  payment: Payment,
  method: StoredMethod,
  act: ReturnType<typeof providerAct>,
): Promise<void> {
  // Of two setups the one that was begun last counts, whichever is told first.
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

/** How people know a payment method that is there. */
export const methodName = (account: Account): string => cardOf(account) ?? 'Card';
