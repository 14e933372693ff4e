/** Calls of the main API for sign-in and session; part of every page's first file. */
import { Empty, type SignInRequest, TokenPair } from '#contract/session.ts';
import { SsoRedirect, type SsoRedirectRequest } from '#contract/sso.ts';
import type { MainCaller } from '../http/mainCaller.ts';

export type SessionApi = ReturnType<typeof createSessionApi>;

export function createSessionApi({ call, callAs }: MainCaller) {
  type Signal = AbortSignal | undefined;
  return {
    signIn: (request: SignInRequest, signal?: Signal) =>
      call('post', 'token/', { json: request, schema: TokenPair, signal }),
    /** Without the access token, which may have expired: the refresh token is the credential. */
    refresh: (refresh: string, signal?: Signal) =>
      callAs(null)('post', 'token/refresh/', { json: { refresh }, schema: TokenPair, signal }),
    verify: (access: string, signal?: Signal) =>
      callAs(access)('post', 'token/verify/', { json: { token: access }, schema: Empty, signal }),
    invalidate: ({ access, refresh }: { access: string | null; refresh: string }, signal?: Signal) =>
      callAs(access)('post', 'token/invalidate/', { json: { refresh }, schema: Empty, signal }),
    ssoRedirect: (request: SsoRedirectRequest, signal?: Signal) =>
      call('post', 'sso/redirect/', { json: request, schema: SsoRedirect, signal }),
  };
}
