/** Random steps on the ledger, with a process that ends now and then, over both databases: `docs/requirements.md`, LED-04. */
import { rm } from 'node:fs/promises';
import { openDatabase } from '#server/platform/db/open.ts';
import type { Database } from '#server/platform/db/database.ts';
import { findPostgres } from '../scripts/postgres.mjs';
import { CLUSTER_VARIABLE, startCluster } from '../test/postgres/cluster.ts';
import { createPostgres } from '../test/server/databases.ts';
import { walkAtRandom } from '../test/server/money/ledger/run.ts';
import { openWorlds } from '../test/server/money/ledger/worlds.ts';
import { freshDataDir } from '../test/server/template.ts';
import { figure, type Row } from './row.ts';
import { scaled } from './settings.ts';

/** At least so many on each database, and each world comes to its end. */
const STEPS = 10_000;
const STRIDES = 100;

export async function run(): Promise<Row[]> {
  const seed = Number(process.env['LEDGER_SEED'] ?? Date.now() % 2 ** 31);
  console.log(`Seed of the ledger's steps: ${seed}`);
  const dataDir = await freshDataDir();
  const rows = await walk('embedded', await openDatabase({ dataDir }), seed);
  await rm(dataDir, { recursive: true });
  if (findPostgres() === undefined) return rows;
  const cluster = await startCluster();
  process.env[CLUSTER_VARIABLE] = cluster.urlOf('');
  const folder = await freshDataDir();
  try {
    const databaseUrl = await createPostgres();
    return [...rows, ...(await walk('PostgreSQL', await openDatabase({ dataDir: folder, databaseUrl }), seed + 1))];
  } finally {
    await cluster.stop();
    await rm(folder, { recursive: true });
  }
}

/** @throws Error with the seed, and the strides that a run went wrong by, a line each */
async function walk(name: string, database: Database, seed: number): Promise<Row[]> {
  const worlds = await openWorlds(database);
  const from = performance.now();
  const runs = scaled(STEPS / STRIDES);
  const steps = await walkAtRandom(worlds, { seed, runs, length: STRIDES, again: 'npm run bench ledger' });
  await worlds.close();
  return [
    figure(`ledger, ${name}: random steps, nothing wrong`, steps, 'steps'),
    figure(`ledger, ${name}: a step with its proof`, (performance.now() - from) / steps, 'ms'),
  ];
}
