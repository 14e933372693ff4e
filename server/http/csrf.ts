import { randomBytes } from 'node:crypto';
import { CSRF_COOKIE } from '#contract/session.ts';
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { Services } from '../platform/context.ts';
import type { AppEnv } from './env.ts';

const COOKIE_SECONDS = 364 * 24 * 3600;

/** The CSRF token of the browser's cookie. Sets a new one if it is missing or malformed. */
export function csrfToken(c: Context<AppEnv>, services: Services): string {
  const known = getCookie(c, CSRF_COOKIE);
  if (known !== undefined && /^[\w-]{43}$/.test(known)) return known;
  const token = randomBytes(32).toString('base64url');
  // Not httpOnly: the page's script reads it as the fallback of SES-02.
  setCookie(c, CSRF_COOKIE, token, {
    path: '/',
    sameSite: 'Lax',
    httpOnly: false,
    secure: services.publicUrl().startsWith('https:'),
    maxAge: COOKIE_SECONDS,
  });
  return token;
}
