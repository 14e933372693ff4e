import { createMiddleware } from 'hono/factory';
import { errors, jwtVerify, SignJWT, type JWTPayload } from 'jose';
import type { Services } from '../platform/context.ts';
import type { Db } from '../platform/db/database.ts';
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

/** What an access token says that is genuine and has not run out; whether its session has ended is another question. */
export interface AccessClaims {
  userId: string;
  sessionId: string;
  /** Seconds since the epoch. */
  accessExpiresAt: number;
}

/** Undefined for a token that is malformed, forged or expired. */
export async function readAccess(services: Services, token: string): Promise<AccessClaims | undefined> {
  const { sub, sid, exp } = (await verified(services, token)) ?? {};
  return sub === undefined || typeof sid !== 'string' || exp === undefined
    ? undefined
    : { userId: sub, sessionId: sid, accessExpiresAt: exp };
}

/** What a token says that one of the accepted secrets has signed. */
async function verified({ secretFor, clock }: Services, token: string): Promise<JWTPayload | undefined> {
  for (const key of secretFor.accepted('access-token')) {
    try {
      const options = { algorithms: ['HS256'], issuer: ISSUER, currentDate: clock() };
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return undefined;
    }
  }
  return undefined;
}

/** The session that a token belongs to with its user, unless it has ended: so that a sign-out holds at once. Who asks more joins it here: one query. */
export function lastingSession(db: Db, { userId, sessionId }: AccessClaims) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .where('sessions.id', '=', sessionId)
    .where('users.id', '=', userId)
    .where('sessions.revoked_at', 'is', null);
}

/** Who an access token belongs to; undefined when it is malformed, forged, expired, or its session has ended. */
export async function verifyAccess(services: Services, token: string): Promise<SignedIn | undefined> {
  const claims = await readAccess(services, token);
  const row = claims && (await lastingSession(services.db, claims).select('users.email').executeTakeFirst());
  return row && { ...claims, ...row };
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
