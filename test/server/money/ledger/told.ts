/** What the provider's events are about. */
import type { MoneyEvent } from '#server/money/payments/port.ts';

/** Whether it says how a payment or a setup stands, rather than what became of its money later. */
export const isOfPayment = (event: MoneyEvent): boolean =>
  event.type === 'other_currency'
    ? event.of === 'paid'
    : ['paid', 'failed', 'stored', 'canceled', 'accepted'].includes(event.type);

/** Whether it says what a bank has asked, or asks no more. */
export const isInquiry = ({ type }: MoneyEvent): boolean => type === 'dispute_opened' || type === 'dispute_dropped';

/** Which refund or dispute it tells of. */
export function aboutOf(event: MoneyEvent): string {
  if ('refundId' in event) return event.refundId;
  if ('disputeId' in event) return event.disputeId;
  return event.type === 'other_currency' ? event.reference : event.paymentId;
}
