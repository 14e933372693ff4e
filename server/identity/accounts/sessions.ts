import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { TokenPair } from '#contract/session.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { signAccess } from '../auth.ts';
import { Refusal, tooManyRequests, unauthenticated } from '../../platform/refusal.ts';

/** A session ends if it is not refreshed for this long. */
const REFRESH_LIFE_MS = 30 * 24 * 3600_000;
/** A used refresh token may be used again for this long, because tabs wake up together. Later use means theft. */
const REUSE_GRACE_MS = 10_000;
/**
 * The largest number of refreshes of a session within {@link REFRESH_WINDOW_MS}; an open page needs one in ten minutes.
 */
const REFRESHES_MAX = 30;
const REFRESH_WINDOW_MS = 60_000;

/** 400, not 401: a 401 tells the console to end its session, and there is none. */
export const wrongCredentials = (): Refusal =>
  new Refusal('invalid', 'invalid_credentials', 'Wrong e-mail or password.');

/** The hash under which a one-time secret is stored. Unsalted, because the secrets are long and random. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** A random one-time secret of 256 bits, base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** A user who has authenticated. */
export interface Proven {
  userId: string;
  /** Hash of the password that they gave; undefined if they authenticated in another way. */
  passwordHash?: string;
}

/**
 * Starts a session of a user.
 * @throws Refusal invalid_credentials if the account was deleted, or the password changed, in the meantime
 */
export async function openSession(services: Services, { userId, passwordHash }: Proven): Promise<TokenPair> {
  const sessionId = randomUUID();
  const now = services.clock();
  const refresh = await services.db.transaction().execute(async (db) => {
    // Serializes with a password change: either that ends this session, or the changed hash is seen here.
    const user = await db
      .selectFrom('users')
      .select('password_hash')
      .where('id', '=', userId)
      .forShare()
      .executeTakeFirst();
    if (!user) throw new Refusal('invalid', 'invalid_credentials', 'This account was deleted.');
    if (passwordHash !== undefined && passwordHash !== user.password_hash) throw wrongCredentials();
    await db.insertInto('sessions').values({ id: sessionId, user_id: userId, created_at: now }).execute();
    return addRefreshToken(db, sessionId, now);
  });
  return pair(services, userId, sessionId, refresh);
}

/**
 * Exchanges a refresh token for a new pair.
 * @throws Refusal unauthenticated if the token is unknown, expired, or its session has ended; also if it was used before, which
 * ends the session. 429 if the session was refreshed too often; the token stays valid.
 */
export async function rotate(services: Services, token: string): Promise<TokenPair> {
  const now = services.clock();
  const outcome = await services.db.transaction().execute(async (db) => {
    const row = await db
      .selectFrom('refresh_tokens')
      .innerJoin('sessions', 'sessions.id', 'refresh_tokens.session_id')
      .select([
        'refresh_tokens.session_id',
        'refresh_tokens.used_at',
        'refresh_tokens.expires_at',
        'sessions.user_id',
        'sessions.revoked_at',
        'sessions.created_at as began_at',
      ])
      .where('refresh_tokens.token_hash', '=', hashToken(token))
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined || row.revoked_at !== null || row.expires_at <= now) return undefined;
    // The absolute value covers a use in the future, by a clock that was set back since: no tabs that wake up together.
    if (row.used_at !== null && Math.abs(now.getTime() - row.used_at.getTime()) > REUSE_GRACE_MS) {
      await db.updateTable('sessions').set({ revoked_at: now }).where('id', '=', row.session_id).execute();
      services.log.warn({ session_id: row.session_id }, 'a used refresh token came again; session ended');
      return undefined;
    }
    await checkPace(db, row.session_id, row.began_at, now);
    if (row.used_at === null)
      await db.updateTable('refresh_tokens').set({ used_at: now }).where('token_hash', '=', hashToken(token)).execute();
    return { userId: row.user_id, sessionId: row.session_id, refresh: await addRefreshToken(db, row.session_id, now) };
  });
  if (outcome === undefined) throw unauthenticated('Your session has ended. Please sign in again.');
  return pair(services, outcome.userId, outcome.sessionId, outcome.refresh);
}

/** Ends the session of a refresh token. Ignores unknown tokens. */
export async function endSession(services: Services, token: string): Promise<void> {
  await services.db
    .updateTable('sessions')
    .set({ revoked_at: services.clock() })
    .where('revoked_at', 'is', null)
    .where('id', 'in', (query) =>
      query.selectFrom('refresh_tokens').select('session_id').where('token_hash', '=', hashToken(token)),
    )
    .execute();
}

/**
 * Limits refreshes. Requires the session's row lock, so that parallel calls count.
 * @throws Refusal limit_exceeded
 */
async function checkPace(db: Db, sessionId: string, beganAt: Date, now: Date): Promise<void> {
  const since = new Date(Math.max(beganAt.getTime(), now.getTime() - REFRESH_WINDOW_MS));
  // Ignores tokens of the future, from a clock that was ahead.
  const { count, first } = await db
    .selectFrom('refresh_tokens')
    .select((eb) => [eb.fn.countAll().as('count'), eb.fn.min('created_at').as('first')])
    .where('session_id', '=', sessionId)
    .where('created_at', '>', since)
    .where('created_at', '<=', now)
    .executeTakeFirstOrThrow();
  if (Number(count) < REFRESHES_MAX) return;
  const wait = first.getTime() + REFRESH_WINDOW_MS - now.getTime();
  throw tooManyRequests(wait / 1000, `A session can be refreshed ${REFRESHES_MAX} times a minute.`);
}

async function addRefreshToken(db: Db, sessionId: string, now: Date): Promise<string> {
  const token = newToken();
  await db
    .insertInto('refresh_tokens')
    .values({
      token_hash: hashToken(token),
      session_id: sessionId,
      created_at: now,
      expires_at: new Date(now.getTime() + REFRESH_LIFE_MS),
    })
    .execute();
  await db.deleteFrom('refresh_tokens').where('session_id', '=', sessionId).where('expires_at', '<=', now).execute();
  return token;
}

async function pair(services: Services, userId: string, sessionId: string, refresh: string): Promise<TokenPair> {
  const { access, expiresAt } = await signAccess(services, { userId, sessionId });
  return { access, refresh, access_expires_at: expiresAt };
}
