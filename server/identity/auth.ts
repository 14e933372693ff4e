import { createMiddleware } from 'hono/factory';
import { errors, jwtVerify, SignJWT, type JWTPayload } from 'jose';
import type { Services } from '../platform/context.ts';
import type { Db } from '../platform/db/database.ts';
import { bearerOf } from '../http/bearer.ts';
import type { AppEnv } from '../http/env.ts';
import type { SignedIn } from '../platform/callers.ts';
import { unauthenticated } from '../platform/refusal.ts';

/** Lifetime of an access token, seconds. */
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

/** The claims of a genuine access token that has not expired. Its session may have ended. */
export interface AccessClaims {
  userId: string;
  sessionId: string;
  /** Seconds since the epoch. */
  accessExpiresAt: number;
}

/** The claims of a token; undefined if it is malformed, forged or expired. Does not check the session. */
export async function readAccess(services: Services, token: string): Promise<AccessClaims | undefined> {
  const { sub, sid, exp } = (await verified(services, token)) ?? {};
  return sub === undefined || typeof sid !== 'string' || exp === undefined
    ? undefined
    : { userId: sub, sessionId: sid, accessExpiresAt: exp };
}

/** The payload of a token, if one of the accepted secrets has signed it. */
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

/**
 * A query for the session and user of a token, unless the session has ended; so a sign-out takes effect at once.
 * Callers select and join what else they need.
 */
export function lastingSession(db: Db, { userId, sessionId }: AccessClaims) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .where('sessions.id', '=', sessionId)
    .where('users.id', '=', userId)
    .where('sessions.revoked_at', 'is', null);
}

/** The user of an access token; undefined if it is malformed, forged, expired, or its session has ended. */
export async function verifyAccess(services: Services, token: string): Promise<SignedIn | undefined> {
  const claims = await readAccess(services, token);
  const row = claims && (await lastingSession(services.db, claims).select('users.email').executeTakeFirst());
  return row && { ...claims, ...row };
}

/** Requires a signed-in user, and sets `c.var.user`. @throws Refusal unauthenticated */
export function requireUser(services: Services) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const token = bearerOf(c.req.header('authorization'));
    const user = token === undefined ? undefined : await verifyAccess(services, token);
    if (user === undefined) throw unauthenticated();
    c.set('user', user);
    await next();
  });
}
