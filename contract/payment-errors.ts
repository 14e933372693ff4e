/** What keeps autopay from charging. */
import * as v from 'valibot';
import { Timestamp } from './fields.ts';

/**
 * Why autopay waits. `declined`: a charge failed; `unknown`: a charge has no result yet; `silent`: nor after 30 days;
 * `refunded`: money was refunded, or the operator lowered the balance; `disputed`: a bank disputes a payment;
 * `mismatched`: the amount paid differs from the amount asked for.
 */
export const PAYMENT_ERROR_REASONS = ['declined', 'unknown', 'silent', 'refunded', 'disputed', 'mismatched'] as const;
export type PaymentErrorReason = (typeof PAYMENT_ERROR_REASONS)[number];

/**
 * Why autopay or the payment method does not work. A reset clears every reason. A decline also ends with a successful
 * payment or another method, a charge without a result with its result, a dispute when it is won or with a method that
 * is certainly another one, and a refund when it fails.
 */
export const PaymentError = v.object({
  why: v.picklist(PAYMENT_ERROR_REASONS),
  message: v.string(),
  at: Timestamp,
  /** What a declined charge was to bring; null for other reasons. Older servers leave it out. */
  amount_micros: v.optional(v.nullable(v.pipe(v.number(), v.safeInteger())), null),
  /** When autopay tries again by itself; null if it does not. */
  next_try_at: v.nullable(Timestamp),
  /** Further reasons why autopay waits. */
  others: v.array(v.object({ message: v.string(), at: Timestamp })),
  /** Changes whenever another field changes, except `next_try_at`. */
  version: v.string(),
});
export type PaymentError = v.InferOutput<typeof PaymentError>;
