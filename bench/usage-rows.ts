/**
 * Five million requests over a year on PostgreSQL, where there is one, and one million on the embedded database: how long reports, logs and
 * metrics take at the server, and their screens in a browser; what the end of one more costs; and how long the rollups take to be made
 * anew, month by month.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { compactRollups } from '#server/money/usage/compact.ts';
import { monthAfter, monthOf } from '#server/money/usage/months.ts';
import { finishRebuild, rebuildRollups } from '#server/money/usage/rebuild.ts';
import type { Database, Db } from '#server/platform/db/database.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { findPostgres } from '../scripts/postgres.mjs';
import { startCluster } from '../test/postgres/cluster.ts';
import type { TestUser } from '../test/server/harness.ts';
import { startSpeechServer } from '../test/server/speech-api/harness.ts';
import { figure, type Row } from './row.ts';
import { scaled } from './settings.ts';
import { callAll } from './usage-calls.ts';
import { endMany } from './usage-ends.ts';
import { fill, MONTHS, seconds, type Say } from './usage-fill.ts';
import { givePassword, openScreens } from './usage-screens.ts';

/** What each database is made for. */
const ROWS: Readonly<Record<Database['kind'], number>> = { postgres: 5_000_000, embedded: 1_000_000 };

/** Where a server finds a database, and keeps what else it has. */
type Where = { settings: Record<string, string>; directory: string };

export async function run(): Promise<Row[]> {
  const named = (process.env['BENCH_DATABASES'] ?? 'postgres,embedded').split(',');
  const known = named.filter((name) => name !== 'postgres' || findPostgres() !== undefined);
  const kinds = known.slice(0, scaled(known.length));
  const directories: string[] = [];
  const newDirectory = async (): Promise<string> => {
    const directory = await mkdtemp(join(tmpdir(), 'parlance-bench-'));
    directories.push(directory);
    return directory;
  };
  const rows: Row[] = [];
  try {
    if (kinds.includes('postgres')) {
      const cluster = await startCluster();
      try {
        const databaseUrl = cluster.urlOf('postgres');
        const where = { settings: { DATABASE_URL: databaseUrl }, directory: await newDirectory() };
        rows.push(...(await measure(await openDatabase({ databaseUrl }), where)));
      } finally {
        await cluster.stop();
      }
    }
    if (kinds.includes('embedded')) {
      const directory = await newDirectory();
      rows.push(...(await measure(await openDatabase({ dataDir: directory }), { settings: {}, directory })));
    }
    return rows;
  } finally {
    for (const directory of directories) await rm(directory, { recursive: true, force: true });
  }
}

async function measure(database: Database, where: Where): Promise<Row[]> {
  const say: Say = (text) => process.stderr.write(`${database.kind}: ${text}\n`);
  // Two servers have it, one after the other.
  const secret = { SECRET_KEY: randomUUID() };
  const { user, rows } = await measureServer(database, { ...secret, DATA_DIR: where.directory }, say);
  const screens = await openScreens(user, { ...where, settings: { ...where.settings, ...secret } }, say).catch(
    (error: unknown) => {
      say(`screens: ${String(error)}`);
      return [figure('screens', Number.NaN, 's')];
    },
  );
  return [...rows, ...screens].map((row) => ({
    ...row,
    name: `${database.kind}: ${row.name}`,
  }));
}

async function measureServer(
  database: Database,
  env: Record<string, string>,
  say: Say,
): Promise<{ user: TestUser; rows: Row[] }> {
  const server = await startSpeechServer({ server: { env, overrides: { database } } });
  try {
    const count = scaled(ROWS[database.kind]);
    const { db } = database;
    const user = await server.createUser();
    const first = monthAfter(monthOf(new Date()), 1 - MONTHS);
    const from = performance.now();
    await fill(db, [user, await server.createUser()], { first, count }, say);
    say(`${count} rows written after ${seconds(from)}`);
    const rebuilt = await rebuild(db, say);
    await sql`vacuum analyze`.execute(db);
    say(`rollups: ${await sizeOf(db, 'usage_%ly')}, ${await sizeOf(db, 'log_days')}`);
    const called = await callAll(server, user, first, say);
    const ended = await endMany(db, user);
    await compactRollups(db, new Date());
    await givePassword(db, user);
    return { user, rows: [...rebuilt, ...called, ...ended] };
  } finally {
    await server.close();
  }
}

async function sizeOf(db: Db, pattern: string): Promise<string> {
  const { rows } = await sql<{ name: string; rows: number; size: string }>`
    select relname as name, reltuples::int as rows, pg_size_pretty(pg_total_relation_size(oid)) as size
    from pg_class where relkind = 'r' and relname like ${pattern} order by 1`.execute(db);
  return rows.map(({ name, rows: count, size }) => `${name} ${count} (${size})`).join(', ');
}

/** Made anew, stopped after each month, and gone on with. */
async function rebuild(db: Db, say: Say): Promise<Row[]> {
  const months: number[] = [];
  await rebuildRollups(db, AbortSignal.abort());
  for (let left = true; left;) {
    const from = performance.now();
    const stop = new AbortController();
    const one = finishRebuild(db, stop.signal);
    stop.abort();
    await one;
    months.push(performance.now() - from);
    left = (await db.selectFrom('usage_rebuild').select('next_month').executeTakeFirst()) !== undefined;
  }
  const total = months.reduce((sum, ms) => sum + ms, 0);
  say(`rollups made anew in ${(total / 1000).toFixed(1)} s`);
  return [
    figure('rollups made anew', total / 1000, 's'),
    figure('the longest month of it', Math.max(...months) / 1000, 's'),
  ];
}
