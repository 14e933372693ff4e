/** The embedded database has nobody who vacuums it but the server. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Closing } from '#server/platform/closing.ts';
import { DATABASE_FOLDER } from '#server/platform/data-dir.ts';
import { pgliteDialect } from '#server/platform/db/dialect.ts';
import { PgliteHost } from '#server/platform/db/pglite.ts';
import { createLog } from '#server/platform/log.ts';
import type { Schema } from '#server/platform/db/schema.ts';
import { keepDatabaseUp, keepUp } from '#server/platform/db/upkeep.ts';
import { freshDataDir } from '../template.ts';
import { eventually } from '../eventually.ts';

let db: Kysely<Schema>;
let dataDir: string;
beforeAll(async () => {
  dataDir = await freshDataDir();
  db = new Kysely<Schema>({ dialect: pgliteDialect(await PgliteHost.open(join(dataDir, DATABASE_FOLDER))) });
});
afterAll(async () => {
  await db.destroy();
  await rm(dataDir, { recursive: true });
});
beforeEach(async () => {
  await sql`drop table if exists things, "Other things"`.execute(db);
  await keepUp(db, () => false);
  await sql`create table things (id integer primary key, what text)`.execute(db);
  await sql`create table "Other things" (id integer)`.execute(db);
  await sql`insert into things select id, repeat('x', 200) from generate_series(1, 5000) as id`.execute(db);
});

/** What it finds due, once the database has counted all that was done. */
const upkeep = async (isStopped = () => false): Promise<string[]> => {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  return keepUp(db, isStopped);
};
const sizeOf = async (): Promise<number> =>
  (await sql<{ size: number }>`select pg_total_relation_size('things')::int as size`.execute(db)).rows[0]?.size ?? 0;
const changeAll = () => sql`update things set id = id + 10000`.execute(db);

describe('OPS-79: the embedded database', () => {
  it('vacuums each table after a start, then those that have changed much', async () => {
    expect(await upkeep()).toEqual(['vacuum (analyze) public."Other things"', 'vacuum (analyze) public.things']);
    expect(await upkeep()).toEqual([]);
    await sql`delete from things where id <= 900`.execute(db);
    expect(await upkeep()).toEqual(['analyze public.things']);
    await sql`delete from things where id <= 2000`.execute(db);
    expect(await upkeep()).toEqual(['vacuum (analyze) public.things']);
    await sql`insert into "Other things" select generate_series(1, 51)`.execute(db);
    expect(await upkeep()).toEqual(['analyze public."Other things"']);
  });

  it('uses the room of rows that are gone again', async () => {
    await changeAll();
    await upkeep();
    const after = await sizeOf();
    for (let turn = 0; turn < 5; turn += 1) {
      await changeAll();
      await upkeep();
    }
    expect(await sizeOf()).toBeLessThan(after * 1.5);
    await changeAll();
    await changeAll();
    expect(await sizeOf()).toBeGreaterThan(after * 1.5);
  });

  it('stops between two tables once the server closes', async () => {
    let asked = 0;
    expect(await upkeep(() => (asked += 1) > 1)).toEqual(['vacuum (analyze) public."Other things"']);
  });

  const begin = (kind: 'embedded' | 'postgres'): Closing => {
    const log = createLog('silent');
    const closing = new Closing(log);
    keepDatabaseUp({ db, database: { kind }, closing, log, config: { role: 'all' } });
    return closing;
  };

  it('is kept up every ten minutes', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const closing = begin('embedded');
    vi.advanceTimersByTime(10 * 60_000);
    vi.useRealTimers();
    const kept = sql`select from pg_stat_user_tables where relname = 'things' and last_vacuum is not null`;
    await eventually(async () => expect((await kept.execute(db)).rows).toHaveLength(1));
    await closing.run();
  });

  it('is the only one that needs it', () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    begin('postgres');
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
});
