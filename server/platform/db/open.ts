import { Kysely, Migrator } from 'kysely';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { pgliteDialect } from './dialect.ts';
import { DATABASE_FOLDER, databaseFolder, requireSpace, requireWritable } from '../data-dir.ts';
import { StartError } from '../start-error.ts';
import { lockDirectory, lockFolder } from './lock.ts';
import { migrations } from './migrations/index.ts';
import { PgliteHost } from './pglite.ts';
import type { Schema } from './schema.ts';
import type { Database, Db } from './database.ts';

export { DATABASE_FOLDER } from '../data-dir.ts';

/**
 * Opens the database and brings its tables up to date.
 * @param where `databaseUrl` for an outside Postgres; else `dataDir` for the embedded one (undefined: in memory, for tests).
 * @throws DirectoryInUse when another live process has the data directory; another StartError for what else an operator can put right.
 */
export async function openDatabase(where: {
  databaseUrl?: string | undefined;
  dataDir?: string | undefined;
}): Promise<Database> {
  const database =
    where.databaseUrl === undefined ? await openEmbedded(where.dataDir) : await openOutside(where.databaseUrl);
  try {
    await migrate(database.db);
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
    const db = new Kysely<Schema>({ dialect: pgliteDialect(host) });
    return {
      kind: 'embedded',
      db,
      listen: (channel, callback) => host.listen(channel, callback),
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

type Opened = { host: PgliteHost; lock?: { release(): void } };

/** The database of a data directory that is locked. */
async function openDirectory(dataDir: string): Promise<Opened> {
  await requireSpace(dataDir);
  let doing = 'made';
  try {
    const folder = await databaseFolder(dataDir, async (unfinished) => (await PgliteHost.open(unfinished)).close());
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

async function openOutside(databaseUrl: string): Promise<Database> {
  const { openPostgres, probePostgres } = await import('./postgres.ts');
  await probePostgres(databaseUrl);
  return openPostgres(databaseUrl);
}

/** Runs what has not run yet; safe when several processes start at once (advisory lock). */
async function migrate(db: Db): Promise<void> {
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest();
  if (error === undefined) return;
  const missing =
    error instanceof Error
      ? /^corrupted migrations: previously executed migration (\S+) is missing$/.exec(error.message)?.[1]
      : undefined;
  if (missing !== undefined)
    throw new StartError(
      `The database was last used by a newer version of this server (it has ${missing}). Start that version or a later one, or put back a backup from before.`,
    );
  throw error instanceof Error ? error : new Error('The database could not be brought up to date.', { cause: error });
}
