/** Rollups: sums of ended requests, updated in the transaction that writes their rows. For reports and log filters. */
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { UsageTables } from '../../platform/db/usage-tables.ts';

export type UsageRow = Selectable<UsageTables['usage_rows']>;
/** A usage row that is not written yet. */
export type Request = Omit<UsageRow, 'position' | 'billing_day'>;

/**
 * Bounds of the 41 latency classes, milliseconds. Class `n` is from bound `n - 1` up to, but not including, bound `n`.
 * The bounds reach from 5 ms to 10 minutes; each is 1.35 times the one before.
 */
export const LATENCY_BOUNDS_MS: readonly number[] = Array.from({ length: 40 }, (_, n) => Math.round(5 * 1.35 ** n));
const CLASSES = LATENCY_BOUNDS_MS.length + 1;

/** The key id of requests without a key, because key columns of a table cannot be null. */
export const NO_KEY = '00000000-0000-0000-0000-000000000000';

/** The rollup tables, in the order in which every transaction locks them. Reports read the first two, logs the last. */
export const ROLLUPS = ['usage_hourly', 'usage_daily', 'log_days'] as const;
export type RollupTable = (typeof ROLLUPS)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Length of a step of each rollup, milliseconds. */
export const STEP_MS: Readonly<Record<RollupTable, number>> = {
  usage_hourly: HOUR_MS,
  usage_daily: DAY_MS,
  log_days: DAY_MS,
};

/** Columns of the key without `slot`, and columns of sums. */
const USED = {
  keys: ['project_id', 'step', 'kind', 'model'],
  counts: ['requests', 'errors', 'cancelled', 'audio_ms', 'priced', 'cost_micros'],
  histograms: ['queue', 'processing', 'first_word', 'finals'],
} as const;
const LOGGED = {
  keys: ['project_id', 'step', 'kind', 'model', 'api_key_id', 'status', 'error_type'],
  counts: ['requests'],
  histograms: [],
} as const;
type Columns = Readonly<Record<'keys' | 'counts' | 'histograms', readonly string[]>>;
const columnsOf = (table: RollupTable): Columns => (table === 'log_days' ? LOGGED : USED);

export const keyOf = (table: RollupTable): RawBuilder<unknown> => sql.raw(columnsOf(table).keys.join());
/** The sums of all slots, each under the name of its column. */
export const totalsOf = (table: RollupTable): RawBuilder<unknown> => {
  const { counts, histograms } = columnsOf(table);
  return sql.raw(
    [
      ...counts.map((name) => `sum(${name})::bigint as ${name}`),
      ...histograms.map((name) => `sum_counts(${name} order by slot) as ${name}`),
    ].join(),
  );
};
/** All sums of a row as one array, to compare. A missing histogram equals one of zeros. */
export const listOf = (table: RollupTable): RawBuilder<unknown> => {
  const { counts, histograms } = columnsOf(table);
  const lists = histograms.map((name) => `coalesce(${name}, array_fill(0, array[${CLASSES}]))`);
  return sql.raw([`array[${counts.join()}]`, ...lists.map((list) => `${list}::bigint[]`)].join(' || '));
};
const sumNames = (table: RollupTable): readonly string[] => [
  ...columnsOf(table).counts,
  ...columnsOf(table).histograms,
];

/**
 * A query that computes a rollup of some rows, with the columns of the table, in slot 0.
 * @param rows a table expression with the columns of `usage_rows`
 */
export function sumsOf(table: RollupTable, rows: RawBuilder<unknown>): RawBuilder<unknown> {
  if (table === 'log_days')
    return sql`select project_id, date_trunc('day', ended_at, 'UTC') as step, kind, model,
        coalesce(api_key_id, ${sql.lit(NO_KEY)}::uuid) as api_key_id,
        status, coalesce(error_type, '') as error_type, 0::smallint as slot, count(*) as requests
      from ${rows} group by 1, 2, 3, 4, 5, 6, 7`;
  const step = sql`date_trunc(${sql.lit(table === 'usage_hourly' ? 'hour' : 'day')}, ended_at, 'UTC') as step`;
  return sql`select project_id, step, kind, model, 0::smallint as slot, requests, errors, cancelled, audio_ms, priced, cost_micros,
      queue, processing, first_word, finals
    from (
      select project_id, ${step}, kind, model, count(*) as requests, count(*) filter (where status = 'failed') as errors,
        count(*) filter (where status = 'cancelled') as cancelled, sum(audio_ms)::bigint as audio_ms, count(cost_micros) as priced,
        coalesce(sum(cost_micros), 0)::bigint as cost_micros
      from ${rows} group by 1, 2, 3, 4
    ) as counted left join (
      select project_id, step, kind, model, ${countsByMeasure()}
      from (
        select project_id, step, kind, model, measure, array[${eachClass()}] as counts from (
          select project_id, ${step}, kind, model, measured.measure, width_bucket(measured.ms, ${bounds()}) as class from ${rows}
          cross join lateral (values
            ('queue', queue_ms), ('processing', processing_ms), ('first_word', first_word_ms), ('finals', finals_ms)
          ) as measured (measure, ms)
          where measured.ms is not null) as classed
        group by 1, 2, 3, 4, 5) as measures
      group by 1, 2, 3, 4
    ) as timed using (project_id, step, kind, model)`;
}

/** A column for each measure, with its counts by class. */
const countsByMeasure = (): RawBuilder<unknown> =>
  sql.raw(USED.histograms.map((name) => `min(counts) filter (where measure = '${name}') as ${name}`).join());
const bounds = (): RawBuilder<unknown> => sql.raw(`array[${LATENCY_BOUNDS_MS.join()}]`);
const eachClass = (): RawBuilder<unknown> =>
  sql.raw(Array.from({ length: CLASSES }, (_, n) => `(count(*) filter (where class = ${n}))::int`).join());

/** A statement that adds the sums of a table expression to a rollup. */
export function addingTo(table: RollupTable, rows: RawBuilder<unknown>): RawBuilder<unknown> {
  const { counts, histograms } = columnsOf(table);
  const sums = [
    ...counts.map((name) => `${name} = known.${name} + excluded.${name}`),
    ...histograms.map((name) => `${name} = add_counts(known.${name}, excluded.${name})`),
  ];
  const columns = sql`${keyOf(table)}, slot, ${sql.raw(sumNames(table).join())}`;
  return sql`insert into ${sql.table(table)} as known (${columns}) select ${columns} from ${rows} order by ${keyOf(table)}, slot
    on conflict (${keyOf(table)}, slot) do update set ${sql.raw(sums.join())}`;
}

/**
 * Each connection writes its own slot, so that writers seldom wait for each other. The embedded database has one slot.
 */
const OWN_SLOT = sql<number>`(pg_backend_pid() % 8)::smallint`;

/**
 * Adds requests to the rollups, and subtracts removed ones. Only charging may follow in the transaction, because other
 * requests of the project wait for these locks. Locks all rows of a rollup in the order of their keys: those of several
 * projects, and those of a request that is replaced.
 */
export async function rollUp(trx: Db, added: readonly Request[], removed: readonly UsageRow[]): Promise<void> {
  if (added.length === 0 && removed.length === 0) return;
  const given = (rows: readonly Request[]): RawBuilder<unknown> =>
    sql`materialized (select * from json_populate_recordset(null::usage_rows, ${JSON.stringify(rows)}::json))`;
  await sql`with added as ${given(added)}, removed as ${given(removed)},
    hourly as (${adding('usage_hourly')}), daily as (${adding('usage_daily')}) ${adding('log_days')}`.execute(trx);
}

/** A statement that adds the sums of `added`, less those of `removed`, to a rollup, in this connection's slot. */
function adding(table: RollupTable): RawBuilder<unknown> {
  const { counts, histograms } = columnsOf(table);
  const negated = sql.raw(
    [
      ...counts.map((name) => `-${name}`),
      ...histograms.map((name) => `case when ${name} is not null then array(select -n from unnest(${name}) as n) end`),
    ].join(),
  );
  const sums = sql.raw(sumNames(table).join());
  const signed = sql`select ${keyOf(table)}, slot, ${sums} from (${sumsOf(table, sql`added`)}) as plus
    union all select ${keyOf(table)}, slot, ${negated} from (${sumsOf(table, sql`removed`)}) as minus`;
  return addingTo(
    table,
    sql`(select ${keyOf(table)}, ${OWN_SLOT} as slot, ${totalsOf(table)} from (${signed}) as signed group by ${keyOf(table)}) as counted`,
  );
}
