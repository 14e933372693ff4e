import { randomUUID } from 'node:crypto';
import type { Db } from '#server/platform/db/database.ts';

/** As if a server was at work on the database. @returns its id */
export async function writeProcess(db: Db): Promise<string> {
  const [id, now] = [randomUUID(), new Date()];
  const own = { role: 'all', host: 'here', pid: 1, state: 'ready', streams: 0, max_streams: 1 } as const;
  await db
    .insertInto('processes')
    .values({ id, ...own, started_at: now, seen_at: now })
    .execute();
  return id;
}
