import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Services } from './context.ts';
import { tooManyRequests } from './refusal.ts';

/** `burst` calls at once, then one more every `everyMs`. */
export interface Rate {
  burst: number;
  everyMs: number;
}

type Parts = Pick<Services, 'db' | 'clock'>;

/** Hashes a long key, because the table's index takes only short ones, and keys contain input. */
const stored = (key: string): string =>
  key.length <= 200 ? key : createHash('sha256').update(key).digest('base64url');

/**
 * Counts one call against a key (GCRA). One statement, so that parallel calls and several processes share the count. A
 * stored time that is too far ahead, because a clock was, counts as a burst just used up: nobody waits longer than
 * for the next call. @throws Refusal limit_exceeded with Retry-After
 */
export async function countCall(services: Parts, key: string, rate: Rate): Promise<void> {
  const wait = await tryCall(services, key, rate);
  if (wait > 0) throw tooManyRequests(wait / 1000);
}

/** Like {@link countCall}. @returns 0 if the call may go on, else milliseconds until the next one may */
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
  // Stores the bounded time, so that the wait gets shorter from now on.
  const {
    rows: [row],
  } = await sql<{
    arrival_ms: number;
  }>`update rate_limits set arrival_ms = ${arrival} where key = ${stored(key)} returning arrival_ms`.execute(db);
  return Math.max(1, (row?.arrival_ms ?? now + everyMs) - now - tolerance);
}

/** Takes one counted call back, because the limit does not apply to it after all. */
export async function takeBackCall({ db }: Parts, key: string, { everyMs }: Rate): Promise<void> {
  await sql`update rate_limits set arrival_ms = arrival_ms - ${everyMs}::double precision where key = ${stored(key)}`.execute(
    db,
  );
}

/**
 * Makes a caller wait between calls: refuses the first call, which starts the wait; a call after the wait passes, and
 * starts the next wait. @param key one per caller, so that nobody's wait depends on others
 * @returns 0 if the call may go on, else the milliseconds to wait
 */
export async function waitTurn({ db, clock }: Parts, key: string, waitMs: number): Promise<number> {
  const now = clock().getTime();
  const next = now + waitMs;
  const taken = await sql`
    update rate_limits set arrival_ms = ${next}::double precision
    where key = ${stored(key)} and arrival_ms <= ${now}::double precision
    returning key`.execute(db);
  if (taken.rows.length > 0) return 0;
  const {
    rows: [row],
  } = await sql<{ arrival_ms: number }>`
    insert into rate_limits (key, arrival_ms) values (${stored(key)}, ${next}::double precision)
    on conflict (key) do update set arrival_ms = least(rate_limits.arrival_ms, ${next}::double precision)
    returning arrival_ms`.execute(db);
  return Math.max(1, (row?.arrival_ms ?? next) - now);
}

/** Forgets the count of a key. */
export async function forgetCalls(services: Parts, key: string): Promise<void> {
  await services.db.deleteFrom('rate_limits').where('key', '=', stored(key)).execute();
}
