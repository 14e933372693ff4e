/** What people paid with, in Stripe's words. */
import Stripe from 'stripe';
import type { PaidWith } from './port.ts';
import { idOf } from './stripe-money.ts';

/** Stripe waits for the answer to its event, and the payment counts without this. */
const OPTIONS = { maxNetworkRetries: 0, timeout: 5000 };

/** Names of card brands and of other types of methods, where Stripe's codes are no names. */
const NAMES: Readonly<Record<string, string>> = {
  amex: 'American Express',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
  customer_balance: 'Bank transfer',
  us_bank_account: 'Bank account',
  sepa_debit: 'SEPA Direct Debit',
  bacs_debit: 'Bacs Direct Debit',
  acss_debit: 'Pre-authorized debit',
  au_becs_debit: 'BECS Direct Debit',
  paypal: 'PayPal',
};

/** What an intent was paid with; undefined if Stripe does not say, or does not answer. */
export async function paidWith(
  stripe: Stripe,
  intent: string | Pick<Stripe.PaymentIntent, 'latest_charge'> | null,
): Promise<PaidWith | undefined> {
  try {
    const { latest_charge } =
      typeof intent === 'string'
        ? await stripe.paymentIntents.retrieve(intent, {}, OPTIONS)
        : (intent ?? { latest_charge: null });
    const charge = idOf(latest_charge);
    if (charge === undefined) return undefined;
    const { payment_method_details: details } = await stripe.charges.retrieve(charge, {}, OPTIONS);
    return details === null ? undefined : methodIn(details);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return undefined;
    throw error;
  }
}

function methodIn(details: Stripe.Charge.PaymentMethodDetails): PaidWith {
  const { type, card, us_bank_account, sepa_debit, bacs_debit, acss_debit, au_becs_debit } = details;
  const bank = us_bank_account ?? sepa_debit ?? bacs_debit ?? acss_debit ?? au_becs_debit;
  return { brand: nameOf(card?.brand ?? type), last4: card?.last4 ?? bank?.last4 ?? '' };
}

function nameOf(code: string): string {
  const words = code.replaceAll('_', ' ');
  return NAMES[code] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
