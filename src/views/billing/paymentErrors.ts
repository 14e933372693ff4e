import type { PaymentError, PaymentErrorReason } from '#contract/billing.ts';
import { formatUtcMoment } from './days.ts';

const CHECK_STATEMENT =
  'Check your card statement first: a reset lets autopay charge again, at once if the balance is below your threshold.';

/** What happened, what to do about it, and the label of the reset button. */
const WORDS: Readonly<Record<PaymentErrorReason, { title: string; advice: string; reset: string }>> = {
  declined: {
    title: 'The last charge failed.',
    advice: "Autopay won't try again by itself. Replace the payment method, or reset the error to try again now.",
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
  title: string;
  text: string;
  reset: string;
  /** Further reasons why autopay waits. */
  also: { key: string; at: string; message: string }[];
};

/** The texts for a payment error, on every screen that shows it. */
export function wordsOf({ why, message, next_try_at, others }: PaymentError): Words {
  const { title, advice, reset } = WORDS[why];
  const next =
    next_try_at === null
      ? advice
      : `Autopay tries again on ${formatUtcMoment(next_try_at)} UTC. To try again now, reset the error in Payment setup.`;
  const also = others.map((other, index) => ({ key: `${other.at} ${index}`, at: other.at, message: other.message }));
  return { title, text: `${message} ${next}`, reset, also };
}
