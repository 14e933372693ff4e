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

/** Opens the database without running migrations. @throws as {@link openDatabase} */
export const openAsIs = ({ databaseUrl, dataDir, ...outside }: Where): Promise<Database> =>
  databaseUrl === undefined ? openEmbedded(dataDir) : openOutside({ ...outside, databaseUrl });

/**
 * Opens the database and runs migrations, unless that is left to `npm run migrate`.
 * @param where `databaseUrl` for an outside PostgreSQL; else `dataDir` for the embedded database (undefined: in memory)
 * @throws DirectoryInUse if another process uses the data directory; StartError for other problems that operators can
 * fix
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
      // On a connection of its own: inside another query's transaction, a rollback would undo it.
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

/** Opens or makes an embedded database in a folder, without a lock and without migrations. */
export async function openFolder(folder: string): Promise<Pick<Database, 'db' | 'close'>> {
  const host = await PgliteHost.open(folder);
  const db = new Kysely<Schema>({ dialect: pgliteDialect(host) });
  return { db, close: () => db.destroy() };
}

type OpenDirectory = { host: PgliteHost; lock?: { release(): void } };

/** Opens the database of a locked data directory. */
async function openDirectory(dataDir: string): Promise<OpenDirectory> {
  await requireSpace(dataDir);
  let doing = 'made';
  try {
    const folder = await databaseFolder(dataDir, makeDatabase);
    doing = 'opened';
    // The folder may be a link, for example to another disk, which PGlite's file system does not follow.
    return await openLocked(await realpath(folder));
  } catch (error) {
    if (error instanceof StartError) throw error;
    // PGlite does not say whether space or permissions are missing, so try to write a file.
    await requireWritable(dataDir);
    throw damaged(dataDir, doing, error);
  }
}

/** Makes an empty database. A release has one to copy, because making one takes seconds. */
async function makeDatabase(folder: string): Promise<void> {
  if (existsSync(emptyDatabase)) await copyPrivately(emptyDatabase, folder);
  else await (await PgliteHost.open(folder)).close();
}

/** Locks a database folder and opens it. Two data directories may lead to the same folder by links. */
async function openLocked(folder: string): Promise<OpenDirectory> {
  const lock = lockFolder(folder);
  try {
    return { host: await PgliteHost.open(folder), lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Whether the SQLSTATE tells of a system error on a file (58…) or an internal error (XX…). */
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
