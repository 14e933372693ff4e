/** Runs migrations, and checks whether this version may use a database (OPS-20). */
import { Migrator, sql, type Migration } from 'kysely';
import { StartError } from '../start-error.ts';
import { isDeadlock } from './away.ts';
import type { Db } from './database.ts';
import { migrations } from './schema.ts';

export type Migrations = Readonly<Record<string, Migration>>;

/** Attempts: running servers take locks in other orders, so that a deadlock may roll all migrations back. */
const TRIES = 10;

/** Kysely's table of executed migrations. */
const EXECUTED = 'kysely_migration';
/** A migration that removes something adds its name to this table. A version without it must not use the database. */
const REQUIRED = 'required_migrations';

/**
 * Runs pending migrations. Several processes may do so at once (advisory lock). Migrations of a newer version stay.
 * @returns the names of the migrations it has run, in order
 * @throws StartError if the database needs a newer version
 */
export async function migrate(db: Db, own: Migrations = migrations): Promise<string[]> {
  const { foreign } = await stateOf(db, own);
  // Kysely must know all executed migrations. It does not run them again, so those of other versions need no steps.
  const known = Object.fromEntries(foreign.map((name): [string, Migration] => [name, { up: unknownSteps(name) }]));
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...known, ...own }) },
    // Two versions that were developed in parallel may each have a migration before one of the other's.
    allowUnorderedMigrations: true,
  });
  for (let left = TRIES - 1; ; left -= 1) {
    const { error, results = [] } = await migrator.migrateToLatest();
    if (error === undefined) return results.map(({ migrationName }) => migrationName);
    if (left > 0 && isDeadlock(error)) continue;
    throw error instanceof Error ? error : new Error('The database could not be brought up to date.', { cause: error });
  }
}

/** Checks that no migration is pending. @throws StartError if one is, or if the database needs a newer version */
export async function requireMigrated(db: Db, own: Migrations = migrations): Promise<void> {
  const { pending } = await stateOf(db, own);
  if (pending.length > 0)
    throw new StartError(
      `The database lacks ${pending.length === 1 ? 'a migration' : `${pending.length} migrations`} of this version (${pending.join(', ')}). Run npm run migrate, or set MIGRATE_ON_START to on.`,
    );
}

/**
 * @returns this version's pending migrations, and executed migrations of other versions (`foreign`)
 * @throws StartError as {@link migrate}
 */
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

/** Names of the executed migrations. */
export const executedIn = (db: Db): Promise<string[]> => namesIn(db, EXECUTED);

/** The names in a table; empty if the table does not exist yet. */
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
