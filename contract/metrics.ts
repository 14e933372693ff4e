/** Requests, errors and latencies of a project over a period, in UTC days (PRJ-06). */
import * as v from 'valibot';
import { Timestamp } from './fields.ts';
import { REVERSED, UsageDay, UsageService, isForward, isShort, tooLong } from './usage.ts';

export const METRICS_PERIODS = ['hourly', 'daily'] as const;
export type MetricsPeriod = (typeof METRICS_PERIODS)[number];

/** Query of GET /api/v2/projects/{projectUuid}/metrics/. It may span as many days as a query of usage. */
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

/** The fewest requests whose 99th percentile is told. Of fewer, it would be the slowest request. */
export const P99_LEAST = 100;

/** Percentile, milliseconds. Null without requests. */
const Percentile = v.nullable(v.pipe(v.number(), v.minValue(0)));

const Percentiles = v.object({ p50: Percentile, p90: Percentile, p99: Percentile });
export type Percentiles = v.InferOutput<typeof Percentiles>;

/** A latency of completed requests in milliseconds: in every step, and over the whole period. */
const Latency = v.object({
  /**
   * Whether the percentiles are exact, as they are of up to 500 requests in the period. Others are estimates: usually off
   * by less than 5 %, by up to 42 % (or 5 ms) where most requests took about as long, and perhaps above the slowest
   * request. Latencies of more than ten minutes count as ten.
   */
  is_exact: v.optional(v.boolean(), false),
  p50: v.array(Percentile),
  p90: v.array(Percentile),
  p99: v.array(Percentile),
  /** Completed requests with a known latency, over the whole period. */
  measured: Count,
  /** Its `p99` is null also of fewer than 100 requests. */
  whole: Percentiles,
});
export type Latency = v.InferOutput<typeof Latency>;

/** Names of the measured latencies. */
export const METRICS_LATENCIES = ['queue', 'processing', 'first_word', 'finals'] as const;
export type MetricsLatency = (typeof METRICS_LATENCIES)[number];

const Measured = {
  /** All requests that ended. */
  requests: Counts,
  /** Requests that failed. */
  errors: Counts,
  /** Requests that were cancelled, or whose client left. */
  cancelled: Counts,
  /**
   * Requests that were refused and never began; they are not among `requests`. A series has those of its model, `all`
   * also those of models without requests that ended.
   */
  refused: v.optional(Counts, []),
  /** Audio that was transcribed, milliseconds. */
  audio_ms: Counts,
  /** Transcriptions: from the request to the start of the work. Null, like the next three, if never measured. */
  queue: v.nullable(Latency),
  /** Transcriptions: from the start of the work to its end. */
  processing: v.nullable(Latency),
  /** Live sessions: from the first audio to the first word. */
  first_word: v.nullable(Latency),
  /** Live sessions: from the end of the audio to the last final word. */
  finals: v.nullable(Latency),
};

/** GET /api/v2/projects/{projectUuid}/metrics/. Requests count when they end. Lists are in the order of `buckets`. */
export const Metrics = v.object({
  start_date: v.string(),
  end_date: v.string(),
  period: v.picklist(METRICS_PERIODS),
  /** When each step of the period begins, UTC. */
  buckets: v.array(Timestamp),
  /** One series for each service and model. */
  series: v.array(v.object({ service: UsageService, model: v.string(), ...Measured })),
  /** All models together, because percentiles cannot be summed. */
  all: v.object(Measured),
  /** The largest number of simultaneous live streams of the project in each step. */
  peak_streams: Counts,
  /** Live streams that the project may run at once. */
  stream_limit: v.nullable(Count),
});
export type Metrics = v.InferOutput<typeof Metrics>;
