import * as v from 'valibot';
import {
  AccountDeletion,
  AccountDeletionCheck,
  Activation,
  ActivationRequest,
  PasswordChange,
  PasswordResetRequest,
  Recovery,
  RecoveryRequest,
  User,
  UserUpdate,
  VerifyEmailRequest,
} from '../accounts.ts';
import { ConsoleEvent } from '../events.ts';
import { Memberships, Welcome } from '../organizations.ts';
import { Empty, RefreshRequest, SignInRequest, TokenPair, VerifyRequest } from '../session.ts';
import { BILLING_CALLS } from './billing.ts';
import { LIMIT_CALLS } from './limits.ts';
import { MEMBER_CALLS } from './members.ts';
import { ORGANIZATION_CALLS } from './organizations.ts';
import { PROJECT_CALLS } from './projects.ts';
import { WEBHOOK_CALLS } from './webhooks.ts';
import { SsoRedirect, SsoRedirectRequest, SsoSignUpRequest, SsoToken, SsoTokenRequest } from '../sso.ts';
import { rowsOf, type ApiRoute, type Rows } from './route.ts';

const token = { token: v.string() };
const link = { 400: ['token_used', 'token_expired'], 404: ['token_not_found'] };
const sso = { 404: ['sso_not_configured'], 429: ['limit_exceeded'], 503: ['sso_unavailable'] };

/** Sessions, accounts, and what concerns the signed-in user (spec §7). */
export const ACCOUNT_CALLS = {
  signIn: {
    method: 'post',
    path: '/api/v2/token/',
    tag: 'Sessions',
    summary: 'Sign in',
    access: 'csrf',
    body: { json: SignInRequest },
    answers: { 200: TokenPair },
    errors: { 400: ['invalid_credentials'], 429: ['limit_exceeded'] },
  },
  refreshSession: {
    method: 'post',
    path: '/api/v2/token/refresh/',
    tag: 'Sessions',
    summary: 'Exchange a refresh token for a new pair',
    access: 'csrf',
    body: { json: RefreshRequest },
    answers: { 200: TokenPair },
    errors: { 401: ['unauthenticated'], 429: ['limit_exceeded'] },
  },
  verifyAccess: {
    method: 'post',
    path: '/api/v2/token/verify/',
    tag: 'Sessions',
    summary: 'Check an access token',
    access: 'csrf',
    body: { json: VerifyRequest },
    answers: { 200: Empty },
    errors: { 401: ['unauthenticated'] },
  },
  signOut: {
    method: 'post',
    path: '/api/v2/token/invalidate/',
    tag: 'Sessions',
    summary: 'Sign out, which ends the session of the refresh token',
    access: 'csrf',
    body: { json: RefreshRequest },
    answers: { 200: Empty },
  },

  beginSso: {
    method: 'post',
    path: '/api/v2/sso/redirect/',
    tag: 'SSO',
    summary: 'Begin a sign-in at the identity provider; a cookie binds it to this browser',
    access: 'csrf',
    body: { json: SsoRedirectRequest },
    answers: { 200: SsoRedirect },
    errors: sso,
  },
  finishSso: {
    method: 'post',
    path: '/api/v2/sso/token/',
    tag: 'SSO',
    summary: 'Sign in with the query with which the identity provider sent the browser back',
    access: 'csrf',
    body: { json: SsoTokenRequest },
    answers: { 200: SsoToken },
    errors: { ...sso, 400: ['sso_attempt_invalid', 'sso_refused', 'sso_failed', 'email_not_verified'] },
  },
  signUpBySso: {
    method: 'post',
    path: '/api/v2/sso/signup/',
    tag: 'SSO',
    summary: 'Create the account of a new person and sign in',
    access: 'csrf',
    body: { json: SsoSignUpRequest },
    answers: { 200: TokenPair },
    errors: {
      400: ['token_used', 'token_expired'],
      404: ['sso_not_configured', 'token_not_found'],
      429: ['limit_exceeded'],
    },
  },

  requestSignUp: {
    method: 'put',
    path: '/api/v2/signup/verify-email/',
    tag: 'Sign-up',
    summary: 'Ask for an activation e-mail',
    access: 'csrf',
    body: { json: VerifyEmailRequest },
    answers: { 200: Empty },
    errors: { 429: ['limit_exceeded'] },
  },
  readActivation: {
    method: 'get',
    path: '/api/v2/signup/{token}/',
    tag: 'Sign-up',
    summary: 'Get the address of an activation link',
    access: 'none',
    params: token,
    answers: { 200: Activation },
    errors: link,
  },
  activate: {
    method: 'put',
    path: '/api/v2/signup/{token}/',
    tag: 'Sign-up',
    summary: 'Set the password of a new account and sign in',
    access: 'csrf',
    params: token,
    body: { json: ActivationRequest },
    answers: { 200: TokenPair },
    errors: { ...link, 429: ['limit_exceeded'] },
  },

  requestRecovery: {
    method: 'put',
    path: '/api/v2/user/password/recover/',
    tag: 'Password',
    summary: 'Ask for an e-mail with a link for a new password',
    access: 'csrf',
    body: { json: RecoveryRequest },
    answers: { 200: Empty },
    errors: { 429: ['limit_exceeded'] },
  },
  readRecovery: {
    method: 'get',
    path: '/api/v2/user/password/{token}/',
    tag: 'Password',
    summary: 'Get the account of a password link',
    access: 'none',
    params: token,
    answers: { 200: Recovery },
    errors: link,
  },
  resetPassword: {
    method: 'post',
    path: '/api/v2/user/password/{token}/',
    tag: 'Password',
    summary: 'Set a new password and sign in; every other session of the user ends',
    access: 'csrf',
    params: token,
    body: { json: PasswordResetRequest },
    answers: { 200: TokenPair },
    errors: { ...link, 429: ['limit_exceeded'] },
  },
  changePassword: {
    method: 'put',
    path: '/api/v2/user/password/',
    tag: 'Password',
    summary: "Change the password; the user's other sessions end",
    access: 'bearer',
    body: { json: PasswordChange },
    answers: { 200: Empty },
    errors: { 400: ['invalid_credentials'], 429: ['limit_exceeded'] },
  },

  readUser: {
    method: 'get',
    path: '/api/v2/user/',
    tag: 'User',
    summary: 'Get the signed-in user',
    access: 'bearer',
    answers: { 200: User },
  },
  updateUser: {
    method: 'put',
    path: '/api/v2/user/',
    tag: 'User',
    summary: 'Update the profile of the signed-in user',
    access: 'bearer',
    body: { json: UserUpdate },
    answers: { 200: User },
  },
  checkAccountDeletion: {
    method: 'get',
    path: '/api/v2/user/deletion/',
    tag: 'User',
    summary: "Get what prevents the account's deletion, and what the deletion ends",
    access: 'bearer',
    answers: { 200: AccountDeletionCheck },
  },
  deleteAccount: {
    method: 'post',
    path: '/api/v2/user/deletion/',
    tag: 'User',
    summary: 'Delete the account of the signed-in user',
    description:
      'Ends memberships, sessions, and API keys that the user made in their organizations at once. Removes personal data; logs and usage keep `Deleted person` with the start of the id.',
    access: 'bearer',
    body: { json: AccountDeletion },
    answers: { 204: 'nothing' },
    errors: { 400: ['invalid_credentials', 'sign_in_again', 'last_owner'], 429: ['limit_exceeded'] },
  },
  exportAccount: {
    method: 'get',
    path: '/api/v2/user/export/',
    tag: 'User',
    summary: 'Download the data of the signed-in user',
    description:
      'One ZIP archive; its README.txt lists what it contains and what it leaves out. If the server fails while it writes the archive, the download breaks off.',
    access: 'bearer',
    answers: { 200: 'bytes' },
    errors: { 429: ['limit_exceeded'] },
  },
  listMemberships: {
    method: 'get',
    path: '/api/v2/user/organizations/',
    tag: 'User',
    summary: 'List organizations and projects of the signed-in user',
    access: 'bearer',
    answers: { 200: Memberships },
  },
  welcomeUser: {
    method: 'post',
    path: '/api/v2/user/welcome/',
    tag: 'User',
    summary: 'Create the first organization and project of a new account',
    access: 'bearer',
    answers: { 200: Welcome },
  },
  followEvents: {
    method: 'get',
    path: '/api/v2/events/',
    tag: 'User',
    summary: 'Stream changes',
    description:
      'Changes that concern the signed-in user, as server-sent events. The stream begins with `resync`, has a comment when nothing happens, and ends with the access token or the session.',
    access: 'bearer',
    answers: { 200: { events: ConsoleEvent } },
    errors: { 429: ['limit_exceeded'] },
  },
} as const satisfies Rows;

/** The main API (spec §7): what the console calls for accounts, organizations and projects. */
export const MAIN_API: readonly ApiRoute[] = rowsOf({
  ...ACCOUNT_CALLS,
  ...ORGANIZATION_CALLS,
  ...MEMBER_CALLS,
  ...PROJECT_CALLS,
  ...WEBHOOK_CALLS,
  ...BILLING_CALLS,
  ...LIMIT_CALLS,
});
