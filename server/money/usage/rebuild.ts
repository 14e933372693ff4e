/** Rebuilds the rollups from the usage rows, and compares them. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { monthAfter, monthOf } from './months.ts';
import { FLOOR } from './retention.ts';
import { keyOf, listOf, ROLLUPS, sumsOf, totalsOf, type RollupTable } from './rollup.ts';

/** All rows of a month. */
const rowsOf = (from: Date, to: Date) =>
  sql`(select * from usage_rows where ended_at >= ${from} and ended_at < ${to}) as row`;

/** The first and the last month with rows or rollups. */
const MONTHS = sql`select date_trunc('month', min(first), 'UTC') as first, date_trunc('month', max(last), 'UTC') as last from (
      select min(ended_at) as first, max(ended_at) as last from usage_rows
      union all select min(step), max(step) from usage_daily union all select min(step), max(step) from usage_hourly
    ) as kept`;

/**
 * Rebuilds the rollups from the rows, month by month; continues an interrupted rebuild. Reports work meanwhile;
 * requests that end wait for the current month. @param signal stops after the current month
 */
export async function rebuildRollups(db: Db, signal?: AbortSignal): Promise<void> {
  await sql`insert into usage_rebuild (next_month, last_month)
    select first, last from (${MONTHS}) as known where first is not null on conflict do nothing`.execute(db);
  await finishRebuild(db, signal);
}

/** Continues an interrupted rebuild, if there is one. */
export async function finishRebuild(db: Db, signal?: AbortSignal): Promise<void> {
  while (signal?.aborted !== true && (await rebuildNext(db)));
}

/** Rebuilds one month in a transaction. @returns false if none is left */
async function rebuildNext(db: Db): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const state = await trx.selectFrom('usage_rebuild').selectAll().forUpdate().executeTakeFirst();
    if (!state) return false;
    const from = monthOf(state.next_month);
    const to = monthAfter(from);
    // Waits for transactions that have counted a row, and holds back others: rows and rollups are of the same moment.
    await sql`lock table ${sql.join(ROLLUPS.map((table) => sql.table(table)))} in share row exclusive mode`.execute(
      trx,
    );
    // The rows of earlier months are deleted, so their rollups cannot be rebuilt.
    const { from_month: floor } = (await trx.selectFrom('usage_floor').select('from_month').executeTakeFirst()) ?? {};
    if (floor && from < floor) return advance(trx, state, floor);
    for (const table of ROLLUPS) {
      await sql`delete from ${sql.table(table)} where step >= ${from} and step < ${to}`.execute(trx);
      await sql`insert into ${sql.table(table)} ${sumsOf(table, rowsOf(from, to))} order by ${keyOf(table)}`.execute(
        trx,
      );
    }
    return advance(trx, state, to);
  });
}

async function advance(trx: Db, { last_month }: { last_month: Date }, next: Date): Promise<true> {
  await (next > last_month
    ? trx.deleteFrom('usage_rebuild').execute()
    : trx.updateTable('usage_rebuild').set({ next_month: next }).execute());
  return true;
}

/** The number of rows in each rollup that differ from the sums of the usage rows. */
export type RollupDifferences = Readonly<Record<RollupTable, number>>;

/** Compares the rollups of every month. @returns the months that differ, such as `2026-05` */
export async function compareAll(db: Db): Promise<({ month: string } & RollupDifferences)[]> {
  const { rows } = await sql<{ first: Date | null; last: Date | null }>`${MONTHS}`.execute(db);
  const { first, last } = rows[0] ?? { first: null, last: null };
  const found: ({ month: string } & RollupDifferences)[] = [];
  if (first === null || last === null) return found;
  for (let month = monthOf(first); month <= last; month = monthAfter(month)) {
    const differences = await compareRollups(db, month);
    if (Object.values(differences).some((count) => count > 0))
      found.push({ month: month.toISOString().slice(0, 7), ...differences });
  }
  return found;
}

/**
 * Compares the rollups of a month with its rows, each table in one statement. Skips a month whose rows were deleted.
 */
export async function compareRollups(db: Db, month: Date): Promise<RollupDifferences> {
  const from = monthOf(month);
  const to = monthAfter(from);
  const [usage_hourly, usage_daily, log_days] = await Promise.all(
    ROLLUPS.map(async (table) => {
      const { rows } = await sql<{ differences: number }>`with expected as (
          select ${keyOf(table)}, ${listOf(table)} as sums from (${sumsOf(table, rowsOf(from, to))}) as counted),
        kept as (select ${keyOf(table)}, ${listOf(table)} as sums from (
          select ${keyOf(table)}, ${totalsOf(table)} from ${sql.table(table)}
          where step >= ${from} and step < ${to} group by ${keyOf(table)}
        ) as summed)
        select count(*)::int as differences from expected full join kept using (${keyOf(table)})
        where coalesce(${from}::timestamptz >= ${FLOOR}, true)
          and expected.sums is distinct from kept.sums
          and (expected.sums is not null or 0 <> any (kept.sums))`.execute(db);
      return rows[0]?.differences ?? 0;
    }),
  );
  return { usage_hourly: usage_hourly ?? 0, usage_daily: usage_daily ?? 0, log_days: log_days ?? 0 };
}
