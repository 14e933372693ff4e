import type { PaymentAttempt } from '#contract/billing.ts';
import type { Failure } from '../../../shared/failure.ts';
import type { Route } from '../../../shared/route.ts';
import type { AttemptKind } from './actors.ts';

export type PaymentInput = {
  orgUuid: string;
  kind: AttemptKind;
  /** The attempt that the address names after the return from the provider's page. */
  attemptInAddress: string | null;
};

export type PaymentContext = PaymentInput & {
  /** The attempt that is begun or followed. */
  attempt: string | null;
  /** An attempt that has ended, not to be used again. */
  endedAttempt: string | null;
  amountMicros: number | null;
  url: string;
  /** The server's latest answer. */
  status: PaymentAttempt | null;
  /** Reads of the state since following began or was renewed. */
  reads: number;
  failure: Failure | null;
};

export const attemptIn = (route: Route): string | null => ('attempt' in route && route.attempt ? route.attempt : null);
export const attemptOf = ({ attempt }: PaymentContext): string => {
  if (attempt === null) throw new Error('There is no attempt.');
  return attempt;
};
export const attemptRef = (context: PaymentContext) => ({ orgUuid: context.orgUuid, attempt: attemptOf(context) });
export const wantedOf = ({ orgUuid, kind, amountMicros }: PaymentContext) => ({ orgUuid, kind, amountMicros });
