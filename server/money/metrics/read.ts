/** How the requests of a project went over a period, out of the rollups (PRJ-06). */
import { sql, type RawBuilder } from 'kysely';
import {
  METRICS_LATENCIES,
  type Latency,
  type Metrics,
  type MetricsLatency,
  type MetricsQuery,
} from '#contract/metrics.ts';
import { daysAfter, type UsageService } from '#contract/usage.ts';
import type { Db } from '../../platform/db/database.ts';
import { listed, msOf, numbersIn } from '../usage/lists.ts';
import { bucketsOf } from '../usage/report.ts';
import { CLASSES, measuredIn, percentilesOf } from './percentiles.ts';

type Measured = Metrics['all'];
const COUNTS = ['requests', 'errors', 'cancelled', 'audio_ms'] as const;
/** Sums by the place of their step. Latencies have all classes of a step beside each other. */
interface Sums {
  counts: Record<(typeof COUNTS)[number], number[]>;
  latencies: Record<MetricsLatency, Float64Array>;
}
/** What one model did in one way. */
interface Group extends Sums {
  service: UsageService;
  model: string;
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
    length: buckets.length,
    placeOf: (step: number): number => places.get(step) ?? 0,
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
    all: measuredOf(together(groups, buckets.length), buckets.length),
    peak_streams: buckets.map((_, place) => peaks.get(place) ?? 0),
    stream_limit: streamLimit,
  };
}

interface Asked {
  projectId: string;
  isHourly: boolean;
  begin: Date;
  end: Date;
  /** Of steps. */
  length: number;
  /** @param step its beginning, milliseconds */
  placeOf: (step: number) => number;
}

/** Slots are put together here: few steps have more than one, and lists add up slowly in the database. */
async function readGroups(db: Db, { projectId, isHourly, begin, end, length, placeOf }: Asked): Promise<Group[]> {
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

/** An aggregate of lists of integers: nothing for one that is null. */
const histogramsListed = (of: RawBuilder<unknown>): RawBuilder<string> =>
  sql`string_agg(coalesce(array_to_string(${of}, ','), ''), ';')`;

function noSums(length: number): Sums {
  const zeros = (): number[] => Array.from({ length }, () => 0);
  const classes = (): Float64Array => new Float64Array(length * CLASSES);
  return {
    counts: { requests: zeros(), errors: zeros(), cancelled: zeros(), audio_ms: zeros() },
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
 * Adds each list of a text to the classes of its step. Digit by digit: there are a quarter of a million in a month of hours.
 * @param places of the steps of the lists
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
  return new Map(rows.map(({ step: start, streams }) => [placeOf(start.getTime()), Number(streams)]));
}

/** All groups as one. Percentiles do not add up, what they are reckoned from does. */
function together(groups: readonly Group[], length: number): Sums {
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

function measuredOf({ counts, latencies }: Sums, length: number): Measured {
  return {
    ...counts,
    queue: latencyOf(latencies.queue, length),
    processing: latencyOf(latencies.processing, length),
    first_word: latencyOf(latencies.first_word, length),
    finals: latencyOf(latencies.finals, length),
  };
}

/** Null where none was measured. */
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
  return {
    p50: inSteps.map(({ p50 }) => p50),
    p90: inSteps.map(({ p90 }) => p90),
    p99: inSteps.map(({ p99 }) => p99),
    measured: measuredIn(whole),
    whole: percentilesOf(whole),
  };
}
