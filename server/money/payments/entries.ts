import type { Transaction } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { postEntry, postClosedEntry, lockAnyAccount, type Entry, type Payment } from '../ledger/accounts.ts';
import { COUNTED } from '../ledger/life.ts';
import { issueReceipt, issueReceipts } from '../ledger/receipts.ts';
import type { OtherCurrency, MoneyEvent, MoneyMoved, DisputeInquiry } from './port.ts';

type Trx = Transaction<Schema>;

const CAUSES = {
  paid: 'payment',
  refunded: 'refund',
  refund_failed: 'refund-failed',
  disputed: 'dispute',
  dispute_won: 'dispute-won',
} as const satisfies Record<MoneyMoved['type'], string>;
const TYPES = ['paid', 'refunded', 'refund_failed', 'disputed', 'dispute_won'] as const;

/** The cause of a payment's entry. Without a charge, because only one charge of a payment counts. */
export const paidCause = (paymentId: string): string => `${CAUSES.paid}:${paymentId}`;
export const refundCause = (id: string): string => `${CAUSES.refunded}:${id}`;
const disputeCause = (id: string): string => `${CAUSES.disputed}:${id}`;

/** The type of the event that made an entry, by its cause; undefined for fees and entries without an event. */
export const typeOf = (cause: string): MoneyMoved['type'] | undefined =>
  TYPES.find((type) => cause.startsWith(`${CAUSES[type]}:`));

/** The cause of an event's entry. Events about the same thing have the same cause. */
export function causeOf(event: MoneyMoved | OtherCurrency): string {
  switch (event.type) {
    case 'paid':
      return paidCause(event.paymentId);
    case 'refunded':
    case 'refund_failed':
      return `${CAUSES[event.type]}:${event.refundId}`;
    case 'disputed':
    case 'dispute_won':
      return `${CAUSES[event.type]}:${event.disputeId}`;
    case 'other_currency':
      return `${CAUSES[event.of]}:${event.of === 'paid' ? event.paymentId : event.reference}`;
  }
}

/** The charge of an event; undefined for a refund or dispute in another currency. */
export function chargeOf(event: MoneyMoved | OtherCurrency): string | undefined {
  if (event.type !== 'other_currency') return event.providerId;
  return event.of === 'paid' ? event.reference : undefined;
}

/** The cause of refused money in the operator's list. Contains the charge, because a payment may have several. */
export const refusedCause = (event: MoneyMoved | OtherCurrency): string =>
  refundOrDisputeCause(event) === undefined ? `${paidCause(event.paymentId)}:${chargeOf(event)}` : causeOf(event);

/** The cause of the refund or dispute that an event begins or ends; undefined for a payment. */
export function refundOrDisputeCause(event: MoneyMoved | OtherCurrency | DisputeInquiry): string | undefined {
  if (event.type === 'dispute_opened' || event.type === 'dispute_dropped') return disputeCause(event.disputeId);
  const type = event.type === 'other_currency' ? event.of : event.type;
  if (type === 'paid') return undefined;
  const began = type === 'refunded' || type === 'refund_failed' ? 'refunded' : 'disputed';
  return causeOf(event).replace(`${CAUSES[type]}:`, `${CAUSES[began]}:`);
}

/** The cause of the end of a refund or dispute, from the cause of its beginning. */
export const endCause = (cause: string): string =>
  cause.replace(/^refund:/, `${CAUSES.refund_failed}:`).replace(/^dispute:/, `${CAUSES.dispute_won}:`);

/** Whether a cause is of a refund or of its failure. */
export const isOfRefund = (cause: string): boolean =>
  [CAUSES.refunded, CAUSES.refund_failed].some((begin) => cause.startsWith(`${begin}:`));

/** The ledger entries of an event. A failed refund and a won dispute also include the entry that they reverse. */
export function entriesOf(event: MoneyEvent, payment: Payment, at: Date): Entry[] {
  const of = (kind: Entry['kind'], micros: number, cause: string, description: string): Entry => ({
    organizationId: payment.organization_id,
    paymentId: payment.id,
    ...('providerId' in event && { chargeId: event.providerId }),
    kind,
    micros,
    cause,
    description,
    at,
  });
  const feeOf = (what: 'taken' | 'returned', disputeId: string, micros = 0): Entry[] =>
    micros === 0 ? [] : [of('fee', -micros, `dispute-fee-${what}:${disputeId}`, 'Fee of the disputed payment')];
  switch (event.type) {
    case 'paid':
      return [
        of(
          'payment',
          event.amountMicros,
          causeOf(event),
          payment.kind === 'autopay' ? 'Payment by autopay' : 'Payment',
        ),
      ];
    case 'refunded':
      return [of('refund', -event.amountMicros, refundCause(event.refundId), 'Refund')];
    case 'refund_failed':
      // Both entries, because the event of the refund may come later. Together they are 0.
      return [
        of('refund', -event.amountMicros, refundCause(event.refundId), 'Refund'),
        of('correction', event.amountMicros, causeOf(event), 'Refund that failed'),
      ];
    case 'disputed':
      return [
        of('dispute', -event.amountMicros, disputeCause(event.disputeId), 'Disputed payment'),
        ...feeOf('taken', event.disputeId, event.feeMicros),
      ];
    case 'dispute_won':
      return [
        of('dispute', -(event.takenMicros ?? event.amountMicros), disputeCause(event.disputeId), 'Disputed payment'),
        of('dispute', event.amountMicros, causeOf(event), 'Disputed payment, returned'),
        ...feeOf('taken', event.disputeId, event.takenFeeMicros),
        ...feeOf('returned', event.disputeId, event.feeMicros),
      ];
    case 'accepted':
    case 'canceled':
    case 'failed':
    case 'refused':
    case 'stored':
    case 'dispute_opened':
    case 'dispute_dropped':
    case 'other_currency':
      return [];
  }
}

/** Enters an event's entries, even for a deleted organization. @returns whether any is new */
export async function postEntries(
  trx: Trx,
  { config, log }: Pick<Services, 'config' | 'log'>,
  event: MoneyEvent,
  payment: Payment,
  entries: readonly Entry[],
): Promise<boolean> {
  const closedAt = (await lockAnyAccount(trx, payment.organization_id))?.closed_at ?? null;
  let isNew = false;
  for (const entry of entries) {
    if (!(await (closedAt === null ? postEntry(trx, entry) : postClosedEntry(trx, entry, closedAt)))) continue;
    // A refund before its payment counts gets its credit note later, with the payment's receipt.
    if (COUNTED.includes(payment.state)) await issueReceipt(trx, entry.cause, config);
    if (event.type === 'paid') await issueReceipts(trx, event, config);
    // The event may have been refused before; the operator need not settle it any more.
    await trx
      .updateTable('refused_events')
      .set({ settled_at: entry.at })
      .where((eb) =>
        event.type === 'paid'
          ? eb.or([
              eb('cause', '=', refusedCause(event)),
              // The cause that an earlier version wrote.
              eb.and([eb('cause', '=', entry.cause), eb('charge_id', 'is', null)]),
            ])
          : eb('cause', '=', entry.cause),
      )
      .where('settled_at', 'is', null)
      .execute();
    isNew = true;
  }
  if (isNew && closedAt !== null) {
    const told = { event: event.id, payment: payment.id, organization: payment.organization_id };
    log.warn(told, 'money of an organization that is gone was given back, or returned; its books say so');
  }
  return isNew;
}
