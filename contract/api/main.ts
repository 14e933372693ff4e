import * as v from 'valibot';
import { Activation, ActivationRequest, User, VerifyEmailRequest } from '../accounts.ts';
import { ApiKeyCreate, ApiKeyCreated, ApiKeys } from '../api-keys.ts';
import { Memberships, OrganizationCreate, OrganizationCreated, ProjectCreate, ProjectCreated } from '../organizations.ts';
import { Empty, RefreshRequest, SignInRequest, TokenPair, VerifyRequest } from '../session.ts';
import type { ApiRoute } from './route.ts';

const token = { token: v.string() };
const link = { 400: ['token_used', 'token_expired'], 404: ['token_not_found'] };
/** What the role forbids, and what is not there or another's. */
const managed = { 403: ['permission_denied'], 404: ['not_found'] };

/** The main API (spec §7): what the console calls for accounts, organizations and projects. */
export const MAIN_API: readonly ApiRoute[] = [
  { method: 'post', path: '/api/v2/token/', id: 'signIn', tag: 'Sessions', summary: 'Sign in', access: 'csrf', body: { json: SignInRequest }, answers: { 200: TokenPair }, errors: { 400: ['invalid_credentials'], 429: ['limit_exceeded'] } },
  { method: 'post', path: '/api/v2/token/refresh/', id: 'refreshSession', tag: 'Sessions', summary: 'Exchange a refresh token for a new pair', access: 'csrf', body: { json: RefreshRequest }, answers: { 200: TokenPair }, errors: { 401: ['unauthenticated'] } },
  { method: 'post', path: '/api/v2/token/verify/', id: 'verifyAccess', tag: 'Sessions', summary: 'Check an access token', access: 'csrf', body: { json: VerifyRequest }, answers: { 200: Empty }, errors: { 401: ['unauthenticated'] } },
  { method: 'post', path: '/api/v2/token/invalidate/', id: 'signOut', tag: 'Sessions', summary: 'Sign out: end the session of a refresh token', access: 'csrf', body: { json: RefreshRequest }, answers: { 200: Empty } },

  { method: 'put', path: '/api/v2/signup/verify-email/', id: 'requestSignUp', tag: 'Sign-up', summary: 'Ask for an activation e-mail', access: 'csrf', body: { json: VerifyEmailRequest }, answers: { 200: Empty }, errors: { 429: ['limit_exceeded'] } },
  { method: 'get', path: '/api/v2/signup/{token}/', id: 'readActivation', tag: 'Sign-up', summary: 'Whom an activation link is for', access: 'none', params: token, answers: { 200: Activation }, errors: link },
  { method: 'put', path: '/api/v2/signup/{token}/', id: 'activate', tag: 'Sign-up', summary: 'Set the password of a new account and sign in', access: 'csrf', params: token, body: { json: ActivationRequest }, answers: { 200: TokenPair }, errors: link },

  { method: 'get', path: '/api/v2/user/', id: 'readUser', tag: 'User', summary: 'The signed-in user', access: 'bearer', answers: { 200: User } },
  { method: 'get', path: '/api/v2/user/organizations/', id: 'listMemberships', tag: 'User', summary: 'Organizations and projects of the signed-in user', access: 'bearer', answers: { 200: Memberships } },

  { method: 'post', path: '/api/v2/organizations/', id: 'createOrganization', tag: 'Organizations', summary: 'Create an organization', access: 'bearer', body: { json: OrganizationCreate }, answers: { 201: OrganizationCreated } },
  { method: 'post', path: '/api/v2/organizations/{organization}/projects/', id: 'createProject', tag: 'Projects', summary: 'Create a project', access: 'bearer', body: { json: ProjectCreate }, answers: { 201: ProjectCreated }, errors: { 404: ['not_found'] } },

  { method: 'get', path: '/api/v2/projects/{project}/api-keys/', id: 'listApiKeys', tag: 'API keys', summary: 'API keys of a project', access: 'bearer', answers: { 200: ApiKeys }, errors: managed },
  { method: 'post', path: '/api/v2/projects/{project}/api-keys/', id: 'createApiKey', tag: 'API keys', summary: 'Make an API key; only this answer holds it', access: 'bearer', body: { json: ApiKeyCreate }, answers: { 201: ApiKeyCreated }, errors: managed },
  { method: 'delete', path: '/api/v2/projects/{project}/api-keys/{key}/', id: 'revokeApiKey', tag: 'API keys', summary: 'Revoke an API key', access: 'bearer', answers: { 204: 'nothing' }, errors: managed },
];
