import type { Context } from 'hono';
import { sql } from 'kysely';
import type { Services } from '../context.ts';
import type { AppEnv } from './env.ts';
import { tooManyRequests } from './errors.ts';

/** `burst` calls at once, then one more every `everyMs`. */
export interface Rate { burst: number; everyMs: number }

/**
 * Counts one call against a key, in one statement, so that parallel calls and several processes share the count (GCRA).
 * @throws ApiProblem 429 limit_exceeded with Retry-After
 */
export async function countCall(services: Pick<Services, 'db' | 'clock'>, key: string, { burst, everyMs }: Rate): Promise<void> {
  const now = services.clock().getTime();
  const tolerance = (burst - 1) * everyMs;
  const taken = await sql`
    insert into rate_limits (key, arrival_ms) values (${key}, ${now + everyMs}::double precision)
    on conflict (key) do update set arrival_ms = greatest(rate_limits.arrival_ms, ${now}::double precision) + ${everyMs}::double precision
    where greatest(rate_limits.arrival_ms, ${now}::double precision) - ${now}::double precision <= ${tolerance}::double precision
    returning arrival_ms`.execute(services.db);
  if (taken.rows.length > 0) return;
  const row = await services.db.selectFrom('rate_limits').select('arrival_ms').where('key', '=', key).executeTakeFirst();
  throw tooManyRequests(((row?.arrival_ms ?? now + everyMs) - now - tolerance) / 1000);
}

/** Forgets what was counted against a key. */
export async function forgetCalls(services: Services, key: string): Promise<void> {
  await services.db.deleteFrom('rate_limits').where('key', '=', key).execute();
}

/** The peer's address. Headers that claim another one are not believed. */
export function peerOf(c: Context<AppEnv>): string {
  return c.env.incoming.socket.remoteAddress ?? 'unknown';
}
