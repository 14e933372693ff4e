/** The target of a restore: an empty database, or one that it may replace. */
import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { OperatorError } from '../operator-error.ts';
import { endSeries } from '../../money/ledger/receipt-series.ts';
import { noteRestored } from '../../money/payments/past.ts';
import type { Config } from '../../platform/config.ts';
import { DATABASE_FOLDER, prepareDataDir, requireSpace, UNFINISHED_DATABASE } from '../../platform/data-dir.ts';
import type { Database, Db } from '../../platform/db/database.ts';
import { lockDirectory } from '../../platform/db/lock.ts';
import { executedIn, migrate } from '../../platform/db/migrate.ts';
import { migrations } from '../../platform/db/schema.ts';
import { openFolder } from '../../platform/db/open.ts';
import { areAtWork } from '../../platform/installation.ts';
import { openPostgres, probePostgres } from '../../platform/db/postgres.ts';
import { loadRows } from './rows.ts';
import { syncFolder, type Content } from './format.ts';
import type { Say } from './progress.ts';

interface Target {
  /** Replaces all rows, or none. The last step of a restore. */
  load(folder: string, content: Content, say: Say): Promise<void>;
  close(): Promise<void>;
}

/** A step of the transaction that replaces the rows. */
type Step = (trx: Db) => Promise<void>;

/**
 * Opens the target, and locks the data directory of an embedded database. Changes nothing yet.
 * @param restoring `mayReplace`: its contents may be lost; `isMoved`: no server has run since the backup
 * @throws OperatorError if it is not empty and may not be replaced; StartError if a server runs in the data directory
 */
export async function openTarget(
  config: Config,
  content: Content,
  { mayReplace, isMoved }: { mayReplace: boolean; isMoved: boolean },
): Promise<Target> {
  await prepareDataDir(config.dataDir);
  const lacking = content.migrations.find((name) => !Object.hasOwn(migrations, name));
  if (lacking !== undefined)
    throw new OperatorError(
      `The backup is of a newer version (${content.version}, it has ${lacking}). Restore it with that version or a later one.`,
    );
  const after = async (trx: Db): Promise<void> => {
    await askProviderAgain(trx, content);
    // The servers that used the storage when the backup was taken do not run here.
    if (content.migrations.includes('0058-storage-place'))
      await trx
        .updateTable('storage_place')
        .set({ taken_at: new Date(0) })
        .execute();
    if (!isMoved && content.migrations.includes('0054-ended-series')) await endSeries(trx);
  };
  return config.databaseUrl === undefined
    ? openEmbedded(config.dataDir, mayReplace, after)
    : openOutside(config.directUrl ?? config.databaseUrl, content, mayReplace, after);
}

const notEmpty = (what: string): OperatorError =>
  new OperatorError(
    `${what} is not empty. Restore into a new one, or add --replace to lose its contents. Nothing was changed.`,
  );

/** Runs the migrations that the backup's database had. */
const makeTables = (db: Db, { migrations: names }: Content): Promise<string[]> =>
  migrate(db, Object.fromEntries(Object.entries(migrations).filter(([name]) => names.includes(name))));

async function replaceRows(
  db: Db,
  folder: string,
  content: Content,
  { say, before = () => Promise.resolve(), after }: { say: Say; before?: Step; after: Step },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await before(trx);
    await loadRows(trx, folder, content, say);
    await after(trx);
  });
  await sql`analyze`.execute(db);
}

/** Makes servers ask the payment provider for what has happened since. In older tables a missing row means the same. */
async function askProviderAgain(trx: Db, content: Content): Promise<void> {
  const has = (name: keyof typeof migrations): boolean => content.migrations.includes(name);
  if (has('0051-restored')) await noteRestored(trx);
  else if (has('0028-payment-ends')) await trx.deleteFrom('provider_looks').execute();
}

async function openEmbedded(dataDir: string, mayReplace: boolean, after: Step): Promise<Target> {
  const lock = lockDirectory(dataDir);
  try {
    const folder = join(dataDir, DATABASE_FOLDER);
    const isThere = existsSync(folder) && (await readdir(folder)).length > 0;
    if (isThere && !mayReplace) throw notEmpty(`The database in ${dataDir}`);
    await requireSpace(dataDir);
    return {
      async load(from, content, say) {
        // No server opens a database with this name.
        const unfinished = join(dataDir, UNFINISHED_DATABASE);
        await rm(unfinished, { recursive: true, force: true });
        const database = await openFolder(unfinished);
        try {
          await makeTables(database.db, content);
          await replaceRows(database.db, from, content, { say, after });
        } finally {
          await database.close();
        }
        const before = join(dataDir, `${DATABASE_FOLDER}.before`);
        await rm(before, { recursive: true, force: true });
        if (existsSync(folder)) await rename(folder, before);
        await rename(unfinished, folder);
        await syncFolder(dataDir);
        await rm(before, { recursive: true, force: true });
      },
      close: () => Promise.resolve(lock.release()),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openOutside(databaseUrl: string, content: Content, mayReplace: boolean, after: Step): Promise<Target> {
  await probePostgres(databaseUrl);
  const database = openPostgres({ databaseUrl, connections: 1 });
  try {
    await requireFree(database, content, mayReplace);
    return {
      async load(from, _content, say) {
        await makeTables(database.patient, content);
        // Copying recordings may have taken hours, so a server may have started. The lock keeps others from starting.
        const before = async (trx: Db): Promise<void> => {
          await sql`lock table processes in share row exclusive mode`.execute(trx);
          await requireIdle(trx);
        };
        await replaceRows(database.patient, from, content, { say, before, after });
      },
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function requireFree({ db }: Database, content: Content, mayReplace: boolean): Promise<void> {
  const executed = await executedIn(db);
  if (executed.length === 0) {
    const { rows } =
      await sql`select from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') limit 1`.execute(
        db,
      );
    if (rows.length > 0)
      throw new OperatorError('Another program uses the database at DATABASE_URL. Nothing was changed.');
    return;
  }
  if (executed.toSorted().join() !== content.migrations.toSorted().join())
    throw new OperatorError(
      'The database at DATABASE_URL has the tables of another version than the backup. Restore into an empty database. Nothing was changed.',
    );
  await requireIdle(db);
  if (mayReplace) return;
  for (const table of ['installation', 'users', 'organizations'] as const) {
    const { rows: some } = await sql`select from ${sql.table(table)} limit 1`.execute(db);
    if (some.length > 0) throw notEmpty('The database at DATABASE_URL');
  }
}

async function requireIdle(db: Db): Promise<void> {
  if (await areAtWork(db))
    throw new OperatorError(
      'Servers work on the database at DATABASE_URL. Stop them first; after killing one, wait half a minute. No row was changed.',
    );
}
