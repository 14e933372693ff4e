import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Services } from '../platform/context.ts';
import { tooManyRequests } from './errors.ts';

/** `burst` calls at once, then one more every `everyMs`. */
export interface Rate {
  burst: number;
  everyMs: number;
}

type Parts = Pick<Services, 'db' | 'clock'>;

/** Texts of strangers are part of keys; the index of the table takes only short ones. */
const stored = (key: string): string =>
  key.length <= 200 ? key : createHash('sha256').update(key).digest('base64url');

/**
 * Counts one call against a key, in one statement, so that parallel calls and several processes share the count (GCRA).
 * What is stored is never believed beyond the limit itself: a time that a clock wrote while it was ahead counts as a burst just
 * used up, so that nobody waits longer than for the next call.
 * @throws ApiProblem 429 limit_exceeded with Retry-After
 */
export async function countCall(services: Parts, key: string, rate: Rate): Promise<void> {
  const wait = await tryCall(services, key, rate);
  if (wait > 0) throw tooManyRequests(wait / 1000);
}

/** The same, told by the result: 0 where the call may go on, else the milliseconds until the next one may. */
export async function tryCall({ db, clock }: Parts, key: string, { burst, everyMs }: Rate): Promise<number> {
  const now = clock().getTime();
  const arrival = sql`greatest(least(rate_limits.arrival_ms, ${now + burst * everyMs}::double precision), ${now}::double precision)`;
  const tolerance = (burst - 1) * everyMs;
  const taken = await sql`
    insert into rate_limits (key, arrival_ms) values (${stored(key)}, ${now + everyMs}::double precision)
    on conflict (key) do update set arrival_ms = ${arrival} + ${everyMs}::double precision
    where ${arrival} - ${now}::double precision <= ${tolerance}::double precision
    returning arrival_ms`.execute(db);
  if (taken.rows.length > 0) return 0;
  // Brought back to what it may be, so that the wait gets shorter from now on.
  const {
    rows: [row],
  } = await sql<{
    arrival_ms: number;
  }>`update rate_limits set arrival_ms = ${arrival} where key = ${stored(key)} returning arrival_ms`.execute(db);
  return Math.max(1, (row?.arrival_ms ?? now + everyMs) - now - tolerance);
}

/** Takes one counted call back: it turned out to be none of those that the limit is for. */
export async function takeBackCall({ db }: Parts, key: string, { everyMs }: Rate): Promise<void> {
  await sql`update rate_limits set arrival_ms = arrival_ms - ${everyMs}::double precision where key = ${stored(key)}`.execute(
    db,
  );
}

/**
 * Lets a caller in who has waited: the first call is refused and begins the wait, the next one after it goes through and begins it
 * anew. Every caller waits on their own key, so that nobody's wait depends on how many others there are.
 * @returns 0 where the call may go on, else the milliseconds to wait
 */
export async function waitTurn({ db, clock }: Parts, key: string, waitMs: number): Promise<number> {
  const now = clock().getTime();
  const next = now + waitMs;
  const taken =
    await sql`update rate_limits set arrival_ms = ${next}::double precision where key = ${stored(key)} and arrival_ms <= ${now}::double precision returning key`.execute(
      db,
    );
  if (taken.rows.length > 0) return 0;
  const {
    rows: [row],
  } = await sql<{ arrival_ms: number }>`
    insert into rate_limits (key, arrival_ms) values (${stored(key)}, ${next}::double precision)
    on conflict (key) do update set arrival_ms = least(rate_limits.arrival_ms, ${next}::double precision)
    returning arrival_ms`.execute(db);
  return Math.max(1, (row?.arrival_ms ?? next) - now);
}

/** Forgets what was counted against a key. */
export async function forgetCalls(services: Parts, key: string): Promise<void> {
  await services.db.deleteFrom('rate_limits').where('key', '=', stored(key)).execute();
}
