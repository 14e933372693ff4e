import { createMiddleware } from 'hono/factory';
import { jwtVerify, SignJWT } from 'jose';
import type { Services } from '../platform/context.ts';
import { bearerOf } from '../http/bearer.ts';
import type { AppEnv, SignedIn } from '../http/env.ts';
import { unauthenticated } from '../http/errors.ts';

/** Life of an access token, seconds. */
const ACCESS_SECONDS = 600;
const ISSUER = 'parlance';

/** Signs an access token. `expiresAt` in seconds since the epoch. */
export async function signAccess(
  services: Services,
  who: { userId: string; sessionId: string },
): Promise<{ access: string; expiresAt: number }> {
  const now = Math.floor(services.clock().getTime() / 1000);
  const expiresAt = now + ACCESS_SECONDS;
  const access = await new SignJWT({ sid: who.sessionId })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(ISSUER)
    .setSubject(who.userId)
    .setIssuedAt(now)
    .setExpirationTime(expiresAt)
    .sign(services.secretFor('access-token'));
  return { access, expiresAt };
}

/**
 * Who an access token belongs to; undefined when it is malformed, forged, expired, or its session has ended.
 * Asks the database, so that a sign-out holds at once.
 */
export async function verifyAccess(services: Services, token: string): Promise<SignedIn | undefined> {
  let subject: string | undefined;
  let session: unknown;
  let expiresAt: number | undefined;
  try {
    const { payload } = await jwtVerify(token, services.secretFor('access-token'), {
      algorithms: ['HS256'],
      issuer: ISSUER,
      currentDate: services.clock(),
    });
    subject = payload.sub;
    session = payload['sid'];
    expiresAt = payload.exp;
  } catch {
    return undefined;
  }
  if (subject === undefined || typeof session !== 'string' || expiresAt === undefined) return undefined;
  const row = await services.db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select('users.email')
    .where('sessions.id', '=', session)
    .where('users.id', '=', subject)
    .where('sessions.revoked_at', 'is', null)
    .executeTakeFirst();
  return row === undefined
    ? undefined
    : { userId: subject, sessionId: session, accessExpiresAt: expiresAt, email: row.email };
}

/** Lets only signed-in users through; puts them in `c.var.user`. 401 otherwise. */
export function requireUser(services: Services) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const token = bearerOf(c.req.header('authorization'));
    const user = token === undefined ? undefined : await verifyAccess(services, token);
    if (user === undefined) throw unauthenticated();
    c.set('user', user);
    await next();
  });
}
