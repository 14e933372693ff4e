/** The series, lines and legends of the metrics charts. */
import type { Latency, Metrics, MetricsLatency, Percentiles } from '#contract/metrics.ts';
import {
  completedOf,
  errorRates,
  peakOf,
  totalsOf,
  overallPercentiles,
  type Measurements,
} from '#machines/workspace/metrics/figures.ts';
import { chartColour, FAILED_COLOUR, REST_COLOUR } from '../../theme/charts.ts';
import { formatCount } from '../ui/figures.ts';
import type { Series, Unit } from '../ui/usage/bars.ts';
import { firstUseOf } from '../ui/usage/firstUse.ts';
import { formatMeasured, isSparse, type Line } from '../ui/usage/lines.ts';
import type { LegendEntry } from '../ui/usage/Legend.tsx';
import { formatPercentile } from './words.ts';

const MAIN_COLOUR = chartColour('main');

/**
 * The metrics that charts draw, and when the first use was if they begin there rather than with the period. Tables show
 * the whole period.
 */
export function drawnOf(metrics: Metrics): { drawn: Metrics; firstUse: string | null } {
  const { used, from } = firstUseOf([
    { values: metrics.all.requests },
    { values: metrics.all.refused },
    { values: metrics.peak_streams },
  ]);
  if (from === 0) return { drawn: metrics, firstUse: null };
  const drawn: Metrics = {
    ...metrics,
    buckets: metrics.buckets.slice(from),
    series: metrics.series.map((series) => ({ ...series, ...since(series, from) })),
    all: since(metrics.all, from),
    peak_streams: metrics.peak_streams.slice(from),
  };
  return { drawn, firstUse: metrics.buckets[used] ?? null };
}

const latencySince = (latency: Latency | null, from: number): Latency | null =>
  latency && { ...latency, p50: latency.p50.slice(from), p90: latency.p90.slice(from), p99: latency.p99.slice(from) };

const since = (measured: Measurements, from: number): Measurements => ({
  requests: measured.requests.slice(from),
  errors: measured.errors.slice(from),
  cancelled: measured.cancelled.slice(from),
  refused: measured.refused.slice(from),
  audio_ms: measured.audio_ms.slice(from),
  queue: latencySince(measured.queue, from),
  processing: latencySince(measured.processing, from),
  first_word: latencySince(measured.first_word, from),
  finals: latencySince(measured.finals, from),
});

const part = (name: string, values: readonly number[], total: number, colour: string): Series => ({
  name,
  service: '',
  values,
  total,
  colour,
});

/** Requests by outcome, in stacking order from the bottom. */
export function requestsOf(measured: Measurements): Series[] {
  const { completed, errors, refused, cancelled } = totalsOf(measured);
  return [
    part('Completed', completedOf(measured), completed, MAIN_COLOUR),
    part('Failed', measured.errors, errors, FAILED_COLOUR),
    part('Refused', measured.refused, refused, chartColour('refused')),
    part('Cancelled', measured.cancelled, cancelled, REST_COLOUR),
  ];
}

export const audioOf = (measured: Measurements): Series[] => [
  part('', measured.audio_ms, totalsOf(measured).audioMs, MAIN_COLOUR),
];

/** Peaks per time step; the total is the highest of them. */
export const streamsOf = (metrics: Metrics): Series[] => [part('', metrics.peak_streams, peakOf(metrics), MAIN_COLOUR)];

export const errorLine = (measured: Measurements): Line[] => [
  { name: 'Error rate', values: errorRates(measured), colour: FAILED_COLOUR },
];

const PERCENTILES = ['p50', 'p90', 'p99'] as const satisfies (keyof Percentiles)[];
/** Distinct dashes, so that colour is not the only difference. */
const STROKES = [
  { colour: chartColour('p50'), dash: '24 0' },
  { colour: chartColour('p90'), dash: '8 4' },
  { colour: chartColour('p99'), dash: '2 4' },
] as const;

export const latencyLines = (measured: Measurements, latency: MetricsLatency): Line[] =>
  PERCENTILES.map((name, place) => ({
    name,
    values: measured[latency]?.[name] ?? [],
    ...(STROKES[place] ?? STROKES[0]),
  }));

/** The percentiles of the hovered time step, or of the whole period (measured, not summed up from the steps). */
export function latencyEntries(measured: Measurements, latency: MetricsLatency): LegendEntry[] {
  const whole = overallPercentiles(measured, latency);
  return entriesOfLines(
    latencyLines(measured, latency),
    PERCENTILES.map((name) => formatPercentile(name, whole)),
    'latency_ms',
  );
}

/** The error rate of the hovered time step, or of the whole period. */
export const errorEntries = (measured: Measurements): LegendEntry[] =>
  entriesOfLines(errorLine(measured), [formatMeasured(totalsOf(measured).errorRate, 'percent')], 'percent');

/** The legend of lines, or of the bars in their place; `wholes` are the values of the whole period. */
function entriesOfLines(lines: readonly Line[], wholes: readonly string[], unit: Unit): LegendEntry[] {
  const areBars = isSparse(lines);
  return lines.map(({ name, values, colour, dash = '24 0' }, place) => ({
    name,
    colour,
    ...(areBars ? {} : { dash }),
    figure: (pointed) => (pointed === null ? (wholes[place] ?? '') : formatMeasured(values[pointed], unit)),
  }));
}

/** '3 of 10'; without a limit, '3'. */
export const peakText = (metrics: Metrics): string =>
  metrics.stream_limit === null
    ? formatCount(peakOf(metrics))
    : `${formatCount(peakOf(metrics))} of ${formatCount(metrics.stream_limit)}`;

export function streamEntries(metrics: Metrics): LegendEntry[] {
  const { stream_limit, peak_streams } = metrics;
  const peak = {
    name: 'Most at once',
    colour: MAIN_COLOUR,
    figure: (pointed: number | null) => formatCount(pointed === null ? peakOf(metrics) : (peak_streams[pointed] ?? 0)),
  };
  if (stream_limit === null) return [peak];
  return [peak, { name: 'Limit', colour: FAILED_COLOUR, dash: '6 4', figure: () => formatCount(stream_limit) }];
}
