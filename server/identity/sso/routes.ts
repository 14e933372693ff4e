import { ACCOUNT_CALLS } from '#contract/api/main.ts';
import type { TokenPair } from '#contract/session.ts';
import {
  SsoRedirectRequest,
  SsoSignUpRequest,
  SsoTokenRequest,
  type SsoRedirect,
  type SsoToken,
} from '#contract/sso.ts';
import type { Context, Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { newToken, openSession } from '../accounts/sessions.ts';
import type { Services } from '../../platform/context.ts';
import { Calls } from '../../http/calls.ts';
import { peerOf } from '../../http/client-address.ts';
import type { AppEnv } from '../../http/env.ts';
import { Refusal } from '../../platform/refusal.ts';
import { countCall, type Rate } from '../../platform/rate-limit.ts';
import { readJson } from '../../http/validate.ts';
import { keepAttempt, takeAttempt } from './attempts.ts';
import { admit, signUpBySso } from './identities.ts';
import { IdentityProvider } from './provider.ts';

/** Calls of one visitor: each may ask the provider something. */
const PEER_RATE: Rate = { burst: 60, everyMs: 1000 };
/** The console's page that the provider sends browsers back to; register it there under the public address. */
const CALLBACK_PATH = '/sso/callback/';
/** Longer than an attempt, so that several tabs can share it. */
const COOKIE_SECONDS = 3600;

/** Single sign-on (ACC-07). */
export function ssoRoutes(services: Services): Hono<AppEnv> {
  const { singleSignOn } = services.config;
  const provider = singleSignOn && new IdentityProvider(singleSignOn, services.log);
  const redirectUri = (): string => services.publicUrl() + CALLBACK_PATH;

  /** @throws Refusal sso_not_configured, limit_exceeded */
  async function enter(c: Context<AppEnv>): Promise<IdentityProvider> {
    if (provider === undefined)
      throw new Refusal('not_found', 'sso_not_configured', 'Single sign-on is not configured on this server.');
    await countCall(services, `sso ${peerOf(services, c)}`, PEER_RATE);
    return provider;
  }

  return new Calls()
    .respond(ACCOUNT_CALLS.beginSso, async ({ c }) => {
      const entered = await enter(c);
      const { from } = await readJson(c, SsoRedirectRequest);
      const { url, proofs } = await entered.begin(redirectUri());
      const browser = browserOf(c, services) ?? newToken();
      await keepAttempt(services, browser, proofs, from);
      setCookie(c, cookieName(services), browser, {
        path: '/',
        sameSite: 'Lax',
        httpOnly: true,
        secure: isSecure(services),
        maxAge: COOKIE_SECONDS,
      });
      return c.json({ url } satisfies SsoRedirect);
    })
    .respond(ACCOUNT_CALLS.finishSso, async ({ c }) => {
      const entered = await enter(c);
      const query = new URLSearchParams((await readJson(c, SsoTokenRequest)).query);
      // First of all: only a return that was asked for, by this browser, is looked at any further.
      const { proofs, from } = await takeAttempt(services, browserOf(c, services), query.getAll('state'));
      const person = await entered.finish(redirectUri(), query, proofs);
      return c.json((await admit(services, person, from)) satisfies SsoToken);
    })
    .respond(ACCOUNT_CALLS.signUpBySso, async ({ c }) => {
      await enter(c);
      const wanted = await readJson(c, SsoSignUpRequest);
      return c.json((await openSession(services, { userId: await signUpBySso(services, wanted) })) satisfies TokenPair);
    });
}

function isSecure(services: Services): boolean {
  return services.publicUrl().startsWith('https:');
}

/** With the prefix, no other host of the same site can plant the cookie; it needs https. */
function cookieName(services: Services): string {
  return isSecure(services) ? '__Host-sso' : 'sso';
}

/** The secret that binds attempts to this browser. */
function browserOf(c: Context<AppEnv>, services: Services): string | undefined {
  const value = getCookie(c, cookieName(services));
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}
