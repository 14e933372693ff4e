import type { Transaction } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { postEntry, postClosedEntry, lockAnyAccount, type Entry, type Payment } from '../ledger/accounts.ts';
import { COUNTED } from '../ledger/life.ts';
import { issueReceipt, issueReceipts } from '../ledger/receipts.ts';
import type { OtherCurrency, MoneyEvent, MoneyMoved, DisputeInquiry } from './port.ts';

type Trx = Transaction<Schema>;
/** The causes of a refund or dispute, and of its failure or return. */
type Causes = { began: string; ended: string };

/** The cause of a payment's entry. Without a charge, because only one charge of a payment counts. */
export const paidCause = (paymentId: string): string => `payment:${paymentId}`;
const refundCauses = (id: string): Causes => ({ began: `refund:${id}`, ended: `refund-failed:${id}` });
export const disputeCauses = (id: string): Causes => ({ began: `dispute:${id}`, ended: `dispute-won:${id}` });

/** The cause of an event's entry. Events about the same thing have the same cause. */
export function causeOf(event: MoneyMoved | OtherCurrency): string {
  const causes = returnCauses(event);
  if (causes === undefined) return paidCause(event.paymentId);
  const type = event.type === 'other_currency' ? event.of : event.type;
  return type === 'refund_failed' || type === 'dispute_won' ? causes.ended : causes.began;
}

/** The charge of an event; undefined for a refund or dispute in another currency. */
export function chargeOf(event: MoneyMoved | OtherCurrency): string | undefined {
  if (event.type !== 'other_currency') return event.providerId;
  return event.of === 'paid' ? event.reference : undefined;
}

/** The cause of refused money in the operator's list. Contains the charge, because a payment may have several. */
export const refusedCause = (event: MoneyMoved | OtherCurrency): string =>
  refundOrDisputeCause(event) === undefined ? `${paidCause(event.paymentId)}:${chargeOf(event)}` : causeOf(event);

/** The causes of the refund or dispute that an event begins or ends; undefined for a payment. */
export function returnCauses(event: MoneyMoved | OtherCurrency | DisputeInquiry): Causes | undefined {
  switch (event.type) {
    case 'paid':
      return undefined;
    case 'refunded':
    case 'refund_failed':
      return refundCauses(event.refundId);
    case 'other_currency':
      if (event.of === 'paid') return undefined;
      return event.of === 'refunded' || event.of === 'refund_failed'
        ? refundCauses(event.reference)
        : disputeCauses(event.reference);
    case 'disputed':
    case 'dispute_won':
    case 'dispute_opened':
    case 'dispute_dropped':
      return disputeCauses(event.disputeId);
  }
}

/** The cause of the refund or dispute that an event begins or ends; undefined for a payment. */
export const refundOrDisputeCause = (event: MoneyMoved | OtherCurrency | DisputeInquiry): string | undefined =>
  returnCauses(event)?.began;

/** The ledger entries of an event. A failed refund and a won dispute also include the entry that they reverse. */
export function entriesOf(event: MoneyEvent, payment: Payment, at: Date): Entry[] {
  const of = (
    kind: Entry['kind'],
    micros: number,
    cause: string,
    description: string,
    reversed: Pick<Entry, 'reversal' | 'about'> = {},
  ): Entry => ({
    organizationId: payment.organization_id,
    paymentId: payment.id,
    ...('providerId' in event && { chargeId: event.providerId }),
    kind,
    micros,
    cause,
    description,
    ...reversed,
    at,
  });
  const feeOf = (what: 'taken' | 'returned', disputeId: string, micros = 0): Entry[] =>
    micros === 0
      ? []
      : [
          of('fee', -micros, `dispute-fee-${what}:${disputeId}`, 'Fee of the disputed payment', {
            about: disputeCauses(disputeId).began,
          }),
        ];
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
      return [of('refund', -event.amountMicros, causeOf(event), 'Refund')];
    case 'refund_failed': {
      const { began, ended } = refundCauses(event.refundId);
      // Both entries, because the event of the refund may come later. Together they are 0.
      return [
        of('refund', -event.amountMicros, began, 'Refund'),
        of('correction', event.amountMicros, ended, 'Refund that failed', { reversal: event.type, about: began }),
      ];
    }
    case 'disputed':
      return [
        of('dispute', -event.amountMicros, causeOf(event), 'Disputed payment'),
        ...feeOf('taken', event.disputeId, event.feeMicros),
      ];
    case 'dispute_won': {
      const { began, ended } = disputeCauses(event.disputeId);
      return [
        of('dispute', -(event.takenMicros ?? event.amountMicros), began, 'Disputed payment'),
        of('dispute', event.amountMicros, ended, 'Disputed payment, returned', { reversal: event.type, about: began }),
        ...feeOf('taken', event.disputeId, event.takenFeeMicros),
        ...feeOf('returned', event.disputeId, event.feeMicros),
      ];
    }
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
    const fields = { event: event.id, payment: payment.id, organization: payment.organization_id };
    log.warn(fields, 'money of an organization that is gone was given back, or returned; its books say so');
  }
  return isNew;
}
