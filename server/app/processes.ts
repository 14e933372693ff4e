import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { SttEngine } from '../engine/port.ts';
import type { Services } from '../platform/context.ts';
import type { Db } from '../platform/db/database.ts';
import { databaseNow } from '../platform/db/now.ts';
import { repeat } from '../platform/repeat.ts';

const TOLD_EVERY_MS = 5000;
/** Not seen for this long, a process is gone, milliseconds. */
const GONE_MS = 30_000;

/** Tells the database of this process, now and every few seconds, until the server closes; and forgets those that are gone. */
export async function keepProcess(services: Services, engine: SttEngine): Promise<void> {
  const { config, db, clock, closing, readiness } = services;
  const own = { id: randomUUID(), role: config.role, host: hostname(), pid: process.pid };
  const started_at = await databaseNow(db, clock);
  const tell = async (): Promise<void> => {
    const isReady = (await readiness.lacking()).length === 0;
    const { streams, maxStreams: max_streams } = engine.info();
    const seen_at = await databaseNow(db, clock);
    const told = { seen_at, streams, max_streams, state: stateOf(closing.begun, isReady) };
    await db
      .insertInto('processes')
      .values({ ...own, started_at, ...told })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(told))
      .execute();
    await db
      .deleteFrom('processes')
      .where('seen_at', '<', new Date(seen_at.getTime() - GONE_MS))
      .execute();
  };
  const now = repeat(services, { name: 'word of this process', everyMs: TOLD_EVERY_MS, run: tell, everywhere: true });
  await now();
  closing.add('notice', 'word that this process stops', now);
  closing.add('engine', 'word that this process is gone', async () => {
    await db.deleteFrom('processes').where('id', '=', own.id).execute();
  });
}

const stateOf = (isClosing: boolean, isReady: boolean): 'ready' | 'unready' | 'stopping' =>
  isClosing ? 'stopping' : isReady ? 'ready' : 'unready';

/** The processes that were seen lately, the eldest first. */
export const listProcesses = (db: Db, now: Date) =>
  db
    .selectFrom('processes')
    .selectAll()
    .where('seen_at', '>=', new Date(now.getTime() - GONE_MS))
    .orderBy('started_at')
    .orderBy('id')
    .execute();
