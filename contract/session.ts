import * as v from 'valibot';

/** Stored in local storage under {@link TOKEN_STORAGE_KEY}. `access_expires_at`: seconds since the epoch (SES-01). */
export const TokenPair = v.object({
  access: v.pipe(v.string(), v.minLength(1)),
  refresh: v.pipe(v.string(), v.minLength(1)),
  access_expires_at: v.number(),
});
export type TokenPair = v.InferOutput<typeof TokenPair>;

export const TOKEN_STORAGE_KEY = 'jwt';

/** POST /api/v2/token/. The form checks this before it sends. */
export const SignInRequest = v.object({
  email: v.pipe(v.string(), v.trim(), v.nonEmpty('Please enter your e-mail address.')),
  password: v.pipe(v.string(), v.nonEmpty('Please enter your password.')),
});
export type SignInRequest = v.InferOutput<typeof SignInRequest>;

/** POST /api/v2/token/refresh/ and /token/invalidate/. */
export const RefreshRequest = v.object({ refresh: v.pipe(v.string(), v.minLength(1)) });
export type RefreshRequest = v.InferOutput<typeof RefreshRequest>;

/** POST /api/v2/token/verify/: 200 for a good access token, 401 otherwise. */
export const VerifyRequest = v.object({ token: v.pipe(v.string(), v.minLength(1)) });
export type VerifyRequest = v.InferOutput<typeof VerifyRequest>;

/** An answer without fields. */
export const Empty = v.object({});

export const CSRF_COOKIE = 'csrftoken';
export const CSRF_FIELD = 'csrfmiddlewaretoken';
export const CSRF_HEADER = 'x-csrftoken';

/** The header in which a page of the console sends its id, with its calls and when it opens its stream of events. */
export const PAGE_HEADER = 'x-page-id';
/** A random id of a page, new each time the page loads. No other page learns it. */
export const PageId = v.pipe(v.string(), v.regex(/^[A-Za-z0-9-]{16,64}$/));

/** Event that the page dispatches on `window` when a call ends the session (SES-06). */
export const UNAUTHENTICATED_EVENT = 'unauthenticated_api_call';
