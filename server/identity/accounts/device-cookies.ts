import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { AppEnv } from '../../http/env.ts';
import type { Services } from '../../platform/context.ts';
import type { Cookies } from './devices.ts';

/** Path of the cookies of devices: only sign-in reads them. */
const SIGN_IN_PATH = '/api/v2/token';

/** The cookies of devices in a request and its answer. */
export const deviceCookies = ({ publicUrl }: Services, c: Context<AppEnv>): Cookies => ({
  read: (name) => getCookie(c, name),
  write: (name, value, maxAge) =>
    setCookie(c, name, value, {
      path: SIGN_IN_PATH,
      httpOnly: true,
      sameSite: 'Strict',
      secure: publicUrl().startsWith('https:'),
      maxAge,
    }),
});
