/** Judges a call before the body of its answer is read: it got no answer, or one of 401 or 403. */
import { CallError } from '#machines/shared/failure.ts';

/** The text of a failure for which neither the server nor the browser gives one. */
export const fallbackMessage = (supportEmail: string): string =>
  `Something went wrong. Check your connection and try again. If the problem persists contact ${supportEmail}.`;

/** The error of a request that got no answer (ERR-02). */
export const unanswered = (kind: 'FETCH_ERROR' | 'TIMEOUT_ERROR', supportEmail: string): CallError =>
  new CallError({ message: fallbackMessage(supportEmail), kind });

/** Whether the server refused the access token; that ends the session (SES-06). */
export const isUnauthorized = (status: number): boolean => status === 401 || status === 403;
