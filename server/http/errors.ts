import type { ApiError, ReachedLimit } from '#contract/errors.ts';
import type { Context, ErrorHandler, NotFoundHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { isConflict, isDatabaseAway } from '../platform/db/away.ts';
import type { Log } from '../platform/log.ts';
import { invalidRequest, notFound, Refusal, tryLater, unavailable, type RefusalKind } from '../platform/refusal.ts';
import { isStorageAway, StorageError } from '../platform/storage/port.ts';
import type { Meters } from '../platform/telemetry/meters.ts';
import type { AppEnv } from './env.ts';

/** The HTTP status of each kind of refusal; the live socket's error codes are the same. */
export const STATUS = {
  invalid: 400,
  unauthenticated: 401,
  unpaid: 402,
  forbidden: 403,
  not_found: 404,
  unknown_method: 405,
  timeout: 408,
  conflict: 409,
  too_large: 413,
  unknown_host: 421,
  limit: 429,
  failed: 500,
  unavailable: 503,
} as const satisfies Record<RefusalKind, ContentfulStatusCode>;

/** The URL where people read about a type of error. */
type MoreInfo = (errorType: string) => string;

/** A foreign key refused a row: its parent was deleted after the look-up. */
const isDangling = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '23503';

/** The database has no room to write, and has rolled the transaction back. */
const isDiskFull = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '53100';

/** Counts a refusal by a limit, budget or balance; undefined counts as too many attempts. */
export const countRefusal = (meters: Meters, limit: ReachedLimit | undefined): void =>
  meters.count('parlance_limit_refusals_total', { limit: limit?.name ?? 'attempts', of: limit?.of ?? 'client' });

/** Answers any error. Logs an error that is not a {@link Refusal}, and does not show its text. */
export function refusalHandler(
  { log, meters }: { log: Log; meters: Meters },
  moreInfo: MoreInfo,
): ErrorHandler<AppEnv> {
  return (error, c) => {
    const known = knownRefusal(error);
    if (known === undefined) log.error({ err: error, request_id: c.get('requestId') }, 'request failed');
    else if (known.limit !== undefined || known.kind === 'limit') countRefusal(meters, known.limit);
    return answerRefusal(c, refusalFor(error), moreInfo);
  };
}

/** The refusal that a client gets for any error. */
export const refusalFor = (error: unknown): Refusal => knownRefusal(error) ?? refusalOfFailure(error);

/** The refusal of an error that is no fault of the server. */
function knownRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof HTTPException && error.status < 500) return invalidRequest([], error.message);
  return isDangling(error) ? notFound('This was deleted in the meantime.') : undefined;
}

function refusalOfFailure(error: unknown): Refusal {
  if (isDatabaseAway(error)) return unavailable('The database');
  // The database has rolled this transaction back.
  if (isConflict(error))
    return tryLater('Another request conflicted with this one. Nothing was changed. Please try again.', 1);
  if (isStorageAway(error)) return unavailable('The storage of recordings');
  if (error instanceof StorageError)
    // Missing bytes are unavailable, because the operator may bring them back.
    return error.code === 'storage_full'
      ? new Refusal('failed', 'storage_full', error.message)
      : tryLater(error.message);
  return new Refusal(
    'failed',
    'internal_error',
    isDiskFull(error)
      ? 'The server has no space left to save this. Nothing was changed. Please try again later.'
      : 'Something went wrong on our side. Please try again later.',
  );
}

function answerRefusal(c: Context<AppEnv>, refusal: Refusal, moreInfo: MoreInfo): Response {
  const status = STATUS[refusal.kind];
  const body: ApiError = {
    status_code: status,
    error_type: refusal.type,
    message: refusal.message,
    validation_errors: [...refusal.fields],
    request_id: c.get('requestId'),
    more_info: moreInfo(refusal.type),
    limit: refusal.limit,
  };
  c.header('cache-control', 'no-store');
  if (refusal.retryAfterS !== undefined) c.header('retry-after', String(Math.max(1, Math.ceil(refusal.retryAfterS))));
  return c.json(body, status);
}

/** Answers 404, or 405 if the path has other methods. @param allowed gives the methods of a path */
export function noRouteHandler(allowed: (path: string) => string[], moreInfo: MoreInfo): NotFoundHandler<AppEnv> {
  return (c) => {
    const methods = allowed(c.req.path);
    if (methods.length === 0) return answerRefusal(c, notFound(), moreInfo);
    c.header('allow', methods.join(', '));
    const words = `Method ${c.req.method} is not allowed here.`;
    return answerRefusal(c, new Refusal('unknown_method', 'method_not_allowed', words), moreInfo);
  };
}
