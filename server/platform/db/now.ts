import { sql } from 'kysely';
import type { Db } from './database.ts';

/**
 * Now, by the clock of the database: the same for every process, whatever their machines say. What leases and counted minutes go by.
 * A test that has turned the services' clock has turned this one as far.
 */
export async function databaseNow(db: Db, clock: () => Date): Promise<Date> {
  const turnedMs = clock().getTime() - Date.now();
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('The database does not tell the time.');
  return new Date(row.now.getTime() + turnedMs);
}
