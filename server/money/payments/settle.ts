import type { Transaction } from 'kysely';
import type { Schema } from '../../platform/db/schema.ts';
import { errorWhy, isHeld, lockAccount, type Account, type Payment } from '../ledger/accounts.ts';
import { armAutopay, cancelDue, neededMicros } from '../ledger/arm.ts';
import type { Services } from '../../platform/context.ts';
import { note, providerAct } from '../../tenancy/audit/log.ts';
import { declined } from './decline.ts';
import { enterAll, entriesOf, hasOpenDispute, restoreReturns, reverseReturns } from './entries.ts';
import type { MoneyEvent, StoredMethod } from './port.ts';
import { endMismatched, misfitOf, refuse, whyPaymentRefused } from './refuse.ts';
import { stopAutopay } from './stop.ts';

type Trx = Transaction<Schema>;
type Parts = Pick<Services, 'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl' | 'meters'>;

/**
 * Does what an event of the payment provider says, or its answer when it was asked, once: the event, the entry and the state of the payment are written together, or not
 * at all. Events may come late, twice, and in any order. Money that no balance takes is kept for the operator.
 */
export async function settle(services: Parts, event: MoneyEvent): Promise<void> {
  const isNew = await services.db.transaction().execute((trx) => settleIn(trx, services, event));
  if (isNew) services.meters.count('parlance_payment_events_total', { event: event.type });
}

/** {@link settle} as part of a transaction. @returns whether nothing was heard of it before */
async function settleIn(trx: Trx, services: Parts, event: MoneyEvent): Promise<boolean> {
  const owner = await trx
    .selectFrom('payments')
    .select('organization_id')
    .where('id', '=', event.paymentId)
    .executeTakeFirst();
  if (owner === undefined || !(await lockAccount(trx, owner.organization_id))) {
    await refuse(trx, services, event, 'gone');
    return true;
  }
  const now = services.clock();
  const first = await trx
    .insertInto('payment_events')
    .values({ id: event.id, type: event.type, received_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (first === undefined) return false;
  const payment = await trx
    .selectFrom('payments')
    .selectAll()
    .where('id', '=', event.paymentId)
    .executeTakeFirstOrThrow();
  const misfit = misfitOf(event, payment) ?? (await whyPaymentRefused(trx, event));
  if (misfit === undefined) await apply(trx, services, event, payment, now);
  else {
    await refuse(trx, services, event, misfit, payment.organization_id);
    if (event.type === 'paid' || (event.type === 'foreign' && event.of === 'paid')) {
      await reverseReturns(trx, payment, now);
      await endMismatched(trx, services, payment);
    }
  }
  await armAutopay(trx, payment.organization_id, now);
  return true;
}

async function apply(trx: Trx, services: Parts, event: MoneyEvent, payment: Payment, now: Date): Promise<void> {
  const isNew = await enterAll(trx, services, entriesOf(event, payment, now));
  switch (event.type) {
    case 'accepted':
      await setState(trx, payment, ['open'], 'sent');
      return undefined;
    case 'canceled':
      await setState(trx, payment, ['open'], 'canceled');
      return undefined;
    case 'paid':
      // Told a second time it changes nothing: autopay may have an error since that is not about this payment.
      return isNew ? paid(trx, payment, event.providerId, now) : undefined;
    case 'failed':
      return declined(trx, services, payment, event.message, now);
    case 'stored':
      // Nor does this bring a method back that was removed since.
      if (await setState(trx, payment, ['open', 'sent', 'failed', 'canceled'], 'succeeded'))
        await store(trx, payment, event.method, providerAct(event.id, now));
      return undefined;
    case 'refunded':
    case 'disputed':
      return isNew ? takenBack(trx, services, payment, event.type, now) : undefined;
    case 'dispute_won':
      return isNew ? returned(trx, payment) : undefined;
    case 'refund_failed':
    case 'foreign':
      return undefined;
  }
}

/**
 * What was given back is not charged again at once, and who disputes a payment is not charged at all: the owner says when autopay goes
 * on. A charge that was sent already goes on to its end, which changes nothing about that.
 */
async function takenBack(
  trx: Trx,
  services: Parts,
  { organization_id }: Payment,
  why: 'refunded' | 'disputed',
  now: Date,
): Promise<void> {
  const account = await lockAccount(trx, organization_id);
  if (account?.autopay_enabled !== true) return;
  const before = errorWhy(account);
  // A try that waits after a decline is not made after a dispute, and a dispute that is won later does not make up for a refund.
  const counts = before === null || (why === 'disputed' ? !isHeld(account) : before === 'disputed');
  if (!counts) return;
  if (why === 'refunded' && (account.below || (await neededMicros(trx, account, now)) === undefined)) return;
  await cancelDue(trx, organization_id);
  await stopAutopay(trx, services, organization_id, { why }, now);
}

/** Where nothing else is disputed since, autopay goes on. */
async function returned(trx: Trx, { organization_id }: Payment): Promise<void> {
  const account = await lockAccount(trx, organization_id);
  if (account === undefined || account.error_at === null || errorWhy(account) !== 'disputed') return;
  if (!(await hasOpenDispute(trx, organization_id, account.error_at))) await clearError(trx, organization_id);
}

/** Whether it was in one of the states that it may come from. */
async function setState(
  trx: Trx,
  { id }: Payment,
  from: readonly Payment['state'][],
  state: Payment['state'],
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('payments')
    .set({ state })
    .where('id', '=', id)
    .where('state', 'in', from)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Money came, whatever was told before: what still waits to be charged for the same crossing is not needed any more. */
async function paid(trx: Trx, payment: Payment, providerId: string, now: Date): Promise<void> {
  await restoreReturns(trx, payment, now);
  await trx
    .updateTable('payments')
    .set({ state: 'succeeded', provider_id: providerId, error_message: null })
    .where('id', '=', payment.id)
    .execute();
  await cancelDue(trx, payment.organization_id);
  await endError(trx, payment.organization_id);
}

/** Autopay looks at the balance anew, as if it had just fallen. */
export async function clearError(trx: Trx, organizationId: string): Promise<void> {
  await trx
    .updateTable('accounts')
    .set({ below: false, error_why: null, error_message: null, error_at: null })
    .where('organization_id', '=', organizationId)
    .execute();
}

/** {@link clearError}, but for an error that waits for a reset. */
export async function endError(trx: Trx, organizationId: string): Promise<void> {
  const account = await lockAccount(trx, organizationId);
  if (account !== undefined && !isHeld(account)) await clearError(trx, organizationId);
}

async function store(
  trx: Trx,
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
    .where('state', '=', 'succeeded')
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
    await note(trx, act, {
      organizationId: payment.organization_id,
      action: 'payment_method.changed',
      subject: `${method.brand} ${method.last4}`,
      detail: before.method_id === null ? '' : `${methodName(before)} → ${method.brand} ${method.last4}`,
    });
  await cancelDue(trx, payment.organization_id);
  await endError(trx, payment.organization_id);
}

/** How people know a payment method that is there. */
export const methodName = ({ method_brand, method_last4 }: Account): string =>
  `${method_brand ?? 'Card'} ${method_last4 ?? ''}`.trim();
