/**
 * Partitions of `usage_rows` by month (UTC). Rows of a month without one are in the default partition, which works,
 * too.
 */
import { sql } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { repeat } from '../../platform/repeat.ts';

/** Months ahead that get their partition. */
const AHEAD = 2;
const DAY_MS = 24 * 3_600_000;
/**
 * Longest wait for the table's locks, milliseconds, because ending requests wait behind it. Tried again the next day.
 */
const LOCK_MS = 3000;

export const monthAfter = (month: Date, months = 1): Date =>
  new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + months));

/** The start of the month (UTC) of a moment. */
export const monthOf = (moment: Date): Date => monthAfter(moment, 0);

/** Creates the partitions of this month and the next ones. Moves their rows out of the default partition. */
export async function makeMonths(db: Db, now: Date): Promise<void> {
  for (let ahead = 0; ahead <= AHEAD; ahead += 1) await makeMonth(db, monthAfter(now, ahead));
}

/** Creates the partition of one month, unless it exists. @returns whether it was created */
export async function makeMonth(db: Db, month: Date): Promise<boolean> {
  const name = `usage_rows_${month.toISOString().slice(0, 7).replace('-', '_')}`;
  return db.transaction().execute(async (trx) => {
    await sql`select set_config('lock_timeout', ${String(LOCK_MS)}, true)`.execute(trx);
    await sql`select pg_advisory_xact_lock(hashtextextended('usage_rows', 0))`.execute(trx);
    const { rows } = await sql<{ known: string | null }>`select to_regclass(${name})::text as known`.execute(trx);
    if (rows[0]?.known != null) return false;
    // Makes inserts wait before they choose a partition: one that has chosen the default partition would fail
    // afterwards.
    await sql`lock table only usage_rows in share row exclusive mode`.execute(trx);
    await sql`lock table usage_rows_default in access exclusive mode`.execute(trx);
    await sql`create table ${sql.table(name)} (like usage_rows including defaults including constraints)`.execute(trx);
    const [from, to] = [month, monthAfter(month)].map((bound) => sql.lit(bound.toISOString()));
    await sql`with moved as (delete from usage_rows_default where ended_at >= ${from} and ended_at < ${to} returning *)
      insert into ${sql.table(name)} select * from moved`.execute(trx);
    await sql`alter table usage_rows attach partition ${sql.table(name)} for values from (${from}) to (${to})`.execute(
      trx,
    );
    return true;
  });
}

/** Creates partitions ahead, now and once a day, until the server closes. */
export function keepMonths(services: Services): Promise<void> {
  const { db, clock } = services;
  return repeat(services, { name: 'parts of the usage rows', everyMs: DAY_MS, run: () => makeMonths(db, clock()) })();
}
