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
import { speakerColour } from '../../theme/speakers.ts';
import { formatCount } from '../ui/figures.ts';
import { REST_COLOUR, type Series } from '../ui/usage/bars.ts';
import { formatMeasured, type Line } from '../ui/usage/lines.ts';
import type { LegendEntry } from '../ui/usage/Legend.tsx';
import { formatPercentile } from './words.ts';

const FAILED_COLOUR = 'var(--chakra-colors-fg-error)';
const REFUSED_COLOUR = 'var(--chakra-colors-fg-warning)';
const MAIN_COLOUR = speakerColour('1');

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
    part('Refused', measured.refused, refused, REFUSED_COLOUR),
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
  { colour: speakerColour('1'), dash: '24 0' },
  { colour: speakerColour('3'), dash: '8 4' },
  { colour: speakerColour('2'), dash: '2 4' },
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
      pointed === null
        ? formatPercentile(name, whole)
        : formatMeasured(measured[latency]?.[name][pointed], 'latency_ms'),
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
