import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { SttEngine } from '../engine/port.ts';
import type { Services } from '../platform/context.ts';
import type { Db } from '../platform/db/database.ts';
import { databaseNow } from '../platform/db/now.ts';
import { repeat } from '../platform/repeat.ts';

const EVERY_MS = 5000;
/** A process that has not written its row for this long is gone, milliseconds. */
const GONE_MS = 30_000;

/** Writes this process's row now and every {@link EVERY_MS} until the server closes, and deletes rows of dead ones. */
export async function keepProcessRow(services: Services, engine: SttEngine): Promise<void> {
  const { config, db, clock, closing, readiness } = services;
  const own = { id: randomUUID(), role: config.role, host: hostname(), pid: process.pid };
  const started_at = await databaseNow(db, clock);
  const write = async (): Promise<void> => {
    const isReady = (await readiness.lacking()).length === 0;
    const { streams, maxStreams: max_streams } = engine.info();
    const seen_at = await databaseNow(db, clock);
    const current = { seen_at, streams, max_streams, state: stateOf(closing.begun, isReady) };
    await db
      .insertInto('processes')
      .values({ ...own, started_at, ...current })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(current))
      .execute();
    await db
      .deleteFrom('processes')
      .where('seen_at', '<', new Date(seen_at.getTime() - GONE_MS))
      .execute();
  };
  const writeNow = repeat(services, { name: 'row of this process', everyMs: EVERY_MS, run: write, everywhere: true });
  await writeNow();
  closing.add('notice', 'note that this process stops', writeNow);
  closing.add('engine', 'removal of the row of this process', async () => {
    await db.deleteFrom('processes').where('id', '=', own.id).execute();
  });
}

const stateOf = (isClosing: boolean, isReady: boolean): 'ready' | 'unready' | 'stopping' =>
  isClosing ? 'stopping' : isReady ? 'ready' : 'unready';

/** The processes that are alive, oldest first. */
export const listProcesses = (db: Db, now: Date) =>
  db
    .selectFrom('processes')
    .selectAll()
    .where('seen_at', '>=', new Date(now.getTime() - GONE_MS))
    .orderBy('started_at')
    .orderBy('id')
    .execute();
