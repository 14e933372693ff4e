import { Kysely } from 'kysely';
import { existsSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { pgliteDialect } from './dialect.ts';
import { copyPrivately, DATABASE_FOLDER, databaseFolder, requireSpace, requireWritable } from '../data-dir.ts';
import { emptyDatabase } from '../paths.ts';
import { StartError } from '../start-error.ts';
import { lockDirectory, lockFolder } from './lock.ts';
import { migrate, requireMigrated } from './migrate.ts';
import { PgliteHost } from './pglite.ts';
import type { Schema } from './schema.ts';
import type { Database } from './database.ts';
import { queryWatch } from './watched.ts';
import type { PostgresOptions } from './postgres.ts';

export { DATABASE_FOLDER } from '../data-dir.ts';

type Where = Partial<Omit<PostgresOptions, 'databaseUrl'>> & {
  databaseUrl?: string | undefined;
  dataDir?: string | undefined;
};

/** Opens the database with the tables that it has. @throws as {@link openDatabase} */
export const openAsIs = ({ databaseUrl, dataDir, ...outside }: Where): Promise<Database> =>
  databaseUrl === undefined ? openEmbedded(dataDir) : openOutside({ ...outside, databaseUrl });

/**
 * Opens the database and brings its tables up to date, unless that is left to `npm run migrate`.
 * @param where `databaseUrl` for an outside Postgres; else `dataDir` for the embedded one (undefined: in memory, for tests).
 * @throws DirectoryInUse when another live process has the data directory; another StartError for what else an operator can put right.
 */
export async function openDatabase(where: Where & { migrateOnStart?: boolean }): Promise<Database> {
  const database = await openAsIs(where);
  try {
    await (where.migrateOnStart === false ? requireMigrated(database.patient) : migrate(database.patient));
  } catch (error) {
    await database.close();
    throw where.databaseUrl === undefined && where.dataDir !== undefined && isDamage(error)
      ? damaged(where.dataDir, 'read', error)
      : error;
  }
  return database;
}

async function openEmbedded(dataDir: string | undefined): Promise<Database> {
  if (dataDir !== undefined) await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = dataDir === undefined ? undefined : lockDirectory(dataDir);
  try {
    const { host, lock: folder } =
      dataDir === undefined ? { host: await PgliteHost.open(undefined) } : await openDirectory(dataDir);
    const { watch, log } = queryWatch();
    const db = new Kysely<Schema>({ dialect: pgliteDialect(host), log });
    return {
      kind: 'embedded',
      db,
      reports: db,
      patient: db,
      // In its turn: within a transaction it would be undone with it.
      listen: (channel, callback) => db.connection().execute(() => host.listen(channel, callback)),
      watch,
      load: () => [{ pool: 'queries', connections: 1, idle: host.waiting === 0 ? 1 : 0, waiting: host.waiting }],
      close: async () => {
        await db.destroy();
        await host.close();
        folder?.release();
        lock?.release();
      },
    };
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** A folder that holds an embedded database, or shall: nothing is locked, and no tables are made. */
export async function openFolder(folder: string): Promise<Pick<Database, 'db' | 'close'>> {
  const host = await PgliteHost.open(folder);
  const db = new Kysely<Schema>({ dialect: pgliteDialect(host) });
  return { db, close: () => db.destroy() };
}

type Opened = { host: PgliteHost; lock?: { release(): void } };

/** The database of a data directory that is locked. */
async function openDirectory(dataDir: string): Promise<Opened> {
  await requireSpace(dataDir);
  let doing = 'made';
  try {
    const folder = await databaseFolder(dataDir, makeDatabase);
    doing = 'opened';
    // The folder may be a link to another disk, which the database's own file system does not follow.
    return await openLocked(await realpath(folder));
  } catch (error) {
    if (error instanceof StartError) throw error;
    // What it says of a disk without space or rights is only that it cannot go on: a file of our own tells the reason.
    await requireWritable(dataDir);
    throw damaged(dataDir, doing, error);
  }
}

/** Of a release as a copy: to make one takes seconds. */
async function makeDatabase(folder: string): Promise<void> {
  if (existsSync(emptyDatabase)) await copyPrivately(emptyDatabase, folder);
  else await (await PgliteHost.open(folder)).close();
}

/** The database of a folder that no other server has open, by whichever way it leads there. */
async function openLocked(folder: string): Promise<Opened> {
  const lock = lockFolder(folder);
  try {
    return { host: await PgliteHost.open(folder), lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** By SQLSTATE: what the system said of a file (58…), or what PostgreSQL found wrong within itself (XX…). */
const isDamage = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(?:58|XX)/.test(String(error.code));

function damaged(dataDir: string, doing: string, cause: unknown): StartError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StartError(
    `The database in ${join(dataDir, DATABASE_FOLDER)} cannot be ${doing}; it may be damaged (${reason}). Put the folder back from a backup, or set DATA_DIR to another directory.`,
    { cause },
  );
}

async function openOutside(options: PostgresOptions): Promise<Database> {
  const { openPostgres, probePostgres } = await import('./postgres.ts');
  await probePostgres(options.databaseUrl);
  return openPostgres(options);
}
