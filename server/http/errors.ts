import type { ApiError, ReachedLimit, ValidationError } from '#contract/errors.ts';
import type { Context, ErrorHandler, NotFoundHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { isConflict, isDatabaseAway } from '../platform/db/away.ts';
import type { Log } from '../platform/log.ts';
import { isStorageAway, StorageError } from '../platform/storage/port.ts';
import type { Meters } from '../platform/telemetry/meters.ts';
import type { AppEnv } from './env.ts';

/** A refusal: thrown anywhere below a route, answered as {@link ApiError} with this HTTP status. `message` is shown to people. */
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
/** What the role forbids inside an own organization. The console never asks for it: a 403 ends its session (spec §4). */
export const permissionDenied = (): ApiProblem =>
  new ApiProblem(403, 'permission_denied', 'Your role in this organization does not allow this.');
/** Ends the console's session (spec §4): only for calls whose access token is missing or no longer good. */
export const unauthenticated = (
  message = 'Authentication credentials were not provided or are no longer valid.',
): ApiProblem => new ApiProblem(401, 'unauthenticated', message);
export const invalidRequest = (
  validationErrors: readonly ValidationError[] = [],
  message = 'Invalid request.',
): ApiProblem => new ApiProblem(400, 'invalid_request', message, validationErrors);
/** @param seconds until the next try can succeed. */
export const tooManyRequests = (
  seconds: number,
  message = 'Too many attempts. Please wait a moment and try again.',
  limit?: ReachedLimit,
): ApiProblem =>
  new ApiProblem(429, 'limit_exceeded', message, [], { 'retry-after': String(Math.max(1, Math.ceil(seconds))) }, limit);

/** Something is full; waiting alone does not help. */
export const limitReached = (message: string, limit?: ReachedLimit): ApiProblem =>
  new ApiProblem(429, 'limit_exceeded', message, [], {}, limit);

/** Where people read about a kind of error. */
type MoreInfo = (errorType: string) => string;

/** A foreign key refused a row: what it belongs to was deleted after it was looked up. */
const isDangling = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '23503';

/** The database had no room to write; the transaction is undone. */
const isDiskFull = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '53100';

/** The same request can succeed then, seconds. */
const AWAY_S = 5;

/** What the server needs does not answer just now. @param what with a capital letter */
export const unavailable = (what: string): ApiProblem =>
  later(`${what} does not answer just now. Please try again in a moment.`);

const later = (message: string): ApiProblem =>
  new ApiProblem(503, 'service_unavailable', message, [], { 'retry-after': String(AWAY_S) });

/** Two requests were in each other's way, and the database has undone this one. */
const beside = (): ApiProblem =>
  new ApiProblem(
    503,
    'service_unavailable',
    'Another request was in the way of this one. Nothing was changed. Please try again.',
    [],
    { 'retry-after': '1' },
  );

/** What would not be done before the server stops; another one may do it, or this one when it is back. */
export const aboutToStop = (): ApiProblem =>
  new ApiProblem(503, 'service_unavailable', 'The server is about to stop. Please try again in a moment.', [], {
    'retry-after': '1',
  });

/** Counts what a limit, a budget or a balance refused; without one, what came too often. */
export const countRefusal = (meters: Meters, limit: ReachedLimit | undefined): void =>
  meters.count('parlance_limit_refusals_total', { limit: limit?.name ?? 'attempts', of: limit?.of ?? 'client' });

/** Turns any failure into the answer's body; what is not ours stays in the log. */
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
    if (isConflict(error)) return answerProblem(c, beside(), moreInfo);
    if (isStorageAway(error)) return answerProblem(c, unavailable('The storage of recordings'), moreInfo);
    if (error instanceof StorageError)
      return answerProblem(
        c,
        // What cannot be found here may be there again once the operator has seen to it.
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

/** Unknown address, or a known one with another method. @param allowed methods that the path knows */
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
