/**
 * Vacuums and analyzes the embedded database, which has no autovacuum: frees the space of dead rows, and updates
 * statistics.
 */
import { sql } from 'kysely';
import type { Services } from '../context.ts';
import { repeat } from '../repeat.ts';
import type { Db } from './database.ts';

const EVERY_MS = 10 * 60_000;

interface Due {
  /** Quoted name. */
  name: string;
  /** Whether dead rows take space; else only its statistics are old. */
  hasDeadRows: boolean;
}

/**
 * Vacuums or analyzes each table that has changed enough, by the rule of autovacuum; and all tables once after a start,
 * because the statistics are lost then. Uses a statement for each table, so that requests wait for one table at most.
 * @returns the statements that it has run
 */
export async function keepUp(db: Db, isStopped: () => boolean): Promise<string[]> {
  const done: string[] = [];
  for (const { name, hasDeadRows } of await dueTables(db)) {
    if (isStopped()) break;
    const statement = `${hasDeadRows ? 'vacuum (analyze)' : 'analyze'} ${name}`;
    await sql.raw(statement).execute(db);
    done.push(statement);
  }
  return done;
}

async function dueTables(db: Db): Promise<Due[]> {
  const { rows } = await sql<Due>`
    with tables as (
      select format('%I.%I', schemaname, stats.relname) as name, greatest(reltuples, 0) as size,
        n_dead_tup as dead, n_mod_since_analyze as changed, last_vacuum
      from pg_stat_user_tables stats join pg_class on pg_class.oid = relid
      where relkind = 'r'
    ), due as (
      select name, last_vacuum is null or dead > 50 + size * 0.2 as "hasDeadRows",
        changed > 50 + size * 0.1 as "isChanged"
      from tables
    )
    select name, "hasDeadRows" from due where "hasDeadRows" or "isChanged" order by name`.execute(db);
  return rows;
}

/** Runs {@link keepUp} every ten minutes until the server closes. Does nothing for PostgreSQL. */
export function keepDatabaseUp({
  db,
  database,
  closing,
  ...parts
}: Pick<Services, 'db' | 'closing' | 'log'> & {
  database: Pick<Services['database'], 'kind'>;
  config: Pick<Services['config'], 'role'>;
}): void {
  if (database.kind !== 'embedded') return;
  repeat(
    { ...parts, closing },
    { name: 'upkeep of the database', everyMs: EVERY_MS, run: () => keepUp(db, () => closing.begun) },
  );
}
