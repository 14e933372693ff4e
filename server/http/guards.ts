import { timingSafeEqual } from 'node:crypto';
import { CSRF_COOKIE, CSRF_HEADER } from '#contract/session.ts';
import { CONSOLE_HOST_LABEL, STREAMING_HOST_LABEL } from '#contract/settings.ts';
import { getCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import type { Services } from '../platform/context.ts';
import { bearerOf } from './bearer.ts';
import { csrfToken } from './csrf.ts';
import type { AppEnv } from './env.ts';
import { Refusal } from '../platform/refusal.ts';
import { hostName, isLoopbackHost } from '../platform/loopback.ts';

/** Makes browsers use https only; for the server's own host name, not for subdomains. */
const HSTS = 'max-age=31536000';

/** Headers of every answer if the public address is https. */
export function transportHeaders({ publicUrl }: Pick<Services, 'publicUrl'>): Record<string, string> {
  return publicUrl().startsWith('https:') ? { 'strict-transport-security': HSTS } : {};
}

/** Paths whose answers are for one caller, so neither browsers nor proxies may store them. */
const PERSONAL = /^\/(api|v1)\//;

/** Headers of every answer. */
export const securityHeaders = (services: Services) =>
  createMiddleware<AppEnv>(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(transportHeaders(services))) c.header(name, value);
    if (PERSONAL.test(c.req.path) && !c.res.headers.has('cache-control')) c.header('cache-control', 'no-store');
    c.header('x-content-type-options', 'nosniff');
    c.header('referrer-policy', 'same-origin');
    if (!c.res.headers.has('cross-origin-opener-policy')) c.header('cross-origin-opener-policy', 'same-origin');
    if (!c.res.headers.has('cross-origin-resource-policy')) c.header('cross-origin-resource-policy', 'same-origin');
    if (!c.res.headers.has('content-security-policy'))
      c.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  });

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A call that changes something must carry a bearer token, which a foreign page cannot send, or the CSRF token in both
 * cookie and header (SES-02). @param signedPaths with a trailing slash; their bodies are signed instead
 */
export const requireCsrf = (services: Services, signedPaths: ReadonlySet<string>) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const isSigned = signedPaths.has(c.req.path.replace(/\/?$/, '/'));
    if (!isSigned && !SAFE.has(c.req.method) && bearerOf(c.req.header('authorization')) === undefined) {
      const cookie = Buffer.from(getCookie(c, CSRF_COOKIE) ?? '');
      const header = Buffer.from(c.req.header(CSRF_HEADER) ?? '');
      if (cookie.length === 0 || cookie.length !== header.length || !timingSafeEqual(cookie, header)) {
        // Sets a cookie if the browser has lost it, so that the page can try again.
        csrfToken(c, services);
        // Not 403, which would end the console's session.
        throw new Refusal('invalid', 'csrf_failed', 'This page is out of date. Reload it and try again.');
      }
    }
    await next();
  });

/**
 * Whether the server answers for a host name. On loopback, a foreign name means DNS rebinding, so only local names and
 * the public address are allowed. On any other address every name is allowed: a proxy decides there.
 */
export function isHostAllowed(services: Services, header: string | undefined): boolean {
  if (!isLoopbackHost(services.config.host)) return true;
  const name = hostName(header);
  const own = new URL(services.publicUrl()).hostname;
  return (
    isLoopbackHost(name) ||
    name === own ||
    name === own.replace(new RegExp(`^${CONSOLE_HOST_LABEL}\\.`), `${STREAMING_HOST_LABEL}.`)
  );
}

/** Refuses other host names. @throws Refusal unknown_host */
export function requireKnownHost(services: Services) {
  return createMiddleware<AppEnv>(async (c, next) => {
    if (!isHostAllowed(services, c.req.header('host')))
      throw new Refusal('unknown_host', 'unknown_host', 'This server does not answer for that host name.');
    await next();
  });
}
