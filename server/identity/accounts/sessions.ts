import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { TokenPair } from '#contract/session.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { signAccess } from '../auth.ts';
import { ApiProblem, tooManyRequests, unauthenticated } from '../../http/errors.ts';

/** A session that is not used for this long ends. */
const REFRESH_LIFE_MS = 30 * 24 * 3600_000;
/** A refresh token may be used again for this long: tabs that wake up together use the same one. Later it is a sign of theft. */
const REUSE_GRACE_MS = 10_000;
/** How often a session is refreshed within {@link REFRESH_WINDOW_MS}, at most; a page in use needs one in ten minutes. */
const REFRESHES_MAX = 30;
const REFRESH_WINDOW_MS = 60_000;

/** 400, not 401: there is no session to end. */
export const wrongCredentials = (): ApiProblem =>
  new ApiProblem(400, 'invalid_credentials', 'Wrong e-mail or password.');

/** How one-time secrets are stored. They are long and random, so a plain hash is enough. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Who has shown that they are the user: by a password, its hash tells by which one. */
export interface Proven {
  userId: string;
  passwordHash?: string;
}

/**
 * Starts a session of a user.
 * @throws ApiProblem 400 invalid_credentials where the account was deleted meanwhile, or the password changed, which ends what the
 * old one opened
 */
export async function openSession(services: Services, { userId, passwordHash }: Proven): Promise<TokenPair> {
  const sessionId = randomUUID();
  const now = services.clock();
  const refresh = await services.db.transaction().execute(async (db) => {
    // A change of the password waits for this row, or is waited for: then it ends this session, or is seen here.
    const user = await db
      .selectFrom('users')
      .select('password_hash')
      .where('id', '=', userId)
      .forShare()
      .executeTakeFirst();
    if (!user) throw new ApiProblem(400, 'invalid_credentials', 'This account was deleted.');
    if (passwordHash !== undefined && passwordHash !== user.password_hash) throw wrongCredentials();
    await db.insertInto('sessions').values({ id: sessionId, user_id: userId, created_at: now }).execute();
    return addRefreshToken(db, sessionId, now);
  });
  return pair(services, userId, sessionId, refresh);
}

/**
 * Trades a refresh token for a new pair.
 * @throws ApiProblem 401 when it is unknown, expired, of an ended session, or used before; the last ends the session. 429 when the
 * session was refreshed too often; the token stays good.
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
    // A time in the future is one of a clock that has been put back since: no sign of tabs that wake up together, either.
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

/** Ends the session that a refresh token belongs to; unknown tokens are no error. */
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

/** @throws ApiProblem 429 limit_exceeded with Retry-After. The session's row is locked: parallel calls are counted one by one. */
async function checkPace(db: Db, sessionId: string, beganAt: Date, now: Date): Promise<void> {
  const since = new Date(Math.max(beganAt.getTime(), now.getTime() - REFRESH_WINDOW_MS));
  // Only what lies in the past: a clock that was ahead must not count for as long as it was.
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
