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
 * requests of the project wait for these locks. Locks the rows of several projects in the order of their keys.
 */
export async function rollUp(trx: Db, added: readonly Request[], removed: readonly UsageRow[]): Promise<void> {
  if (added.length === 0 && removed.length === 0) return;
  const adding = (table: RollupTable): RawBuilder<unknown> => {
    const names = sql.raw([...columnsOf(table).keys, ...sumNames(table)].join());
    const counted = JSON.stringify(countedIn(table, added, removed));
    return addingTo(
      table,
      sql`(select ${names}, ${OWN_SLOT} as slot from json_populate_recordset(null::${sql.table(table)}, ${counted}::json)) as counted`,
    );
  };
  await sql`with hourly as (${adding('usage_hourly')}), daily as (${adding('usage_daily')}) ${adding('log_days')}`.execute(
    trx,
  );
}

type RollupSums = Record<string, string | number | null | number[]>;

/** Computes {@link sumsOf} in JavaScript. For a few rows this is faster than planning the query. */
function countedIn(table: RollupTable, added: readonly Request[], removed: readonly UsageRow[]): RollupSums[] {
  const { keys, counts, histograms } = columnsOf(table);
  const groups = new Map<string, RollupSums>();
  const count = (row: Request, sign: 1 | -1): void => {
    const one = valuesOf(row, STEP_MS[table], sign);
    const key = JSON.stringify(keys.map((name) => one[name]));
    const group = groups.get(key);
    if (group === undefined)
      groups.set(key, Object.fromEntries([...keys, ...counts, ...histograms].map((name) => [name, one[name] ?? null])));
    else {
      for (const name of counts) group[name] = Number(group[name]) + Number(one[name]);
      for (const name of histograms) group[name] = addedUp(group[name], one[name]);
    }
  };
  for (const row of added) count(row, 1);
  for (const row of removed) count(row, -1);
  return [...groups.values()];
}

const addedUp = (one: RollupSums[string] = null, other: RollupSums[string] = null): number[] | null =>
  Array.isArray(one) && Array.isArray(other)
    ? one.map((count, place) => count + (other[place] ?? 0))
    : ([one, other].find(Array.isArray) ?? null);

const valuesOf = (row: Request, stepMs: number, sign: 1 | -1): RollupSums => ({
  project_id: row.project_id,
  step: new Date(Math.floor(new Date(row.ended_at).getTime() / stepMs) * stepMs).toISOString(),
  kind: row.kind,
  model: row.model,
  api_key_id: row.api_key_id ?? NO_KEY,
  status: row.status,
  error_type: row.error_type ?? '',
  requests: sign,
  errors: row.status === 'failed' ? sign : 0,
  cancelled: row.status === 'cancelled' ? sign : 0,
  audio_ms: sign * row.audio_ms,
  priced: row.cost_micros === null ? 0 : sign,
  cost_micros: sign * (row.cost_micros ?? 0),
  queue: histogramOf(row.queue_ms, sign),
  processing: histogramOf(row.processing_ms, sign),
  first_word: histogramOf(row.first_word_ms, sign),
  finals: histogramOf(row.finals_ms, sign),
});

function histogramOf(ms: number | null, sign: 1 | -1): number[] | null {
  if (ms === null) return null;
  const counts = Array.from({ length: CLASSES }, () => 0);
  counts[LATENCY_BOUNDS_MS.filter((bound) => bound <= ms).length] = sign;
  return counts;
}
