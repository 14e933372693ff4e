import * as v from 'valibot';
import {
  Activation,
  ActivationRequest,
  PasswordResetRequest,
  Recovery,
  RecoveryRequest,
  VerifyEmailRequest,
} from '../accounts.ts';
import { Empty, TokenPair } from '../session.ts';
import { SsoSignUpRequest, SsoToken, SsoTokenRequest } from '../sso.ts';
import type { Row } from './route.ts';
import { SSO_ERRORS } from './shared.ts';

const token = { token: v.string() };
const link = { 400: ['token_used', 'token_expired'], 404: ['token_not_found'] };

export const finishSso = {
  method: 'post',
  path: '/api/v2/sso/token/',
  tag: 'SSO',
  summary: 'Sign in with the query with which the identity provider sent the browser back',
  access: 'csrf',
  body: { json: SsoTokenRequest },
  answers: { 200: SsoToken },
  errors: { ...SSO_ERRORS, 400: ['sso_attempt_invalid', 'sso_refused', 'sso_failed', 'email_not_verified'] },
} as const satisfies Row;

export const signUpBySso = {
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
} as const satisfies Row;

export const requestSignUp = {
  method: 'put',
  path: '/api/v2/signup/verify-email/',
  tag: 'Sign-up',
  summary: 'Ask for an activation e-mail',
  access: 'csrf',
  body: { json: VerifyEmailRequest },
  answers: { 200: Empty },
  errors: { 429: ['limit_exceeded'] },
} as const satisfies Row;

export const readActivation = {
  method: 'get',
  path: '/api/v2/signup/{token}/',
  tag: 'Sign-up',
  summary: 'Get the address of an activation link',
  access: 'none',
  params: token,
  answers: { 200: Activation },
  errors: link,
} as const satisfies Row;

export const activate = {
  method: 'put',
  path: '/api/v2/signup/{token}/',
  tag: 'Sign-up',
  summary: 'Set the password of a new account and sign in',
  access: 'csrf',
  params: token,
  body: { json: ActivationRequest },
  answers: { 200: TokenPair },
  errors: { ...link, 429: ['limit_exceeded'] },
} as const satisfies Row;

export const requestRecovery = {
  method: 'put',
  path: '/api/v2/user/password/recover/',
  tag: 'Password',
  summary: 'Ask for an e-mail with a link for a new password',
  access: 'csrf',
  body: { json: RecoveryRequest },
  answers: { 200: Empty },
  errors: { 429: ['limit_exceeded'] },
} as const satisfies Row;

export const readRecovery = {
  method: 'get',
  path: '/api/v2/user/password/{token}/',
  tag: 'Password',
  summary: 'Get the account of a password link',
  access: 'none',
  params: token,
  answers: { 200: Recovery },
  errors: link,
} as const satisfies Row;

export const resetPassword = {
  method: 'post',
  path: '/api/v2/user/password/{token}/',
  tag: 'Password',
  summary: 'Set a new password and sign in; every other session of the user ends',
  access: 'csrf',
  params: token,
  body: { json: PasswordResetRequest },
  answers: { 200: TokenPair },
  errors: { ...link, 429: ['limit_exceeded'] },
} as const satisfies Row;

/** Calls of people who are not signed in: for a new account, or a forgotten password. */
export const SIGN_UP_CALLS = {
  finishSso,
  signUpBySso,
  requestSignUp,
  readActivation,
  activate,
  requestRecovery,
  readRecovery,
  resetPassword,
};
