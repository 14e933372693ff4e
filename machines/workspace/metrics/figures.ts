// Computes figures of a period from the server's metrics, for all models or for one.
import type { Metrics, MetricsLatency, Percentiles } from '#contract/metrics.ts';
import type { UsageService } from '#contract/usage.ts';

export type Measurements = Metrics['all'];
type Series = Metrics['series'][number];

/** Key of a model in choices, with its service, because a model may have two. */
export const modelKey = ({ service, model }: Pick<Series, 'service' | 'model'>): string => `${service} ${model}`;

const seriesOf = ({ series }: Metrics, model: string | null): Series | undefined =>
  series.find((candidate) => modelKey(candidate) === model);

/** Whether the metrics have the model. */
export const hasModel = (metrics: Metrics, model: string | null): boolean => seriesOf(metrics, model) !== undefined;

/** The metrics of a model; null for all models. */
export const measuredOf = (metrics: Metrics, model: string | null): Measurements =>
  seriesOf(metrics, model) ?? metrics.all;

/** Latencies of each service; the first is what a client waits for. */
const LATENCIES: Readonly<Record<UsageService, readonly [MetricsLatency, ...MetricsLatency[]]>> = {
  async: ['processing', 'queue'],
  real_time: ['first_word', 'finals'],
};

/** The latencies to choose from. */
export function latenciesOf(metrics: Metrics, model: string | null): readonly MetricsLatency[] {
  const series = seriesOf(metrics, model);
  return series ? LATENCIES[series.service] : [...LATENCIES.real_time, ...LATENCIES.async];
}

/** The latency of a service that stands where another service has `chosen`. */
export function latencyFor(service: UsageService, chosen: MetricsLatency): MetricsLatency {
  const places = Object.values(LATENCIES).map((names) => names.indexOf(chosen));
  return LATENCIES[service][Math.max(0, ...places)] ?? LATENCIES[service][0];
}

/** The latency to show: the chosen one if the model has it, else the one with the most requests. */
export function latencyOf(metrics: Metrics, model: string | null, chosen: MetricsLatency | null): MetricsLatency {
  const series = seriesOf(metrics, model);
  if (chosen !== null && latenciesOf(metrics, model).includes(chosen)) return chosen;
  if (series) return LATENCIES[series.service][0];
  const measured = (name: MetricsLatency): number => metrics.all[name]?.measured ?? 0;
  const [live] = LATENCIES.real_time;
  const [file] = LATENCIES.async;
  return measured(file) > measured(live) ? file : live;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Failed and refused requests in per cent; null without requests. */
export const errorRate = (errors: number, requests: number): number | null =>
  requests === 0 ? null : (100 * errors) / requests;

/** Requests of every step: those that ended, and those that were refused. */
export const madeIn = ({ requests, refused }: Measurements): number[] =>
  requests.map((count, index) => count + (refused[index] ?? 0));

/** Error rate of every step. */
export const errorRates = (measured: Measurements): (number | null)[] =>
  madeIn(measured).map((count, index) =>
    errorRate((measured.errors[index] ?? 0) + (measured.refused[index] ?? 0), count),
  );

/** Completed requests of every step: neither failed nor cancelled. */
export const completedOf = ({ requests, errors, cancelled }: Measurements): number[] =>
  requests.map((count, index) => count - (errors[index] ?? 0) - (cancelled[index] ?? 0));

export type Totals = {
  /** Those that ended, and those that were refused. */
  requests: number;
  completed: number;
  errors: number;
  cancelled: number;
  refused: number;
  /** Milliseconds. */
  audioMs: number;
  /** Per cent. */
  errorRate: number | null;
};

export function totalsOf(measured: Measurements): Totals {
  const [requests, errors, refused] = [sum(madeIn(measured)), sum(measured.errors), sum(measured.refused)];
  return {
    requests,
    completed: sum(completedOf(measured)),
    errors,
    cancelled: sum(measured.cancelled),
    refused,
    audioMs: sum(measured.audio_ms),
    errorRate: errorRate(errors + refused, requests),
  };
}

const UNMEASURED: Percentiles = { p50: null, p90: null, p99: null };

/** The percentiles of a latency over the whole period, milliseconds. */
export const overallPercentiles = (measured: Measurements, latency: MetricsLatency): Percentiles =>
  measured[latency]?.whole ?? UNMEASURED;

/** The most live streams at once in the period. */
export const peakOf = ({ peak_streams }: Metrics): number => Math.max(0, ...peak_streams);

/** Whether there is nothing to show: no request and no stream. */
export const isIdle = (metrics: Metrics): boolean => totalsOf(metrics.all).requests === 0 && peakOf(metrics) === 0;
