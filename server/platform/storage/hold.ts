/**
 * Keeps recordings from being removed while a backup is made: those that its copy of the database names have to be there until they are
 * copied, too. A hold is an advisory lock of the database: it holds for all processes, and ends with the connection that has it, however
 * that ends.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../db/database.ts';

/** Two numbers that name the lock. */
const [CLASS, OBJECT] = [1_885_434_466, 1];
const KEY = sql`${sql.lit(CLASS)}, ${sql.lit(OBJECT)}`;

/** Holds to the end of the transaction. Take it before the database is copied, in a transaction of its own. */
export const HOLD: RawBuilder<unknown> = sql`select pg_advisory_xact_lock_shared(${KEY})`;
/** The same on a connection that stays, until it is let go. */
export const HOLD_ON: RawBuilder<unknown> = sql`select pg_advisory_lock_shared(${KEY})`;
export const LET_GO: RawBuilder<unknown> = sql`select pg_advisory_unlock_shared(${KEY})`;

/**
 * Whether nothing may be removed just now. Ask after the row is gone: where nothing holds then, a backup that begins later does not know
 * the row either.
 */
export async function isHeld(db: Db): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`select exists (select from pg_locks
    where locktype = 'advisory' and classid = ${sql.lit(CLASS)} and objid = ${sql.lit(OBJECT)} and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())) as held`.execute(db);
  return rows[0]?.held === true;
}
