/** What is known of a call before its answer is read: that there is none, or that it came without rights. */
import { CallError } from '#machines/shared/failure.ts';

/** What is said where no source gives a text. */
export const fallbackMessage = (supportEmail: string): string =>
  `Something went wrong. Check your connection and try again. If the problem persists contact ${supportEmail}.`;

/** The failure behind a request that got no answer (ERR-02). */
export const unanswered = (kind: 'FETCH_ERROR' | 'TIMEOUT_ERROR', supportEmail: string): CallError =>
  new CallError({ message: fallbackMessage(supportEmail), kind });

/** Whether the server took the call for one without rights; that ends the session (SES-06). */
export const isUnauthorized = (status: number): boolean => status === 401 || status === 403;
