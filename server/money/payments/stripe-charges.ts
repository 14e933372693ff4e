/** What has become of a charge at Stripe, whoever tells it: its answer, its events, or its answer to a question. */
import Stripe from 'stripe';
import { PaymentUnavailable, type ChargeResult } from './port.ts';

/** Why there is no money: as an intent names it, or an answer. */
type Failure = { [name in 'type' | 'code' | 'param' | 'message']?: string | undefined };
type NoMoney = Extract<ChargeResult, { outcome: 'declined' | 'refused' }>;

export const DECLINED = 'The payment was declined.';
const NEEDS_CONFIRMATION = 'The payment method needs a confirmation by its owner.';
export const NO_METHOD = 'The payment method can no longer be used.';
const NO_CUSTOMER = 'The payment provider no longer has this customer. Set up a payment method again.';

/**
 * By which the bank or the owner of a method that is no card says no: Stripe does not call that an error of a card. Its outages, and what
 * is wrong with the request or the seller's settings, have names like that, too.
 */
const DECLINES =
  /^(payment_method_(?!provider_timeout|not_available|configuration|unsupported|currency|invalid|unactivated|restricted|bank_account_already|microdeposit_processing)|bank_account_(?!exists)|account_closed$|no_account$|debit_not_authorized$|insufficient_funds$|payment_intent_(authentication_failure|payment_attempt_failed)$)/;

/** Whether it is about the payment method, or its customer, and so a decline; all else is for the operator. */
export function endOfFailure({ type, code, param, message }: Failure): NoMoney {
  if (code === 'authentication_required') return { outcome: 'declined', message: NEEDS_CONFIRMATION };
  if (code === 'resource_missing' && param === 'customer') return { outcome: 'declined', message: NO_CUSTOMER };
  if (code === 'payment_intent_mandate_invalid' || (code === 'resource_missing' && param === 'payment_method'))
    return { outcome: 'declined', message: NO_METHOD };
  if (type === 'card_error' || DECLINES.test(code ?? '')) return { outcome: 'declined', message: message ?? DECLINED };
  return { outcome: 'refused', reason: [code, message].filter(Boolean).join(': ') || 'Stripe names no reason.' };
}

/** @throws PaymentUnavailable for a charge that has neither been taken nor refused */
export function outcomeOf({ id, status, last_payment_error: error }: Stripe.PaymentIntent): ChargeResult {
  if (status === 'succeeded' || status === 'processing') return { outcome: 'sent', providerId: id };
  if (status === 'requires_action') return { outcome: 'declined', message: NEEDS_CONFIRMATION };
  if (error !== null) return endOfFailure(error);
  if (status === 'canceled') return { outcome: 'declined', message: 'The payment was canceled.' };
  throw new PaymentUnavailable(new Error(`A charge is ${status}.`));
}

/** Whether nothing comes of a charge any more, for a reason that is not the payment method's. */
export const isRefused = ({ status, last_payment_error: error }: Stripe.PaymentIntent): boolean =>
  (status === 'requires_payment_method' || status === 'canceled') &&
  error !== null &&
  endOfFailure(error).outcome === 'refused';

/**
 * Cancels a charge that waits for its owner, so that it cannot be paid beside the next try. Where it was paid a moment before, it counts.
 * @returns the charge, as it was where nobody can pay it any more
 * @throws PaymentUnavailable
 */
export async function cancelWaiting(stripe: Stripe, intent: Stripe.PaymentIntent): Promise<Stripe.PaymentIntent> {
  if (intent.status !== 'requires_action') return intent;
  try {
    await stripe.paymentIntents.cancel(intent.id);
    return intent;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw new PaymentUnavailable(error);
    const ended = await reached(() => stripe.paymentIntents.retrieve(intent.id));
    return ended.status === 'canceled' ? intent : ended;
  }
}

/** @throws PaymentUnavailable for whatever goes wrong */
export async function reached<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof PaymentUnavailable) throw error;
    throw new PaymentUnavailable(error, isForbidden(error) ? error.message : undefined);
  }
}

/** A key that counts no more, or may not charge: that is for the operator. */
export const isForbidden = (error: unknown): error is Error =>
  error instanceof Stripe.errors.StripePermissionError || error instanceof Stripe.errors.StripeAuthenticationError;
