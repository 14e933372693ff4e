import * as v from 'valibot';
import { Activation, ActivationRequest, PasswordChange, PasswordResetRequest, Recovery, RecoveryRequest, User, UserUpdate, VerifyEmailRequest } from '../accounts.ts';
import { ConsoleEvent } from '../events.ts';
import { Memberships } from '../organizations.ts';
import { Empty, RefreshRequest, SignInRequest, TokenPair, VerifyRequest } from '../session.ts';
import { ORGANIZATION_API } from './organizations.ts';
import { SsoRedirect, SsoRedirectRequest, SsoSignUpRequest, SsoToken, SsoTokenRequest } from '../sso.ts';
import type { ApiRoute } from './route.ts';

const token = { token: v.string() };
const link = { 400: ['token_used', 'token_expired'], 404: ['token_not_found'] };
const sso = { 404: ['sso_not_configured'], 429: ['limit_exceeded'], 503: ['sso_unavailable'] };

/** The main API (spec §7): what the console calls for accounts, organizations and projects. */
export const MAIN_API: readonly ApiRoute[] = [
  { method: 'post', path: '/api/v2/token/', id: 'signIn', tag: 'Sessions', summary: 'Sign in', access: 'csrf', body: { json: SignInRequest }, answers: { 200: TokenPair }, errors: { 400: ['invalid_credentials'], 429: ['limit_exceeded'] } },
  { method: 'post', path: '/api/v2/token/refresh/', id: 'refreshSession', tag: 'Sessions', summary: 'Exchange a refresh token for a new pair', access: 'csrf', body: { json: RefreshRequest }, answers: { 200: TokenPair }, errors: { 401: ['unauthenticated'], 429: ['limit_exceeded'] } },
  { method: 'post', path: '/api/v2/token/verify/', id: 'verifyAccess', tag: 'Sessions', summary: 'Check an access token', access: 'csrf', body: { json: VerifyRequest }, answers: { 200: Empty }, errors: { 401: ['unauthenticated'] } },
  { method: 'post', path: '/api/v2/token/invalidate/', id: 'signOut', tag: 'Sessions', summary: 'Sign out: end the session of a refresh token', access: 'csrf', body: { json: RefreshRequest }, answers: { 200: Empty } },

  { method: 'post', path: '/api/v2/sso/redirect/', id: 'beginSso', tag: 'SSO', summary: 'Begin a sign-in at the identity provider; sets the cookie that binds it to this browser', access: 'csrf', body: { json: SsoRedirectRequest }, answers: { 200: SsoRedirect }, errors: sso },
  { method: 'post', path: '/api/v2/sso/token/', id: 'finishSso', tag: 'SSO', summary: 'Sign in by the query that the identity provider sent the browser back with', access: 'csrf', body: { json: SsoTokenRequest }, answers: { 200: SsoToken }, errors: { ...sso, 400: ['sso_attempt_invalid', 'sso_refused', 'sso_failed', 'email_not_verified'] } },
  { method: 'post', path: '/api/v2/sso/signup/', id: 'signUpBySso', tag: 'SSO', summary: 'Make the account of somebody new and sign in', access: 'csrf', body: { json: SsoSignUpRequest }, answers: { 200: TokenPair }, errors: { 400: ['token_used', 'token_expired'], 404: ['sso_not_configured', 'token_not_found'], 429: ['limit_exceeded'] } },

  { method: 'put', path: '/api/v2/signup/verify-email/', id: 'requestSignUp', tag: 'Sign-up', summary: 'Ask for an activation e-mail', access: 'csrf', body: { json: VerifyEmailRequest }, answers: { 200: Empty }, errors: { 429: ['limit_exceeded'] } },
  { method: 'get', path: '/api/v2/signup/{token}/', id: 'readActivation', tag: 'Sign-up', summary: 'Whom an activation link is for', access: 'none', params: token, answers: { 200: Activation }, errors: link },
  { method: 'put', path: '/api/v2/signup/{token}/', id: 'activate', tag: 'Sign-up', summary: 'Set the password of a new account and sign in', access: 'csrf', params: token, body: { json: ActivationRequest }, answers: { 200: TokenPair }, errors: { ...link, 429: ['limit_exceeded'] } },

  { method: 'put', path: '/api/v2/user/password/recover/', id: 'requestRecovery', tag: 'Password', summary: 'Ask for an e-mail with a link for a new password', access: 'csrf', body: { json: RecoveryRequest }, answers: { 200: Empty }, errors: { 429: ['limit_exceeded'] } },
  { method: 'get', path: '/api/v2/user/password/{token}/', id: 'readRecovery', tag: 'Password', summary: 'Whose password a link sets', access: 'none', params: token, answers: { 200: Recovery }, errors: link },
  { method: 'post', path: '/api/v2/user/password/{token}/', id: 'resetPassword', tag: 'Password', summary: 'Set a new password and sign in; every other session of the user ends', access: 'csrf', params: token, body: { json: PasswordResetRequest }, answers: { 200: TokenPair }, errors: { ...link, 429: ['limit_exceeded'] } },
  { method: 'put', path: '/api/v2/user/password/', id: 'changePassword', tag: 'Password', summary: 'Change the password; the user\'s other sessions end', access: 'bearer', body: { json: PasswordChange }, answers: { 200: Empty }, errors: { 400: ['invalid_credentials'], 429: ['limit_exceeded'] } },

  { method: 'get', path: '/api/v2/user/', id: 'readUser', tag: 'User', summary: 'The signed-in user', access: 'bearer', answers: { 200: User } },
  { method: 'put', path: '/api/v2/user/', id: 'updateUser', tag: 'User', summary: 'Change the profile of the signed-in user', access: 'bearer', body: { json: UserUpdate }, answers: { 200: User } },
  { method: 'get', path: '/api/v2/user/organizations/', id: 'listMemberships', tag: 'User', summary: 'Organizations and projects of the signed-in user', access: 'bearer', answers: { 200: Memberships } },
  { method: 'get', path: '/api/v2/events/', id: 'followEvents', tag: 'User', summary: 'What changes for the signed-in user, as a stream of server-sent events. It begins with `resync`, ends with its access token or its session, and sends a comment when nothing happens', access: 'bearer', answers: { 200: { events: ConsoleEvent } }, errors: { 429: ['limit_exceeded'] } },

  ...ORGANIZATION_API,
];
