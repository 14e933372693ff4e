// The charge of autopay that follows a reset of its error.
import type { PaymentAttempt } from '#contract/billing.ts';
import type { Paying } from './actors.ts';

type Followed = { paying: Paying | null; charge: PaymentAttempt | null };

/** Whether autopay charges now, or waits for the answer to a charge. */
export const isCharging = (attempt: PaymentAttempt | null): boolean =>
  attempt?.kind === 'autopay' && attempt.state === 'processing';

const lastOf = ({ paying }: Followed) => paying?.status.attempt ?? null;

/** The charge that was followed since the reset; null if it is not the last payment any more. */
export const chargeOf = (followed: Followed): PaymentAttempt | null => {
  const last = lastOf(followed);
  return last?.uuid === followed.charge?.uuid ? last : null;
};

/** Whether the charge waits for a later try: the last payment is none, or one from before it. */
export const isPutOff = (followed: Followed): boolean => {
  const { charge } = followed;
  const last = lastOf(followed);
  return charge !== null && (last === null || last.created_at < charge.created_at);
};
