import { timingSafeEqual } from 'node:crypto';
import { CSRF_COOKIE, CSRF_HEADER } from '#contract/session.ts';
import { CONSOLE_HOST_LABEL, STREAMING_HOST_LABEL } from '#contract/settings.ts';
import { getCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import type { Services } from '../context.ts';
import { bearerOf } from './auth.ts';
import type { AppEnv } from './env.ts';
import { ApiProblem } from './errors.ts';

/** Headers of every answer. */
export const securityHeaders = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  c.header('x-content-type-options', 'nosniff');
  c.header('referrer-policy', 'same-origin');
  if (!c.res.headers.has('cross-origin-opener-policy')) c.header('cross-origin-opener-policy', 'same-origin');
  if (!c.res.headers.has('cross-origin-resource-policy')) c.header('cross-origin-resource-policy', 'same-origin');
  if (!c.res.headers.has('content-security-policy')) c.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
});

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** SES-02: a call that changes something needs a Bearer (which no foreign page can send) or the page's CSRF token in cookie and header. */
export const requireCsrf = createMiddleware<AppEnv>(async (c, next) => {
  if (!SAFE.has(c.req.method) && bearerOf(c.req.header('authorization')) === undefined) {
    const cookie = Buffer.from(getCookie(c, CSRF_COOKIE) ?? '');
    const header = Buffer.from(c.req.header(CSRF_HEADER) ?? '');
    // 400, not 403: the console takes 403 for the end of the session.
    if (cookie.length === 0 || cookie.length !== header.length || !timingSafeEqual(cookie, header)) {
      throw new ApiProblem(400, 'csrf_failed', 'This page is out of date. Reload it and try again.');
    }
  }
  await next();
});

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\]|[a-z0-9-]+(\.[a-z0-9-]+)*\.localhost)$/;

/** True when the server can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/**
 * Whether a request may name this host. On loopback a foreign name means that some page's name was pointed at 127.0.0.1
 * (DNS rebinding), so only local names and the public address pass; bound to the network, the proxy in front decides.
 */
export function isHostAllowed(services: Services, header: string | undefined): boolean {
  if (!isLoopback(services.config.host)) return true;
  const name = (header ?? '').toLowerCase().replace(/:\d+$/, '');
  const own = new URL(services.publicUrl()).hostname;
  return LOOPBACK.test(name) || name === own || name === own.replace(new RegExp(`^${CONSOLE_HOST_LABEL}\\.`), `${STREAMING_HOST_LABEL}.`);
}

/** Refuses requests for hosts that are not ours. */
export function requireKnownHost(services: Services) {
  return createMiddleware<AppEnv>(async (c, next) => {
    if (!isHostAllowed(services, c.req.header('host'))) throw new ApiProblem(421, 'unknown_host', 'This server does not answer for that host name.');
    await next();
  });
}
