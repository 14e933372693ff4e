import type { PaymentError, PaymentErrorReason } from '#contract/billing.ts';
import { formatUtcMoment } from './days.ts';

/** What has happened, what there is to do about it, and the button that does. */
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
  refunded: {
    title: 'Autopay has stopped after a refund.',
    advice: 'Reset the error to let autopay charge again. It charges at once if the balance is below your threshold.',
    reset: 'Reset and continue',
  },
  disputed: {
    title: 'Autopay has stopped after a dispute.',
    advice:
      'It resumes by itself if the payment is returned. Otherwise settle the dispute with your bank, then reset the error or set up another payment method to let autopay charge again.',
    reset: 'Reset and continue',
  },
  mismatched: {
    title: "The last charge doesn't match what we asked for.",
    advice:
      'Check your card statement first: a reset lets autopay charge again, at once if the balance is below your threshold.',
    reset: 'Reset and charge again',
  },
};

/** An error of payments in words, for every screen that shows it. */
export function wordsOf({ why, message, next_try_at }: PaymentError): { title: string; text: string; reset: string } {
  const { title, advice, reset } = WORDS[why];
  const next =
    next_try_at === null
      ? advice
      : `Autopay tries again on ${formatUtcMoment(next_try_at)} UTC. To try again now, reset the error in Payment setup.`;
  return { title, text: `${message} ${next}`, reset };
}
