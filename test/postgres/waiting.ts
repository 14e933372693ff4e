import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Services } from '#server/platform/context.ts';

/** Transactions that wait for another one's lock. */
export async function waitingNow({ db }: Pick<Services, 'db'>): Promise<number | undefined> {
  const waiting = sql<{ count: number }>`select count(*)::int from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return (await waiting.execute(db)).rows[0]?.count;
}

/** Resolves once there is one. */
export async function isWaiting(services: Pick<Services, 'db'>): Promise<void> {
  await expect.poll(() => waitingNow(services), { interval: 5, timeout: 10_000 }).toBe(1);
}
