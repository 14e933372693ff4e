/** How the requests of a project went over a period, in the days of UTC (PRJ-06). */
import * as v from 'valibot';
import { Timestamp } from './fields.ts';
import { REVERSED, UsageDay, UsageService, isForward, isShort, tooLong } from './usage.ts';

export const METRICS_PERIODS = ['hourly', 'daily'] as const;
export type MetricsPeriod = (typeof METRICS_PERIODS)[number];

/** Query of GET /api/v2/projects/{projectUuid}/metrics/. It may span as many days as usage may. */
export const MetricsQuery = v.pipe(
  v.object({
    start_date: UsageDay,
    /** The last day that counts, whole. */
    end_date: UsageDay,
    period: v.optional(v.picklist(METRICS_PERIODS), 'daily'),
  }),
  v.forward(
    v.check((asked) => isForward(asked), REVERSED),
    ['end_date'],
  ),
  v.forward(
    v.check((asked) => isShort(asked), tooLong),
    ['end_date'],
  ),
);
export type MetricsQuery = v.InferOutput<typeof MetricsQuery>;

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const Counts = v.array(Count);

/** The time that so many per cent of the requests took at most, milliseconds; estimated within 35 % of itself, in general within 5 %. Null for none. */
const Percentile = v.nullable(v.pipe(v.number(), v.minValue(0)));

const Percentiles = v.object({ p50: Percentile, p90: Percentile, p99: Percentile });
export type Percentiles = v.InferOutput<typeof Percentiles>;

/** A latency in milliseconds: in every step, and over the whole period. */
const Latency = v.object({
  p50: v.array(Percentile),
  p90: v.array(Percentile),
  p99: v.array(Percentile),
  /** Requests of which it is known, over the whole period. */
  measured: Count,
  whole: Percentiles,
});
export type Latency = v.InferOutput<typeof Latency>;

/** The latencies that are measured, by name; null for one that was not. */
export const METRICS_LATENCIES = ['queue', 'processing', 'first_word', 'finals'] as const;
export type MetricsLatency = (typeof METRICS_LATENCIES)[number];

const Measured = {
  /** All requests that ended, however they did. */
  requests: Counts,
  /** Those of them that failed. */
  errors: Counts,
  /** Those of them that were cancelled or left by their client. */
  cancelled: Counts,
  /** Audio that was transcribed, milliseconds. */
  audio_ms: Counts,
  /** Transcriptions: from the request to the beginning of the work. */
  queue: v.nullable(Latency),
  /** Transcriptions: from the beginning of the work to its end. */
  processing: v.nullable(Latency),
  /** Live sessions: from the first audio to the first word. */
  first_word: v.nullable(Latency),
  /** Live sessions: from the end of the audio to the last final word. */
  finals: v.nullable(Latency),
};

/** GET /api/v2/projects/{projectUuid}/metrics/: by the end of each request. The numbers of every list stand in the order of `buckets`. */
export const Metrics = v.object({
  start_date: v.string(),
  end_date: v.string(),
  period: v.picklist(METRICS_PERIODS),
  /** When each step of the period begins, UTC. */
  buckets: v.array(Timestamp),
  /** What each model did in one way. */
  series: v.array(v.object({ service: UsageService, model: v.string(), ...Measured })),
  /** All models together: percentiles do not add up. */
  all: v.object(Measured),
  /** The most live streams of the project at the same time, in every step. */
  peak_streams: Counts,
  /** Live streams that the project may run at the same time. */
  stream_limit: v.nullable(Count),
});
export type Metrics = v.InferOutput<typeof Metrics>;
