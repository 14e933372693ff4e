import { RefreshRequest, SignInRequest, TokenPair, VerifyRequest, Empty } from '../session.ts';
import { SsoRedirect, SsoRedirectRequest } from '../sso.ts';
import type { Row } from './route.ts';
import { SSO_ERRORS } from './shared.ts';

export const signIn = {
  method: 'post',
  path: '/api/v2/token/',
  tag: 'Sessions',
  summary: 'Sign in',
  access: 'csrf',
  body: { json: SignInRequest },
  answers: { 200: TokenPair },
  errors: { 400: ['invalid_credentials'], 429: ['limit_exceeded'] },
} as const satisfies Row;

export const refreshSession = {
  method: 'post',
  path: '/api/v2/token/refresh/',
  tag: 'Sessions',
  summary: 'Exchange a refresh token for a new pair',
  access: 'csrf',
  body: { json: RefreshRequest },
  answers: { 200: TokenPair },
  errors: { 401: ['unauthenticated'], 429: ['limit_exceeded'] },
} as const satisfies Row;

export const verifyAccess = {
  method: 'post',
  path: '/api/v2/token/verify/',
  tag: 'Sessions',
  summary: 'Check an access token',
  access: 'csrf',
  body: { json: VerifyRequest },
  answers: { 200: Empty },
  errors: { 401: ['unauthenticated'] },
} as const satisfies Row;

export const signOut = {
  method: 'post',
  path: '/api/v2/token/invalidate/',
  tag: 'Sessions',
  summary: 'Sign out, which ends the session of the refresh token',
  access: 'csrf',
  body: { json: RefreshRequest },
  answers: { 200: Empty },
} as const satisfies Row;

export const beginSso = {
  method: 'post',
  path: '/api/v2/sso/redirect/',
  tag: 'SSO',
  summary: 'Begin a sign-in at the identity provider; a cookie binds it to this browser',
  access: 'csrf',
  body: { json: SsoRedirectRequest },
  answers: { 200: SsoRedirect },
  errors: SSO_ERRORS,
} as const satisfies Row;

/** What sign-in and every session need; the console has them from the start. */
export const SESSION_CALLS = {
  signIn,
  refreshSession,
  verifyAccess,
  signOut,
  beginSso,
};
