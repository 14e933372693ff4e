/** Reads the outcome of a charge from Stripe's answers and events. */
import Stripe from 'stripe';
import { PaymentUnavailable, type ChargeResult } from './port.ts';

/** The reason of a failure, in an intent or in an error. */
type Failure = { [name in 'type' | 'code' | 'param' | 'message']?: string | undefined };
type NoMoney = Extract<ChargeResult, { outcome: 'declined' | 'refused' }>;

export const DECLINED = 'The payment was declined.';
const NEEDS_CONFIRMATION = 'The payment method needs a confirmation by its owner.';
export const NO_METHOD = 'The payment method can no longer be used.';
const NO_CUSTOMER = 'The payment provider no longer has this customer. Set up a payment method again.';

/**
 * Error codes of declines by bank accounts and other methods that are no cards. Leaves out codes of the same prefix
 * that mean an outage, a wrong request or wrong settings.
 */
const DECLINES =
  /^(payment_method_(?!provider_timeout|not_available|configuration|unsupported|currency|invalid|unactivated|restricted|bank_account_already|microdeposit_processing)|bank_account_(?!exists)|account_closed$|no_account$|debit_not_authorized$|insufficient_funds$|payment_intent_(authentication_failure|payment_attempt_failed)$)/;

/** The end of a failed charge: a decline if the method or customer is the cause, else a refusal for the operator. */
export function endOfFailure({ type, code, param, message }: Failure): NoMoney {
  if (code === 'authentication_required') return { outcome: 'declined', message: NEEDS_CONFIRMATION };
  if (code === 'resource_missing' && param === 'customer') return { outcome: 'declined', message: NO_CUSTOMER };
  if (code === 'payment_intent_mandate_invalid' || (code === 'resource_missing' && param === 'payment_method'))
    return { outcome: 'declined', message: NO_METHOD };
  if (type === 'card_error' || DECLINES.test(code ?? '')) return { outcome: 'declined', message: message ?? DECLINED };
  return { outcome: 'refused', reason: [code, message].filter(Boolean).join(': ') || 'Stripe names no reason.' };
}

/** The outcome of a charge. @throws PaymentUnavailable if Stripe has neither accepted nor failed it */
export function outcomeOf({ id, status, last_payment_error: error }: Stripe.PaymentIntent): ChargeResult {
  if (status === 'succeeded' || status === 'processing') return { outcome: 'sent', providerId: id };
  if (status === 'requires_action') return { outcome: 'declined', message: NEEDS_CONFIRMATION };
  if (error !== null) return endOfFailure(error);
  if (status === 'canceled') return { outcome: 'declined', message: 'The payment was canceled.' };
  throw new PaymentUnavailable(new Error(`A charge is ${status}.`));
}

/** Whether a charge has failed for a reason other than the payment method. */
export const isRefused = ({ status, last_payment_error: error }: Stripe.PaymentIntent): boolean =>
  (status === 'requires_payment_method' || status === 'canceled') &&
  error !== null &&
  endOfFailure(error).outcome === 'refused';

/**
 * Cancels a charge that waits for the owner's confirmation, so that it cannot succeed beside the next try.
 * @returns the charge as given if it is canceled; the present one if it has ended in another way just before
 * @throws PaymentUnavailable
 */
export async function cancelWaiting(stripe: Stripe, intent: Stripe.PaymentIntent): Promise<Stripe.PaymentIntent> {
  if (intent.status !== 'requires_action') return intent;
  try {
    await stripe.paymentIntents.cancel(intent.id);
    return intent;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw new PaymentUnavailable(error);
    const ended = await callStripe(() => stripe.paymentIntents.retrieve(intent.id));
    return ended.status === 'canceled' ? intent : ended;
  }
}

/** Calls Stripe. @throws PaymentUnavailable for every error */
export async function callStripe<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof PaymentUnavailable) throw error;
    throw new PaymentUnavailable(error, isForbidden(error) ? error.message : undefined);
  }
}

/** The key is invalid or lacks a right; the operator must fix it. */
export const isForbidden = (error: unknown): error is Error =>
  error instanceof Stripe.errors.StripePermissionError || error instanceof Stripe.errors.StripeAuthenticationError;
