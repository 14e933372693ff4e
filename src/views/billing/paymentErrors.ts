import type { PaymentError, PaymentErrorReason } from '#contract/payment-errors.ts';
import type { PaymentMethod } from '#contract/billing.ts';
import { formatAmount } from '../ui/figures.ts';
import { formatUtcMoment } from './days.ts';
import { methodName } from './money.ts';

const CHECK_STATEMENT =
  'Check your card statement first: a reset lets autopay charge again, at once if the balance is below your threshold.';

/** What happened, what to do about it, and the label of the reset button. */
const WORDS: Readonly<Record<PaymentErrorReason, { title: string; advice: string; reset: string }>> = {
  declined: {
    title: 'The last charge failed.',
    advice: "Autopay won't try again by itself.",
    reset: 'Reset and try again',
  },
  unknown: {
    title: "We're still waiting for an answer to the last charge.",
    advice: "We'll ask the provider again automatically. Reset the error to ask now.",
    reset: 'Reset and ask again',
  },
  silent: {
    title: 'A charge had no answer for 30 days.',
    advice: CHECK_STATEMENT,
    reset: 'Reset and charge again',
  },
  refunded: {
    title: 'Autopay has stopped after a refund.',
    advice: 'Reset the error to let autopay charge again. It charges at once if the balance is below your threshold.',
    reset: 'Reset and continue',
  },
  disputed: {
    title: 'Autopay has stopped after a dispute.',
    advice:
      'It resumes by itself if the payment is returned. Otherwise settle the dispute with your bank, then reset the error to let autopay charge again.',
    reset: 'Reset and continue',
  },
  mismatched: {
    title: "The last charge doesn't match what we asked for.",
    advice: CHECK_STATEMENT,
    reset: 'Reset and charge again',
  },
};

type Words = {
  text: string;
  /** Further reasons why autopay waits. */
  also: { key: string; at: string; message: string }[];
};

/** What a declined charge needs, by the screen that says it. */
const HELPS = {
  setup:
    'Replace the payment method, or add to the balance in the billing overview. To try again now, reset the error.',
  overview:
    'Add to the balance, or replace the payment method in Payment setup. To try again now, reset the error there.',
} as const;

export type ErrorPlace = {
  /** The screen that shows the error. */
  place: keyof typeof HELPS;
  /** The stored payment method, which could not be charged. */
  method: PaymentMethod | null;
  /** Whether the error came after a reset on this screen. */
  isRetried?: boolean;
};

/** The texts for a payment error, on every screen that shows it. */
export function wordsOf(error: PaymentError, { place, method, isRetried = false }: ErrorPlace): Words {
  const { why, message, at, amount_micros: amount, next_try_at, others } = error;
  const { advice } = WORDS[why];
  const charge =
    amount === null || method === null ? '' : `${formatAmount(amount)} could not be charged to ${methodName(method)}. `;
  const next = next_try_at === null ? advice : `Autopay tries again on ${formatUtcMoment(next_try_at)} UTC.`;
  const text = [
    isRetried && why === 'declined' ? `Tried again on ${formatUtcMoment(at)} UTC: ${message}` : `${charge}${message}`,
    next,
    ...(why === 'declined' ? [HELPS[place]] : []),
  ].join(' ');
  const also = others.map((other, index) => ({ key: `${other.at} ${index}`, at: other.at, message: other.message }));
  return { text, also };
}

export const titleOf = ({ why }: PaymentError): string => WORDS[why].title;
export const resetOf = ({ why }: PaymentError): string => WORDS[why].reset;
