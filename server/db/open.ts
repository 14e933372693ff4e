import { Kysely, Migrator } from 'kysely';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pgliteDialect } from './dialect.ts';
import { lockDirectory } from './lock.ts';
import { migrations } from './migrations/index.ts';
import { PgliteHost } from './pglite.ts';
import type { Schema } from './schema.ts';

export type Db = Kysely<Schema>;

export interface Database {
  kind: 'embedded' | 'postgres';
  db: Db;
  /**
   * Calls back with the payload of every `pg_notify(channel, …)`; returns the way to stop. Channel: lower case and `_`.
   * @param resumed called when the database is heard again after a loss: what was told in between has been missed
   */
  listen(channel: string, callback: (payload: string) => void, resumed?: () => void): Promise<() => void>;
  close(): Promise<void>;
}

/** Where the embedded database lives inside the data directory. */
export const DATABASE_FOLDER = 'database';

/**
 * Opens the database and brings its tables up to date.
 * @param where `databaseUrl` for an outside Postgres; else `dataDir` for the embedded one (undefined: in memory, for tests).
 * @throws DirectoryInUse when another live process has the data directory.
 */
export async function openDatabase(where: { databaseUrl?: string | undefined; dataDir?: string | undefined }): Promise<Database> {
  const database = where.databaseUrl === undefined ? await openEmbedded(where.dataDir) : (await import('./postgres.ts')).openPostgres(where.databaseUrl);
  try {
    await migrate(database.db);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

async function openEmbedded(dataDir: string | undefined): Promise<Database> {
  if (dataDir !== undefined) await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = dataDir === undefined ? undefined : lockDirectory(dataDir);
  try {
    const host = await PgliteHost.open(dataDir === undefined ? undefined : join(dataDir, DATABASE_FOLDER));
    const db = new Kysely<Schema>({ dialect: pgliteDialect(host) });
    return {
      kind: 'embedded',
      db,
      listen: (channel, callback) => host.listen(channel, callback),
      close: async () => {
        await db.destroy();
        await host.close();
        lock?.release();
      },
    };
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** Runs what has not run yet; safe when several processes start at once (advisory lock). */
async function migrate(db: Db): Promise<void> {
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest();
  if (error !== undefined) throw error instanceof Error ? error : new Error('The database could not be brought up to date.', { cause: error });
}
