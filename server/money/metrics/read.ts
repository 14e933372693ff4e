/** How the requests of a project went over a period, out of the rollups (PRJ-06). */
import { sql } from 'kysely';
import {
  METRICS_LATENCIES,
  type Latency,
  type Metrics,
  type MetricsLatency,
  type MetricsQuery,
} from '#contract/metrics.ts';
import { daysAfter, type UsageService } from '#contract/usage.ts';
import type { Db } from '../../platform/db/database.ts';
import { bucketsOf } from '../usage/report.ts';
import { LATENCY_BOUNDS_MS } from '../usage/rollup.ts';
import { measuredIn, merged, percentilesOf, type Histogram } from './percentiles.ts';

type Measured = Metrics['all'];
type Counts = Record<'requests' | 'errors' | 'cancelled' | 'audio_ms', number>;
/** What one model did in one way: counts and latencies by the place of their step. */
interface Group {
  service: UsageService;
  model: string;
  counts: Map<number, Counts>;
  latencies: Map<MetricsLatency, Map<number, Histogram>>;
}

/** @param streamLimit live streams that the project may run at once; null where nothing limits them */
export async function readMetrics(
  db: Db,
  projectId: string,
  { start_date, end_date, period }: MetricsQuery,
  streamLimit: number | null,
): Promise<Metrics> {
  const starts = bucketsOf({ start_date, end_date, period });
  const buckets = starts.map((start) => start.toISOString());
  const places = new Map(starts.map((start, place) => [start.getTime(), place]));
  const asked = {
    projectId,
    isHourly: period === 'hourly',
    begin: new Date(start_date),
    end: new Date(daysAfter(end_date, 1)),
    placeOf: (step: Date): number => places.get(step.getTime()) ?? 0,
  };
  const groups = await readGroups(db, asked);
  const peaks = await readPeaks(db, asked);
  return {
    start_date,
    end_date,
    period,
    buckets,
    series: groups.map((group) => ({
      service: group.service,
      model: group.model,
      ...measuredOf(group, buckets.length),
    })),
    all: measuredOf(together(groups), buckets.length),
    peak_streams: buckets.map((_, place) => peaks.get(place) ?? 0),
    stream_limit: streamLimit,
  };
}

interface Asked {
  projectId: string;
  isHourly: boolean;
  begin: Date;
  end: Date;
  placeOf: (step: Date) => number;
}

async function readGroups(db: Db, { projectId, isHourly, begin, end, placeOf }: Asked): Promise<Group[]> {
  const counted = await db
    .selectFrom(isHourly ? 'usage_hourly as used' : 'usage_daily as used')
    .select(({ fn }) => [
      'used.step',
      'used.kind',
      'used.model',
      fn.sum('used.requests').as('requests'),
      fn.sum('used.requests').filterWhere('used.status', '=', 'failed').as('errors'),
      fn.sum('used.requests').filterWhere('used.status', '=', 'cancelled').as('cancelled'),
      fn.sum('used.audio_ms').as('audio_ms'),
    ])
    .where('used.project_id', '=', projectId)
    .where('used.step', '>=', begin)
    .where('used.step', '<', end)
    .groupBy(['used.step', 'used.kind', 'used.model'])
    .having(({ fn }) => fn.sum('used.requests'), '>', 0)
    .orderBy('used.kind')
    .orderBy('used.model')
    .execute();
  const groups = new Map<string, Group>();
  for (const { step, kind, model, requests, errors, cancelled, audio_ms } of counted) {
    const key = keyOf(kind, model);
    const group = groups.get(key) ?? { service: kind, model, counts: new Map(), latencies: new Map() };
    groups.set(key, group);
    // Sums of bigints come as text, and of none as null.
    group.counts.set(placeOf(step), {
      requests: Number(requests),
      errors: Number(errors ?? 0),
      cancelled: Number(cancelled ?? 0),
      audio_ms: Number(audio_ms),
    });
  }
  const timed = await db
    .selectFrom(isHourly ? 'latency_hourly as took' : 'latency_daily as took')
    .select(['took.step', 'took.kind', 'took.model', 'took.measure', SUMS.as('counts')])
    .where('took.project_id', '=', projectId)
    .where('took.step', '>=', begin)
    .where('took.step', '<', end)
    .groupBy(['took.step', 'took.kind', 'took.model', 'took.measure'])
    .execute();
  for (const { step, kind, model, measure, counts } of timed) {
    const latencies = groups.get(keyOf(kind, model))?.latencies;
    const steps = latencies?.get(measure) ?? new Map<number, Histogram>();
    steps.set(placeOf(step), counts.split(',').map(Number));
    latencies?.set(measure, steps);
  }
  return [...groups.values()];
}

/** The sums of each class, as one text: quicker than taking the lists apart. */
const SUMS = sql<string>`concat_ws(',', ${sql.raw(
  Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, (_, n) => `sum(took.counts[${n + 1}])`).join(),
)})`;

const keyOf = (kind: UsageService, model: string): string => `${kind} ${model}`;

/** The most streams at once in each step: those of a day are the most of its hours. */
async function readPeaks(
  db: Db,
  { projectId, isHourly, begin, end, placeOf }: Asked,
): Promise<ReadonlyMap<number, number>> {
  const step = isHourly ? sql<Date>`peak.step` : sql<Date>`date_trunc('day', peak.step, 'UTC')`;
  const rows = await db
    .selectFrom('stream_peaks as peak')
    .select(({ fn }) => [step.as('step'), fn.max('peak.streams').as('streams')])
    .where('peak.project_id', '=', projectId)
    .where('peak.step', '>=', begin)
    .where('peak.step', '<', end)
    .groupBy(step)
    .execute();
  return new Map(rows.map(({ step: start, streams }) => [placeOf(start), Number(streams)]));
}

const addCounts = (one: Counts, other: Counts): Counts => ({
  requests: one.requests + other.requests,
  errors: one.errors + other.errors,
  cancelled: one.cancelled + other.cancelled,
  audio_ms: one.audio_ms + other.audio_ms,
});

/** All groups as one. Percentiles do not add up, what they are reckoned from does. */
function together(groups: readonly Group[]): Pick<Group, 'counts' | 'latencies'> {
  const all: Pick<Group, 'counts' | 'latencies'> = { counts: new Map(), latencies: new Map() };
  for (const { counts, latencies } of groups) {
    addTo(all.counts, counts, addCounts);
    for (const [name, steps] of latencies) {
      const known = all.latencies.get(name) ?? new Map<number, Histogram>();
      addTo(known, steps, merged);
      all.latencies.set(name, known);
    }
  }
  return all;
}

function addTo<T>(known: Map<number, T>, added: ReadonlyMap<number, T>, add: (one: T, other: T) => T): void {
  for (const [place, value] of added) {
    const before = known.get(place);
    known.set(place, before === undefined ? value : add(before, value));
  }
}

function measuredOf({ counts, latencies }: Pick<Group, 'counts' | 'latencies'>, length: number): Measured {
  const column = (name: keyof Counts): number[] => Array.from({ length }, (_, place) => counts.get(place)?.[name] ?? 0);
  const [queue, processing, first_word, finals] = METRICS_LATENCIES.map((name) =>
    latencyOf(latencies.get(name), length),
  );
  return {
    requests: column('requests'),
    errors: column('errors'),
    cancelled: column('cancelled'),
    audio_ms: column('audio_ms'),
    queue: queue ?? null,
    processing: processing ?? null,
    first_word: first_word ?? null,
    finals: finals ?? null,
  };
}

/** Null where none was measured. */
function latencyOf(steps: ReadonlyMap<number, Histogram> | undefined, length: number): Latency | null {
  const whole = [...(steps?.values() ?? [])].reduce<Histogram | null>(
    (sum, counts) => (sum === null ? counts : merged(sum, counts)),
    null,
  );
  if (!steps || !whole || measuredIn(whole) === 0) return null;
  const inSteps = Array.from({ length }, (_, place) => percentilesOf(steps.get(place) ?? []));
  return {
    p50: inSteps.map(({ p50 }) => p50),
    p90: inSteps.map(({ p90 }) => p90),
    p99: inSteps.map(({ p99 }) => p99),
    measured: measuredIn(whole),
    whole: percentilesOf(whole),
  };
}
