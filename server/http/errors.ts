import type { ApiError, ReachedLimit, ValidationError } from '#contract/errors.ts';
import type { Context, ErrorHandler, NotFoundHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { isConflict, isDatabaseAway } from '../platform/db/away.ts';
import type { Log } from '../platform/log.ts';
import { isStorageAway, StorageError } from '../platform/storage/port.ts';
import type { Meters } from '../platform/telemetry/meters.ts';
import type { AppEnv } from './env.ts';

/** An error that a route throws to answer {@link ApiError} with this HTTP status. `message` is shown to people. */
export class ApiProblem extends Error {
  readonly status: ContentfulStatusCode;
  readonly errorType: string;
  readonly validationErrors: readonly ValidationError[];
  readonly headers: Readonly<Record<string, string>>;
  readonly limit: ReachedLimit | undefined;
  constructor(
    status: ContentfulStatusCode,
    errorType: string,
    message: string,
    validationErrors: readonly ValidationError[] = [],
    headers: Readonly<Record<string, string>> = {},
    limit?: ReachedLimit,
  ) {
    super(message);
    this.name = 'ApiProblem';
    this.status = status;
    this.errorType = errorType;
    this.validationErrors = validationErrors;
    this.headers = headers;
    this.limit = limit;
  }
}

export const notFound = (what = 'Not found.'): ApiProblem => new ApiProblem(404, 'not_found', what);
/** The user's role forbids the call. The console never makes such a call, because a 403 ends its session (SES-06). */
export const permissionDenied = (): ApiProblem =>
  new ApiProblem(403, 'permission_denied', 'Your role in this organization does not allow this.');
/** The access token is missing or no longer valid. Use it for nothing else: it ends the console's session (SES-06). */
export const unauthenticated = (
  message = 'Authentication credentials were not provided or are no longer valid.',
): ApiProblem => new ApiProblem(401, 'unauthenticated', message);
export const invalidRequest = (
  validationErrors: readonly ValidationError[] = [],
  message = 'Invalid request.',
): ApiProblem => new ApiProblem(400, 'invalid_request', message, validationErrors);
/** @param seconds until the next try can succeed */
export const tooManyRequests = (
  seconds: number,
  message = 'Too many attempts. Please wait a moment and try again.',
  limit?: ReachedLimit,
): ApiProblem =>
  new ApiProblem(429, 'limit_exceeded', message, [], { 'retry-after': String(Math.max(1, Math.ceil(seconds))) }, limit);

/** A limit is reached, and waiting alone does not help. */
export const limitReached = (message: string, limit?: ReachedLimit): ApiProblem =>
  new ApiProblem(429, 'limit_exceeded', message, [], {}, limit);

/** The URL where people read about a type of error. */
type MoreInfo = (errorType: string) => string;

/** A foreign key refused a row: its parent was deleted after the look-up. */
const isDangling = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '23503';

/** The database has no room to write, and has rolled the transaction back. */
const isDiskFull = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '53100';

/** Time until the same request may succeed, seconds. */
const AWAY_S = 5;

/** A part that the server needs does not answer. @param what its name, with a capital letter */
export const unavailable = (what: string): ApiProblem =>
  later(`${what} does not answer just now. Please try again in a moment.`);

const later = (message: string): ApiProblem =>
  new ApiProblem(503, 'service_unavailable', message, [], { 'retry-after': String(AWAY_S) });

/** Two transactions conflicted, and the database has rolled this one back. */
const conflicted = (): ApiProblem =>
  new ApiProblem(
    503,
    'service_unavailable',
    'Another request conflicted with this one. Nothing was changed. Please try again.',
    [],
    { 'retry-after': '1' },
  );

/** The request would not end before the server stops. Another server may take it, or this one once it is back. */
export const aboutToStop = (): ApiProblem =>
  new ApiProblem(503, 'service_unavailable', 'The server is about to stop. Please try again in a moment.', [], {
    'retry-after': '1',
  });

/** Counts a refusal by a limit, budget or balance; undefined counts as too many attempts. */
export const countRefusal = (meters: Meters, limit: ReachedLimit | undefined): void =>
  meters.count('parlance_limit_refusals_total', { limit: limit?.name ?? 'attempts', of: limit?.of ?? 'client' });

/** Answers any error. Logs an error that is not an {@link ApiProblem}, and does not show its text. */
export function problemHandler(
  { log, meters }: { log: Log; meters: Meters },
  moreInfo: MoreInfo,
): ErrorHandler<AppEnv> {
  return (error, c) => {
    if (error instanceof ApiProblem) {
      if (error.limit !== undefined || error.status === 429) countRefusal(meters, error.limit);
      return answerProblem(c, error, moreInfo);
    }
    if (error instanceof HTTPException && error.status < 500)
      return answerProblem(c, new ApiProblem(400, 'invalid_request', error.message), moreInfo);
    if (isDangling(error)) return answerProblem(c, notFound('This was deleted in the meantime.'), moreInfo);
    log.error({ err: error, request_id: c.get('requestId') }, 'request failed');
    if (isDatabaseAway(error)) return answerProblem(c, unavailable('The database'), moreInfo);
    if (isConflict(error)) return answerProblem(c, conflicted(), moreInfo);
    if (isStorageAway(error)) return answerProblem(c, unavailable('The storage of recordings'), moreInfo);
    if (error instanceof StorageError)
      return answerProblem(
        c,
        // 503 for missing bytes, because the operator may bring them back.
        error.code === 'storage_full' ? new ApiProblem(500, 'storage_full', error.message) : later(error.message),
        moreInfo,
      );
    if (isDiskFull(error))
      return answerProblem(
        c,
        new ApiProblem(
          500,
          'internal_error',
          'The server has no space left to save this. Nothing was changed. Please try again later.',
        ),
        moreInfo,
      );
    return answerProblem(
      c,
      new ApiProblem(500, 'internal_error', 'Something went wrong on our side. Please try again later.'),
      moreInfo,
    );
  };
}

function answerProblem(c: Context<AppEnv>, problem: ApiProblem, moreInfo: MoreInfo): Response {
  const body: ApiError = {
    status_code: problem.status,
    error_type: problem.errorType,
    message: problem.message,
    validation_errors: [...problem.validationErrors],
    request_id: c.get('requestId'),
    more_info: moreInfo(problem.errorType),
    limit: problem.limit,
  };
  c.header('cache-control', 'no-store');
  for (const [name, value] of Object.entries(problem.headers)) c.header(name, value);
  return c.json(body, problem.status);
}

/** Answers 404, or 405 if the path has other methods. @param allowed gives the methods of a path */
export function unknownHandler(allowed: (path: string) => string[], moreInfo: MoreInfo): NotFoundHandler<AppEnv> {
  return (c) => {
    const methods = allowed(c.req.path);
    if (methods.length === 0) return answerProblem(c, notFound(), moreInfo);
    return answerProblem(
      c,
      new ApiProblem(405, 'method_not_allowed', `Method ${c.req.method} is not allowed here.`, [], {
        allow: methods.join(', '),
      }),
      moreInfo,
    );
  };
}
