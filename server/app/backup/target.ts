/** What a backup is restored into: an empty database, or one that it may replace. */
import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { OperatorError } from '../../money/limits/operator.ts';
import { endSeries } from '../../money/ledger/receipt-series.ts';
import { noteRestored } from '../../money/payments/past.ts';
import type { Config } from '../../platform/config.ts';
import { DATABASE_FOLDER, prepareDataDir, requireSpace, UNFINISHED_DATABASE } from '../../platform/data-dir.ts';
import type { Database, Db } from '../../platform/db/database.ts';
import { lockDirectory } from '../../platform/db/lock.ts';
import { executedIn, migrate } from '../../platform/db/migrate.ts';
import { migrations } from '../../platform/db/migrations/index.ts';
import { openFolder } from '../../platform/db/open.ts';
import { areAtWork } from '../../platform/installation.ts';
import { openPostgres, probePostgres } from '../../platform/db/postgres.ts';
import { loadRows } from './rows.ts';
import { syncFolder, type Content } from './format.ts';
import type { Say } from './progress.ts';

interface Target {
  /** Puts all rows in, or none. The last that a restore does. */
  load(folder: string, content: Content, say: Say): Promise<void>;
  close(): Promise<void>;
}

/** Part of the transaction that puts the rows in. */
type Step = (trx: Db) => Promise<void>;

/**
 * Takes the target for this process, as far as it has a lock; nothing of it is changed yet.
 * @param restoring `mayReplace`: whether what it holds may be lost; `isMoved`: whether nothing has come after the backup
 * @throws OperatorError where it is not empty, unless it may be replaced; StartError while a server has the data directory
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
    await askAnew(trx, content);
    // Whoever had begun with another place as the backup was taken is not at work here.
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
    `${what} is not empty. Restore into a new one; or, to lose what it holds, add --replace. Nothing was changed.`,
  );

/** The tables that the migrations of the backup make. */
const makeTables = (db: Db, { migrations: names }: Content): Promise<string[]> =>
  migrate(db, Object.fromEntries(Object.entries(migrations).filter(([name]) => names.includes(name))));

async function putIn(
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

/** The payment provider is asked for what these rows do not know; a backup of before that was noted is told by its having no row. */
async function askAnew(trx: Db, content: Content): Promise<void> {
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
        // Until it has its name no server takes it for a database.
        const unfinished = join(dataDir, UNFINISHED_DATABASE);
        await rm(unfinished, { recursive: true, force: true });
        const database = await openFolder(unfinished);
        try {
          await makeTables(database.db, content);
          await putIn(database.db, from, content, { say, after });
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
        // Recordings may have taken hours: servers may have come since, or would while the rows are replaced.
        const before = async (trx: Db): Promise<void> => {
          await sql`lock table processes in share row exclusive mode`.execute(trx);
          await requireIdle(trx);
        };
        await putIn(database.patient, from, content, { say, before, after });
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
      throw new OperatorError('The database at DATABASE_URL has tables of another program. Nothing was changed.');
    return;
  }
  if (executed.toSorted().join() !== content.migrations.toSorted().join())
    throw new OperatorError(
      'The database at DATABASE_URL has the tables of another version than the backup. Restore into one without tables. Nothing was changed.',
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
      'Servers are at work on the database at DATABASE_URL. Stop them first, and wait for half a minute after one was killed. Its rows were not changed.',
    );
}
