/**
 * Holds recordings during a backup: none is removed until the backup has copied those that its copy of the database
 * names. A hold is a shared advisory lock of the database. It counts for all processes, and ends with its connection.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../db/database.ts';

/** The key of the lock. */
const [CLASS, OBJECT] = [1_885_434_466, 1];
const KEY = sql`${sql.lit(CLASS)}, ${sql.lit(OBJECT)}`;

/** Takes a hold until the end of the transaction. Use a transaction of its own, before the database is copied. */
export const HOLD: RawBuilder<unknown> = sql`select pg_advisory_xact_lock_shared(${KEY})`;
/** Takes a hold on a lasting connection, until `LET_GO`. */
export const HOLD_ON: RawBuilder<unknown> = sql`select pg_advisory_lock_shared(${KEY})`;
export const LET_GO: RawBuilder<unknown> = sql`select pg_advisory_unlock_shared(${KEY})`;

/**
 * Whether there is a hold. Ask after a recording's row is deleted and before its bytes are: a backup that begins after
 * the answer does not have the row.
 */
export async function isHeld(db: Db): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`select exists (select from pg_locks
    where locktype = 'advisory' and classid = ${sql.lit(CLASS)} and objid = ${sql.lit(OBJECT)} and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())) as held`.execute(db);
  return rows[0]?.held === true;
}
