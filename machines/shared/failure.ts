import type { ReachedLimit } from '#contract/errors.ts';

/** What went wrong, as plain data fit for a context, the inspector and the screen. */
export type Failure = {
  /** Text for a person; server text is shown as text, never as markup. */
  message: string;
  /** `HTTP` is an answer outside 200–299; the others are the client's own kinds (ERR-02). */
  kind: 'HTTP' | 'FETCH_ERROR' | 'TIMEOUT_ERROR' | 'PARSING_ERROR' | 'OTHER';
  status?: number;
  /** The server's stable slug, where it sent one. */
  errorType?: string;
  /** What of money or limits refused it. */
  limit?: ReachedLimit;
  requestId?: string;
  /** What the server found wrong, where it said so; `location` is a dotted path whose end names a field. */
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

/** Whether the server refused what the person asked for, in its own words: nothing that its operator has to hear of (CON-22). */
export const isEveryday = ({ kind, status }: { kind?: Failure['kind']; status?: number }): boolean =>
  kind === 'HTTP' && status !== undefined && status < SERVER_ERROR;

const NOT_FOUND = 404;
const TOO_MANY = 429;

/** Whether an error says that something is not there: what was to be removed is, whoever did it. */
export const isGone = (error: unknown): boolean => toFailure(error).status === NOT_FOUND;

/** Whether the same call may succeed later: nothing answered, or the server was not able to. */
export function mayPass(error: unknown): boolean {
  const { kind, status = 0 } = toFailure(error);
  return (
    kind === 'FETCH_ERROR' ||
    kind === 'TIMEOUT_ERROR' ||
    (kind === 'HTTP' && (status === TOO_MANY || status >= SERVER_ERROR))
  );
}

const GENERIC_MESSAGE = 'Something went wrong.';

/** The failure behind anything thrown; never throws itself (ERR-07). */
export function toFailure(error: unknown): Failure {
  if (error instanceof CallError) return error.failure;
  return { message: error instanceof Error && error.message ? error.message : GENERIC_MESSAGE, kind: 'OTHER' };
}

/** What an action assigns that keeps why an actor failed, as a {@link Failure}; given the actor's error event. */
export const failureOf = (_: unknown, { error }: { error: unknown }): { failure: Failure } => ({
  failure: toFailure(error),
});
