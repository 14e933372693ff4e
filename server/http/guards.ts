import { timingSafeEqual } from 'node:crypto';
import { CSRF_COOKIE, CSRF_HEADER } from '#contract/session.ts';
import { CONSOLE_HOST_LABEL, STREAMING_HOST_LABEL } from '#contract/settings.ts';
import { getCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import type { Services } from '../platform/context.ts';
import { bearerOf } from './bearer.ts';
import { csrfToken } from './csrf.ts';
import type { AppEnv } from './env.ts';
import { ApiProblem } from './errors.ts';
import { hostName, isLoopbackHost } from '../platform/loopback.ts';

/** Makes browsers come back by https only. Names below the server's own are not its business. */
const HSTS = 'max-age=31536000';

/** The headers that an https address of the server adds to every answer. */
export function transportHeaders({ publicUrl }: Pick<Services, 'publicUrl'>): Record<string, string> {
  return publicUrl().startsWith('https:') ? { 'strict-transport-security': HSTS } : {};
}

/** What the APIs answer is somebody's own, or a refusal to somebody: it stays neither in the browser nor on the way. */
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

/** SES-02: a call that changes something needs a Bearer (which no foreign page can send) or the page's CSRF token in cookie and header. @param signed paths, with a slash at their ends, whose bodies are signed instead */
export const requireCsrf = (services: Services, signed: ReadonlySet<string>) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const isSigned = signed.has(c.req.path.replace(/\/?$/, '/'));
    if (!isSigned && !SAFE.has(c.req.method) && bearerOf(c.req.header('authorization')) === undefined) {
      const cookie = Buffer.from(getCookie(c, CSRF_COOKIE) ?? '');
      const header = Buffer.from(c.req.header(CSRF_HEADER) ?? '');
      // 400, not 403: the console takes 403 for the end of the session.
      if (cookie.length === 0 || cookie.length !== header.length || !timingSafeEqual(cookie, header)) {
        // A page that is older than its cookie, or has lost it, goes on with the one that it has now.
        csrfToken(c, services);
        throw new ApiProblem(400, 'csrf_failed', 'This page is out of date. Reload it and try again.');
      }
    }
    await next();
  });

/**
 * Whether a request may name this host. On loopback a foreign name means that some page's name was pointed at 127.0.0.1
 * (DNS rebinding), so only local names and the public address pass; bound to the network, the proxy in front decides.
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

/** Refuses requests for hosts that are not ours. */
export function requireKnownHost(services: Services) {
  return createMiddleware<AppEnv>(async (c, next) => {
    if (!isHostAllowed(services, c.req.header('host')))
      throw new ApiProblem(421, 'unknown_host', 'This server does not answer for that host name.');
    await next();
  });
}
