/** Reads the metrics of a project over a period: from the rollups, latencies of few requests from their rows (PRJ-06). */
import { sql, type RawBuilder } from 'kysely';
import {
  METRICS_LATENCIES,
  P99_LEAST,
  type Latency,
  type Metrics,
  type MetricsLatency,
  type MetricsQuery,
  type Percentiles,
} from '#contract/metrics.ts';
import { daysAfter, type UsageService } from '#contract/usage.ts';
import type { Db } from '../../platform/db/database.ts';
import { listed, msOf, numbersIn } from '../usage/lists.ts';
import { bucketsOf } from '../usage/report.ts';
import { STEP_MS } from '../usage/rollup.ts';
import { EXACT_MOST, readIncomplete, readTimed, type Timed } from './completed.ts';
import { CLASSES, exactPercentilesOf, measuredIn, percentilesOf } from './percentiles.ts';

type Measured = Metrics['all'];
const COUNTS = ['requests', 'errors', 'cancelled', 'audio_ms'] as const;
type CountName = (typeof COUNTS)[number] | 'refused';
/** Sums by the index of their step. Latencies: all classes of the first step, then of the next, and so on. */
interface Sums {
  counts: Record<CountName, number[]>;
  latencies: Record<MetricsLatency, Float64Array>;
}
/** The sums of one service and model. */
interface Group extends Sums {
  service: UsageService;
  model: string;
}

/** @param streamLimit live streams that the project may run at once; null for no limit */
export async function readMetrics(
  db: Db,
  projectId: string,
  { start_date, end_date, period }: MetricsQuery,
  streamLimit: number | null,
): Promise<Metrics> {
  const starts = bucketsOf({ start_date, end_date, period });
  const buckets = starts.map((start) => start.toISOString());
  const places = new Map(starts.map((start, place) => [start.getTime(), place]));
  const range = {
    projectId,
    isHourly: period === 'hourly',
    begin: new Date(start_date),
    end: new Date(daysAfter(end_date, 1)),
    length: buckets.length,
    placeOf: (step: number): number => places.get(step) ?? 0,
  };
  // Read before the rollups, so that these lack none of them.
  const incomplete = await readIncomplete(db, range);
  const groups = await readGroups(db, range);
  for (const { service, model, step, latency, class: place, requests } of incomplete) {
    const classes = groups.find((group) => group.service === service && group.model === model)?.latencies[latency];
    const index = range.placeOf(step.getTime()) * CLASSES + place;
    if (classes) classes[index] = Math.max(0, (classes[index] ?? 0) - Number(requests));
  }
  const timed = await timedOf(db, range, groups);
  const all = addedUp(groups, buckets.length);
  for (const { service, model, step, requests } of await readRefused(db, range)) {
    const place = range.placeOf(step.getTime());
    const group = groups.find((candidate) => candidate.service === service && candidate.model === model);
    for (const { counts } of group ? [group, all] : [all])
      counts.refused[place] = (counts.refused[place] ?? 0) + Number(requests);
  }
  const peaks = await readPeaks(db, range);
  return {
    start_date,
    end_date,
    period,
    buckets,
    series: groups.map((group) => ({
      service: group.service,
      model: group.model,
      ...measuredOf(
        group,
        range,
        timed?.filter(({ service, model }) => service === group.service && model === group.model),
      ),
    })),
    all: measuredOf(all, range, timed),
    peak_streams: buckets.map((_, place) => peaks.get(place) ?? 0),
    stream_limit: streamLimit,
  };
}

interface Range {
  projectId: string;
  isHourly: boolean;
  begin: Date;
  end: Date;
  /** Number of steps. */
  length: number;
  /** The index of a step. @param step its start, milliseconds */
  placeOf: (step: number) => number;
}

/** Adds up slots here, not in the database: few steps have more than one slot, and SQL adds arrays slowly. */
async function readGroups(db: Db, { projectId, isHourly, begin, end, length, placeOf }: Range): Promise<Group[]> {
  const rows = await db
    .selectFrom(isHourly ? 'usage_hourly as used' : 'usage_daily as used')
    .select([
      'used.kind as service',
      'used.model',
      listed(msOf(sql`used.step`)).as('steps'),
      ...COUNTS.map((name) => listed(sql.ref(`used.${name}`)).as(name)),
      ...METRICS_LATENCIES.map((name) => histogramsListed(sql.ref(`used.${name}`)).as(name)),
    ])
    .where('used.project_id', '=', projectId)
    .where('used.step', '>=', begin)
    .where('used.step', '<', end)
    .groupBy(['used.kind', 'used.model'])
    .having(({ fn }) => fn.sum('used.requests'), '>', 0)
    .orderBy('used.kind')
    .orderBy('used.model')
    .execute();
  return rows.map(({ service, model, steps, ...lists }) => {
    const places = numbersIn(steps).map((step) => placeOf(step ?? 0));
    const sums = noSums(length);
    for (const name of COUNTS) addNumbers(sums.counts[name], places, numbersIn(lists[name]));
    for (const name of METRICS_LATENCIES) addHistograms(sums.latencies[name], places, lists[name]);
    return { service, model, ...sums };
  });
}

/** Aggregates histograms into one text: classes separated by commas, histograms by semicolons; null becomes empty. */
const histogramsListed = (of: RawBuilder<unknown>): RawBuilder<string> =>
  sql`string_agg(coalesce(array_to_string(${of}, ','), ''), ';')`;

function noSums(length: number): Sums {
  const zeros = (): number[] => Array.from({ length }, () => 0);
  const classes = (): Float64Array => new Float64Array(length * CLASSES);
  return {
    counts: { requests: zeros(), errors: zeros(), cancelled: zeros(), audio_ms: zeros(), refused: zeros() },
    latencies: { queue: classes(), processing: classes(), first_word: classes(), finals: classes() },
  };
}

function addNumbers(sums: number[], places: readonly number[], numbers: readonly (number | null)[]): void {
  for (const [row, place] of places.entries()) sums[place] = (sums[place] ?? 0) + (numbers[row] ?? 0);
}

const COMMA = 44;
const MINUS = 45;
const ZERO = 48;
const SEMICOLON = 59;

/**
 * Adds the histograms of a text to the classes of their steps. Parses by hand for speed: a month of hours has a quarter
 * of a million numbers.
 * @param places the step index of each histogram
 */
function addHistograms(sums: Float64Array, places: readonly number[], text: string): void {
  let row = 0;
  let place = (places[row] ?? 0) * CLASSES;
  let number = 0;
  let sign = 1;
  const add = (): void => {
    if (number !== 0) sums[place] = (sums[place] ?? 0) + sign * number;
    number = 0;
    sign = 1;
  };
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === COMMA) {
      add();
      place += 1;
    } else if (code === SEMICOLON) {
      add();
      row += 1;
      place = (places[row] ?? 0) * CLASSES;
    } else if (code === MINUS) sign = -1;
    else number = number * 10 + code - ZERO;
  }
  add();
}

interface Refused {
  service: UsageService;
  model: string | null;
  step: Date;
  requests: number | string;
}

/** Refused requests of each step and model. */
async function readRefused(db: Db, { projectId, isHourly, begin, end }: Range): Promise<readonly Refused[]> {
  const { rows } = await sql<Refused>`
    select kind as service, model, date_trunc(${sql.lit(isHourly ? 'hour' : 'day')}, refused_at, 'UTC') as step, sum(requests) as requests
    from refused_requests where project_id = ${projectId} and refused_at >= ${begin} and refused_at < ${end}
    group by 1, 2, 3`.execute(db);
  return rows;
}

/** The most concurrent streams of each step; of a day, the highest of its hours. */
async function readPeaks(
  db: Db,
  { projectId, isHourly, begin, end, placeOf }: Range,
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
  return new Map(rows.map(({ step: start, streams }) => [placeOf(start.getTime()), Number(streams)]));
}

/** Adds up all groups. Percentiles cannot be added, so this adds their histograms. */
function addedUp(groups: readonly Group[], length: number): Sums {
  const all = noSums(length);
  for (const { counts, latencies } of groups) {
    for (const name of COUNTS) addTo(all.counts[name], counts[name]);
    for (const name of METRICS_LATENCIES) addTo(all.latencies[name], latencies[name]);
  }
  return all;
}

function addTo(sums: number[] | Float64Array, added: number[] | Float64Array): void {
  for (let place = 0; place < added.length; place += 1) sums[place] = (sums[place] ?? 0) + (added[place] ?? 0);
}

/** The completed requests, if they are few and all have a row; old rows may be deleted. */
async function timedOf(db: Db, range: Range, groups: readonly Group[]): Promise<Timed[] | undefined> {
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  const completed = sum(
    groups.map(({ counts: { requests, errors, cancelled } }) => sum(requests) - sum(errors) - sum(cancelled)),
  );
  if (completed > EXACT_MOST) return undefined;
  const timed = await readTimed(db, range);
  return timed.length < completed || timed.length > EXACT_MOST ? undefined : timed;
}

/** @param timed the requests themselves, for exact percentiles; undefined for estimates */
function measuredOf({ counts, latencies }: Sums, range: Range, timed: readonly Timed[] | undefined): Measured {
  const latency = (name: MetricsLatency): Latency | null => {
    const found = timed ? exactLatencyOf(name, timed, range) : latencyOf(latencies[name], range.length);
    if (found && found.measured < P99_LEAST) found.whole.p99 = null;
    return found;
  };
  return {
    ...counts,
    queue: latency('queue'),
    processing: latency('processing'),
    first_word: latency('first_word'),
    finals: latency('finals'),
  };
}

/** Exact percentiles of each step and of all; null without latencies. */
function exactLatencyOf(name: MetricsLatency, timed: readonly Timed[], { isHourly, length, placeOf }: Range) {
  const stepMs = STEP_MS[isHourly ? 'usage_hourly' : 'usage_daily'];
  const steps = Array.from({ length }, (): number[] => []);
  for (const { ended_at, [name]: ms } of timed)
    if (ms !== null) steps[placeOf(Math.floor(ended_at.getTime() / stepMs) * stepMs)]?.push(ms);
  const latencies = steps.flat();
  return latencies.length === 0
    ? null
    : told(steps.map(exactPercentilesOf), exactPercentilesOf(latencies), latencies.length, true);
}

/** Estimated percentiles of each step and of all; null without latencies. */
function latencyOf(classes: Float64Array, length: number): Latency | null {
  const whole = new Float64Array(CLASSES);
  for (let place = 0; place < classes.length; place += 1) {
    const count = classes[place] ?? 0;
    if (count !== 0) whole[place % CLASSES] = (whole[place % CLASSES] ?? 0) + count;
  }
  if (measuredIn(whole) === 0) return null;
  const inSteps = Array.from({ length }, (_, step) =>
    percentilesOf(classes.subarray(step * CLASSES, (step + 1) * CLASSES)),
  );
  return told(inSteps, percentilesOf(whole), measuredIn(whole), false);
}

const told = (inSteps: readonly Percentiles[], whole: Percentiles, measured: number, isExact: boolean): Latency => ({
  is_exact: isExact,
  p50: inSteps.map(({ p50 }) => p50),
  p90: inSteps.map(({ p90 }) => p90),
  p99: inSteps.map(({ p99 }) => p99),
  measured,
  whole,
});
