/** Which migrations a database has, which it lacks, and whether this version may work on it (OPS-20). */
import { Migrator, sql, type Migration } from 'kysely';
import { StartError } from '../start-error.ts';
import { isDeadlock } from './away.ts';
import type { Db } from './database.ts';
import { migrations } from './migrations/index.ts';

export type Migrations = Readonly<Record<string, Migration>>;

/** Servers that run on take locks in orders of their own, and all is undone where the two wait for each other. */
const TRIES = 10;

/** Where Kysely keeps the names of what has run. */
const EXECUTED = 'kysely_migration';
/** Where a migration that takes something away names itself: a version that does not know it must not work on the database any more. */
const REQUIRED = 'required_migrations';

/**
 * Runs what has not run yet; safe when several processes start at once (advisory lock). What a newer version has run stays.
 * @returns the names of what has run now, in order
 * @throws StartError when the database needs a newer version
 */
export async function migrate(db: Db, own: Migrations = migrations): Promise<string[]> {
  const { foreign } = await stateOf(db, own);
  // Kysely wants to know all that has run. What it does not run again needs no steps.
  const known = Object.fromEntries(foreign.map((name): [string, Migration] => [name, { up: unknownSteps(name) }]));
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...known, ...own }) },
    // Two versions that were made side by side may each have a migration before one of the other's.
    allowUnorderedMigrations: true,
  });
  for (let left = TRIES - 1; ; left -= 1) {
    const { error, results = [] } = await migrator.migrateToLatest();
    if (error === undefined) return results.map(({ migrationName }) => migrationName);
    if (left > 0 && isDeadlock(error)) continue;
    throw error instanceof Error ? error : new Error('The database could not be brought up to date.', { cause: error });
  }
}

/** For a server that leaves migrations to `npm run migrate`. @throws StartError when some have not run yet, or the database needs a newer version */
export async function requireMigrated(db: Db, own: Migrations = migrations): Promise<void> {
  const { pending } = await stateOf(db, own);
  if (pending.length > 0)
    throw new StartError(
      `The database lacks ${pending.length === 1 ? 'a migration' : `${pending.length} migrations`} of this version (${pending.join(', ')}). Run npm run migrate, or set MIGRATE_ON_START to on.`,
    );
}

/** @returns of this version's migrations those that have not run, and those that have run and are of another version */
export async function stateOf(db: Db, own: Migrations = migrations): Promise<{ pending: string[]; foreign: string[] }> {
  const executed = await executedIn(db);
  const missing = (await namesIn(db, REQUIRED)).find((name) => !Object.hasOwn(own, name));
  if (missing !== undefined)
    throw new StartError(
      `The database needs a newer version of this server (it has ${missing}). Start that version or a later one, or put back a backup from before.`,
    );
  return {
    pending: Object.keys(own).filter((name) => !executed.includes(name)),
    foreign: executed.filter((name) => !Object.hasOwn(own, name)),
  };
}

/** The names of what has run. */
export const executedIn = (db: Db): Promise<string[]> => namesIn(db, EXECUTED);

/** None where the table does not exist yet. */
async function namesIn(db: Db, table: string): Promise<string[]> {
  const { rows: found } = await sql<{
    is_there: boolean;
  }>`select to_regclass(${table}) is not null as is_there`.execute(db);
  if (found[0]?.is_there !== true) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(table)} order by name`.execute(db);
  return rows.map(({ name }) => name);
}

const unknownSteps = (name: string) => async (): Promise<void> => {
  throw new Error(`The steps of ${name} are not known to this version.`);
};
