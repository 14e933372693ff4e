/** The main API, row by row (spec §7). Every function rejects with a CallError, or with the reason of its signal. */
import * as v from 'valibot';
import { type ApiKeyCreate, ApiKeyCreated, ApiKeys } from '#contract/api-keys.ts';
import { Activation, type ActivationRequest, User, type VerifyEmailRequest } from '#contract/accounts.ts';
import { Memberships, type OrganizationCreate, OrganizationCreated, type ProjectCreate, ProjectCreated } from '#contract/organizations.ts';
import { CSRF_HEADER, Empty, type SignInRequest, TokenPair } from '#contract/session.ts';
import { createCaller } from './caller.ts';
import type { SessionPort } from './session.ts';

export type MainApiOptions = {
  /** Of the page; its origin answers the main API. */
  pageUrl: () => URL;
  supportEmail: string;
  csrfToken: () => string | null;
  /** Looked up per call: the session's actor starts after the effects are made. */
  session: SessionPort;
};

export type MainApi = ReturnType<typeof createMainApi>;

export function createMainApi({ pageUrl, supportEmail, csrfToken, session }: MainApiOptions) {
  const baseUrl = new URL('/api/v2/', pageUrl()).href;
  const csrf = () => {
    const token = csrfToken();
    return token === null ? {} : { [CSRF_HEADER]: token };
  };
  /** Waits until the session is decided, so that an expired pair is refreshed first (SES-04). */
  const call = createCaller({
    baseUrl,
    supportEmail,
    authorize: async (signal) => {
      const tokens = await session.tokens(signal);
      return tokens ? { headers: bearer(tokens.access), access: tokens.access } : { headers: csrf(), access: null };
    },
    onUnauthorized: (access) => session.refused(access),
  });
  /** For the calls by which the session decides: they wait for nothing, and a refusal is the session's own affair. */
  const callAs = (access: string | null) =>
    createCaller({
      baseUrl,
      supportEmail,
      authorize: () => ({ headers: { ...csrf(), ...(access === null ? {} : bearer(access)) }, access: null }),
      onUnauthorized: () => undefined,
    });
  type Signal = AbortSignal | undefined;

  return {
    signIn: (request: SignInRequest, signal?: Signal) => call('post', 'token/', { json: request, schema: TokenPair, signal }),
    /** Carries no access token: it may have expired, and the refresh token is the credential. */
    refresh: (refresh: string, signal?: Signal) => callAs(null)('post', 'token/refresh/', { json: { refresh }, schema: TokenPair, signal }),
    verify: (access: string, signal?: Signal) => callAs(access)('post', 'token/verify/', { json: { token: access }, schema: Empty, signal }),
    invalidate: ({ access, refresh }: { access: string | null; refresh: string }, signal?: Signal) =>
      callAs(access)('post', 'token/invalidate/', { json: { refresh }, schema: Empty, signal }),

    verifyEmail: (request: VerifyEmailRequest, signal?: Signal) => call('put', 'signup/verify-email/', { json: request, schema: Empty, signal }),
    readActivation: (token: string, signal?: Signal) => call('get', `signup/${segment(token)}/`, { schema: Activation, signal }),
    activate: (token: string, request: ActivationRequest, signal?: Signal) =>
      call('put', `signup/${segment(token)}/`, { json: request, schema: TokenPair, signal }),

    user: (signal?: Signal) => call('get', 'user/', { schema: User, signal }),
    organizations: (signal?: Signal) => call('get', 'user/organizations/', { schema: Memberships, signal }),
    createOrganization: (request: OrganizationCreate, signal?: Signal) =>
      call('post', 'organizations/', { json: request, schema: OrganizationCreated, signal }),
    apiKeys: (projectUuid: string, signal?: Signal) => call('get', keys(projectUuid), { schema: ApiKeys, signal }),
    createApiKey: (projectUuid: string, request: ApiKeyCreate, signal?: Signal) => call('post', keys(projectUuid), { json: request, schema: ApiKeyCreated, signal }),
    revokeApiKey: (projectUuid: string, keyUuid: string, signal?: Signal) => call('delete', `${keys(projectUuid)}${segment(keyUuid)}/`, { schema: v.unknown(), signal }),
    createProject: (orgUuid: string, request: ProjectCreate, signal?: Signal) =>
      call('post', `organizations/${segment(orgUuid)}/projects/`, { json: request, schema: ProjectCreated, signal }),
  };
}

const bearer = (access: string) => ({ authorization: `Bearer ${access}` });
const segment = encodeURIComponent;
const keys = (projectUuid: string) => `projects/${segment(projectUuid)}/api-keys/`;
