import type { Selectable, Transaction } from 'kysely';
import type { LedgerTables } from '../../platform/db/ledger-tables.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { enter, lockAccount, type Account, type Entry } from '../ledger/accounts.ts';
import { armAutopay, neededMicros } from '../ledger/arm.ts';
import { keepReceipt } from '../ledger/receipts.ts';
import type { Services } from '../../platform/context.ts';
import { note, providerAct } from '../../tenancy/audit/log.ts';
import { declined } from './decline.ts';
import type { MoneyEvent, StoredMethod } from './port.ts';
import { messageOf, stopAutopay } from './stop.ts';

type Trx = Transaction<Schema>;
export type Payment = Selectable<LedgerTables['payments']>;
type Parts = Pick<Services, 'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl'>;

/**
 * Does what an event of the payment provider says, or its answer when it was asked, once: the event, the entry and the state of the payment are written together, or not
 * at all. Events may come late, twice, and in any order. One about a payment of an organization that is gone is only logged.
 */
export async function settle(services: Parts, event: MoneyEvent): Promise<void> {
  await services.db.transaction().execute((trx) => settleIn(trx, services, event));
}

/** {@link settle} as part of a transaction. */
export async function settleIn(trx: Trx, services: Parts, event: MoneyEvent): Promise<void> {
  const owner = await trx
    .selectFrom('payments')
    .select('organization_id')
    .where('id', '=', event.paymentId)
    .executeTakeFirst();
  if (owner === undefined || !(await lockAccount(trx, owner.organization_id)))
    return services.log.warn({ event: event.id, payment: event.paymentId }, 'an event is about a payment that is gone');
  const now = services.clock();
  const first = await trx
    .insertInto('payment_events')
    .values({ id: event.id, type: event.type, received_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (first === undefined) return;
  const payment = await trx
    .selectFrom('payments')
    .selectAll()
    .where('id', '=', event.paymentId)
    .executeTakeFirstOrThrow();
  await apply(trx, services, event, payment, now);
  await armAutopay(trx, payment.organization_id, now);
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
      return isNew ? paid(trx, payment, event.providerId) : undefined;
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
      return returned(trx, payment);
    case 'refund_failed':
      return undefined;
  }
}

/**
 * What was given back is not charged again at once, and who disputes a payment is not charged at all: the owner says when autopay goes
 * on. A charge that was sent already goes on to its end.
 */
async function takenBack(
  trx: Trx,
  services: Parts,
  { organization_id }: Payment,
  why: 'refunded' | 'disputed',
  now: Date,
): Promise<void> {
  const account = await lockAccount(trx, organization_id);
  if (account?.autopay_enabled !== true || account.error_message !== null) return;
  if (why === 'refunded' && (account.below || (await neededMicros(trx, account, now)) === undefined)) return;
  await cancelDue(trx, organization_id);
  await stopAutopay(trx, services, organization_id, { why }, now);
}

async function returned(trx: Trx, { organization_id }: Payment): Promise<void> {
  const account = await lockAccount(trx, organization_id);
  if (account?.error_message === messageOf({ why: 'disputed' })) await clearError(trx, organization_id);
}

/** What an event changes in the ledger; a refund that failed and a dispute that was won take back what went before them. */
function entriesOf(event: MoneyEvent, payment: Payment, at: Date): Entry[] {
  const of = (kind: Entry['kind'], micros: number, cause: string, description: string): Entry => ({
    organizationId: payment.organization_id,
    paymentId: payment.id,
    kind,
    micros,
    cause,
    description,
    at,
  });
  switch (event.type) {
    case 'paid':
      return [
        of(
          'payment',
          event.amountMicros,
          `payment:${payment.id}`,
          payment.kind === 'autopay' ? 'Payment by autopay' : 'Payment',
        ),
      ];
    case 'refunded':
      return [of('refund', -event.amountMicros, `refund:${event.refundId}`, 'Refund')];
    case 'refund_failed':
      // Whichever of the two is told first: together they come to nothing.
      return [
        of('refund', -event.amountMicros, `refund:${event.refundId}`, 'Refund'),
        of('correction', event.amountMicros, `refund-failed:${event.refundId}`, 'Refund that failed'),
      ];
    case 'disputed':
      return [of('dispute', -event.amountMicros, `dispute:${event.disputeId}`, 'Disputed payment')];
    case 'dispute_won':
      return [
        of('dispute', -event.amountMicros, `dispute:${event.disputeId}`, 'Disputed payment'),
        of('dispute', event.amountMicros, `dispute-won:${event.disputeId}`, 'Disputed payment, returned'),
      ];
    case 'accepted':
    case 'canceled':
    case 'failed':
    case 'stored':
      return [];
  }
}

/** Whether any is new. */
async function enterAll(trx: Trx, { config }: Parts, entries: readonly Entry[]): Promise<boolean> {
  let isNew = false;
  for (const entry of entries) {
    if (!(await enter(trx, entry))) continue;
    await keepReceipt(trx, entry.cause, config);
    isNew = true;
  }
  return isNew;
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
async function paid(trx: Trx, payment: Payment, providerId: string): Promise<void> {
  await trx
    .updateTable('payments')
    .set({ state: 'succeeded', provider_id: providerId, error_message: null })
    .where('id', '=', payment.id)
    .execute();
  await cancelDue(trx, payment.organization_id);
  await clearError(trx, payment.organization_id);
}

/** What waits to be charged is not any more. */
export async function cancelDue(trx: Trx, organizationId: string): Promise<void> {
  await trx
    .updateTable('payments')
    .set({ state: 'canceled' })
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'autopay')
    .where('state', '=', 'due')
    .execute();
}

/** Autopay looks at the balance anew, as if it had just fallen. */
export async function clearError(trx: Trx, organizationId: string): Promise<void> {
  await trx
    .updateTable('accounts')
    .set({ below: false, error_message: null, error_at: null })
    .where('organization_id', '=', organizationId)
    .execute();
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
  await clearError(trx, payment.organization_id);
}

/** How people know a payment method that is there. */
export const methodName = ({ method_brand, method_last4 }: Account): string =>
  `${method_brand ?? 'Card'} ${method_last4 ?? ''}`.trim();
