/** The sums over all requests that ended: by hour and by day, kept with the rows themselves. Every report reads them. */
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { UsageTables } from '../../platform/db/usage-tables.ts';

export type UsageRow = Selectable<UsageTables['usage_rows']>;
/** One that is not written yet. */
export type Request = Omit<UsageRow, 'position' | 'billing_day'>;
export type Unit = 'hour' | 'day';

/**
 * Bounds of the 41 classes that latencies are counted in, milliseconds: class `n` is from the bound before `n` on, and below bound `n`.
 * They hold 5 ms to 10 minutes; each is 1.35 times the one before.
 */
export const LATENCY_BOUNDS_MS: readonly number[] = Array.from({ length: 40 }, (_, n) => Math.round(5 * 1.35 ** n));

/** Stands for no key: a column of a key is never null. */
export const NO_KEY = '00000000-0000-0000-0000-000000000000';

/** The tables, in the order in which everybody locks them. */
export const ROLLUPS = ['usage_hourly', 'usage_daily', 'latency_hourly', 'latency_daily'] as const;
type RollupTable = (typeof ROLLUPS)[number];
const UNITS: Readonly<Record<RollupTable, Unit>> = {
  usage_hourly: 'hour',
  usage_daily: 'day',
  latency_hourly: 'hour',
  latency_daily: 'day',
};
export const isLatency = (table: RollupTable): boolean => table.startsWith('latency');

/** Columns that name a row of a rollup, but for its slot. */
export const keyOf = (table: RollupTable): RawBuilder<unknown> =>
  sql.raw(
    isLatency(table)
      ? 'project_id, step, kind, model, measure'
      : 'project_id, step, kind, model, api_key_id, status, error_type',
  );

/** The start of the step, UTC, in which a request ended. */
const stepOf = (table: RollupTable): RawBuilder<Date> => sql`date_trunc(${sql.lit(UNITS[table])}, ended_at, 'UTC')`;

/**
 * What a rollup holds of some rows, as a query with the columns of the table. Each row of the source counts `sign` times, 1 or -1.
 * @param source name of a table expression with the columns of `usage_rows`, and `sign`
 */
export function sumsOf(table: RollupTable, source: RawBuilder<unknown>, slot: RawBuilder<number>): RawBuilder<unknown> {
  return isLatency(table)
    ? sql`select project_id, step, kind, model, measure, ${slot} as slot, array[${classes()}] as counts from (
        select sign, project_id, ${stepOf(table)} as step, kind, model, measured.measure, width_bucket(measured.ms, ${bounds()}) as class from ${source}
        cross join lateral (values ('queue', queue_ms), ('processing', processing_ms), ('first_word', first_word_ms), ('finals', finals_ms)) as measured (measure, ms)
        where measured.ms is not null) as classed
      group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`
    : sql`select project_id, ${stepOf(table)} as step, kind, model, coalesce(api_key_id, ${sql.lit(NO_KEY)}::uuid) as api_key_id, status,
        coalesce(error_type, '') as error_type, ${slot} as slot, sum(sign)::bigint as requests, sum(sign * audio_ms)::bigint as audio_ms,
        coalesce(sum(sign) filter (where cost_micros is not null), 0)::bigint as priced, coalesce(sum(sign * cost_micros), 0)::bigint as cost_micros
      from ${source} group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7`;
}

const bounds = (): RawBuilder<unknown> => sql.raw(`array[${LATENCY_BOUNDS_MS.join()}]`);
const classes = (): RawBuilder<unknown> =>
  sql.raw(
    Array.from(
      { length: LATENCY_BOUNDS_MS.length + 1 },
      (_, n) => `coalesce(sum(sign) filter (where class = ${n}), 0)::bigint`,
    ).join(),
  );

/** Writers on connections of their own seldom meet in a slot. The embedded database has one connection, and one slot. */
const OWN_SLOT = sql<number>`(pg_backend_pid() % 8)::smallint`;

/** Adds the sums of some rows to those that are there. */
const addingTo = (table: RollupTable): RawBuilder<unknown> => {
  const columns = isLatency(table)
    ? sql`counts = (select array_agg(a + b order by place) from unnest(known.counts, excluded.counts) with ordinality as pairs (a, b, place))`
    : sql`requests = known.requests + excluded.requests, audio_ms = known.audio_ms + excluded.audio_ms,
        priced = known.priced + excluded.priced, cost_micros = known.cost_micros + excluded.cost_micros`;
  return sql`insert into ${sql.table(table)} as known ${sumsOf(table, sql`source`, OWN_SLOT)}
    on conflict (${keyOf(table)}, slot) do update set ${columns}`;
};

/**
 * Counts requests that are added, and no longer those that are removed. Only what is charged may come after it in a transaction: what
 * it locks is what requests of a project wait for. Rows of several projects are locked in their order.
 */
export async function rollUp(trx: Db, added: readonly Request[], removed: readonly UsageRow[]): Promise<void> {
  if (added.length === 0 && removed.length === 0) return;
  await sql`with source as (
      select 1 as sign, row.* from json_populate_recordset(null::usage_rows, ${JSON.stringify(added)}::json) as row
      union all select -1, row.* from json_populate_recordset(null::usage_rows, ${JSON.stringify(removed)}::json) as row
    ), hourly as (${addingTo('usage_hourly')}), daily as (${addingTo('usage_daily')}), latencies as (${addingTo('latency_hourly')})
    ${addingTo('latency_daily')}`.execute(trx);
}
