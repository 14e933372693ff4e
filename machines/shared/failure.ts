import type { ReachedLimit } from '#contract/errors.ts';

/** Why a call failed, as plain data for contexts, the inspector and the screen. */
export type Failure = {
  /** Shown to the person as plain text, never as markup; may come from the server. */
  message: string;
  /** `HTTP` is an answer with a status outside 200–299; the others arise in the client (ERR-02). */
  kind: 'HTTP' | 'FETCH_ERROR' | 'TIMEOUT_ERROR' | 'PARSING_ERROR' | 'OTHER';
  status?: number;
  /** The server's stable error code, if it sent one. */
  errorType?: string;
  /** The limit or lack of funds that made the server refuse. */
  limit?: ReachedLimit;
  requestId?: string;
  /** Fields that the server refused; `location` is a dotted path that ends with the field's name. */
  problems?: readonly { location: string; message: string }[];
};

/** The error that effects reject with; carries the plain {@link Failure}. */
export class CallError extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.name = 'CallError';
    this.failure = failure;
  }
}

const SERVER_ERROR = 500;

/** Whether the server refused a request with a status below 500, which its operator need not hear of (CON-22). */
export const isEveryday = ({ kind, status }: { kind?: Failure['kind']; status?: number }): boolean =>
  kind === 'HTTP' && status !== undefined && status < SERVER_ERROR;

const NOT_FOUND = 404;
const TOO_MANY = 429;

/** Whether a call failed with 404. A removal then counts as done: somebody else removed the thing. */
export const isGone = (error: unknown): boolean => toFailure(error).status === NOT_FOUND;

/** Whether the same call may succeed later: after a network error, a timeout, a 429 or a 5xx. */
export function mayPass(error: unknown): boolean {
  const { kind, status = 0 } = toFailure(error);
  return (
    kind === 'FETCH_ERROR' ||
    kind === 'TIMEOUT_ERROR' ||
    (kind === 'HTTP' && (status === TOO_MANY || status >= SERVER_ERROR))
  );
}

const GENERIC_MESSAGE = 'Something went wrong.';

/** The {@link Failure} of anything thrown; never throws itself (ERR-07). */
export function toFailure(error: unknown): Failure {
  if (error instanceof CallError) return error.failure;
  return { message: error instanceof Error && error.message ? error.message : GENERIC_MESSAGE, kind: 'OTHER' };
}

/** For `assign`: keeps the error of an actor's error event as `failure`. */
export const failureOf = (_: unknown, { error }: { error: unknown }): { failure: Failure } => ({
  failure: toFailure(error),
});
