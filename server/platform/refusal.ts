/**
 * Refusals: what rules throw, whoever has asked. `server/http/errors.ts` answers them over HTTP, the live socket sends
 * them as an error frame (`server/speech-api/live/refusal.ts`), and a program of the operator prints their message. A
 * job tries again unless its handler knows that the same refusal would come.
 */
import type { ReachedLimit, ValidationError } from '#contract/errors.ts';

/** Why the server refuses. */
export type RefusalKind =
  | 'invalid'
  | 'unauthenticated'
  /** A budget or the balance is used up. */
  | 'unpaid'
  | 'forbidden'
  | 'not_found'
  | 'unknown_method'
  /** The client was too slow. */
  | 'timeout'
  | 'conflict'
  | 'too_large'
  | 'unknown_host'
  | 'limit'
  | 'failed'
  | 'unavailable';

interface About {
  /** The wrong fields of the request. */
  fields?: readonly ValidationError[];
  /** Time until the next try can succeed, seconds. */
  retryAfterS?: number | undefined;
  /** The limit, budget or balance that refuses. */
  limit?: ReachedLimit | undefined;
}

/** A request that the server refuses. `message` is shown to people. */
export class Refusal extends Error {
  readonly kind: RefusalKind;
  /** The `error_type` of the APIs. */
  readonly type: string;
  readonly fields: readonly ValidationError[];
  readonly retryAfterS: number | undefined;
  readonly limit: ReachedLimit | undefined;
  constructor(kind: RefusalKind, type: string, message: string, { fields = [], retryAfterS, limit }: About = {}) {
    super(message);
    this.name = 'Refusal';
    this.kind = kind;
    this.type = type;
    this.fields = fields;
    this.retryAfterS = retryAfterS;
    this.limit = limit;
  }
}

export const notFound = (what = 'Not found.'): Refusal => new Refusal('not_found', 'not_found', what);
/** The user's role forbids the call. The console never makes such a call, because a 403 ends its session (SES-06). */
export const permissionDenied = (): Refusal =>
  new Refusal('forbidden', 'permission_denied', 'Your role in this organization does not allow this.');
/** The access token is missing or no longer valid. Use it for nothing else: it ends the console's session (SES-06). */
export const unauthenticated = (
  message = 'Authentication credentials were not provided or are no longer valid.',
): Refusal => new Refusal('unauthenticated', 'unauthenticated', message);
export const invalidRequest = (fields: readonly ValidationError[] = [], message = 'Invalid request.'): Refusal =>
  new Refusal('invalid', 'invalid_request', message, { fields });
/** @param retryAfterS until the next try can succeed */
export const tooManyRequests = (
  retryAfterS: number,
  message = 'Too many attempts. Please wait a moment and try again.',
): Refusal => new Refusal('limit', 'limit_exceeded', message, { retryAfterS });
/** A limit is reached, and waiting alone does not help. */
export const limitReached = (message: string): Refusal => new Refusal('limit', 'limit_exceeded', message);

/** Time until a part that does not answer may be back, seconds. */
const AWAY_S = 5;

export const tryLater = (message: string, retryAfterS = AWAY_S): Refusal =>
  new Refusal('unavailable', 'service_unavailable', message, { retryAfterS });
/** A part that the server needs does not answer. @param what its name, with a capital letter */
export const unavailable = (what: string): Refusal =>
  tryLater(`${what} does not answer just now. Please try again in a moment.`);
/** The request would not end before the server stops. Another server may take it, or this one once it is back. */
export const aboutToStop = (): Refusal => tryLater('The server is about to stop. Please try again in a moment.', 1);
