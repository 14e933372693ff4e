/** The series, lines and legends of the metrics charts. */
import type { Metrics, MetricsLatency, Percentiles } from '#contract/metrics.ts';
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
import type { Series } from '../ui/usage/bars.ts';
import { formatMeasured, type Line } from '../ui/usage/lines.ts';
import type { LegendEntry } from '../ui/usage/Legend.tsx';

const MAIN_COLOUR = chartColour('main');

const part = (name: string, values: readonly number[], total: number, colour: string): Series => ({
  name,
  service: '',
  values,
  total,
  colour,
});

/** Requests by outcome, in stacking order from the bottom. */
export function requestsOf(measured: Measurements): Series[] {
  const { completed, errors, cancelled } = totalsOf(measured);
  return [
    part('Completed', completedOf(measured), completed, MAIN_COLOUR),
    part('Failed', measured.errors, errors, FAILED_COLOUR),
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
  return PERCENTILES.map((name, place) => ({
    name,
    ...(STROKES[place] ?? STROKES[0]),
    figure: (pointed) =>
      formatMeasured(pointed === null ? whole[name] : measured[latency]?.[name][pointed], 'latency_ms'),
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
