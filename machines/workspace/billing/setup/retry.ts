// The charge of autopay that follows a reset of its error.
import type { PaymentAttempt } from '#contract/billing.ts';
import type { Paying } from './actors.ts';

/** Whether autopay charges now, or waits for the answer to a charge. */
export const isCharging = (attempt: PaymentAttempt | null): boolean =>
  attempt?.kind === 'autopay' && attempt.state === 'processing';

/** The charge that was followed since the reset; null if it is not the last payment any more. */
export const chargeOf = ({ paying, retried }: { paying: Paying | null; retried: string | null }) =>
  paying?.status.attempt?.uuid === retried ? (paying?.status.attempt ?? null) : null;
