import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Services } from '#server/platform/context.ts';

/** Resolves once a transaction waits for another one's lock. */
export async function isWaiting({ db }: Pick<Services, 'db'>): Promise<void> {
  const waiting = sql<{ count: number }>`select count(*)::int from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await waiting.execute(db)).rows[0]?.count, { interval: 5, timeout: 10_000 }).toBe(1);
}
