/** Names and texts of the metrics screen. */
import { P99_LEAST, type MetricsLatency, type Percentiles } from '#contract/metrics.ts';
import { SERVICE_NAMES, type UsagePeriod, type UsageService } from '#contract/usage.ts';
import type { Zone } from '#machines/root/preferences/actors.ts';
import type { Sheet, SheetUnit } from '#machines/workspace/metrics/sheets.ts';
import { longStep, stepTitle, type Unit } from '../ui/usage/bars.ts';
import { formatMeasured } from '../ui/usage/lines.ts';

/** With the kind of request. */
export const LATENCY_TITLES: Readonly<Record<MetricsLatency, string>> = {
  first_word: 'Live: first word',
  finals: 'Live: finals',
  processing: 'Async: processing',
  queue: 'Async: queue',
};

/** The kind of request, and from when to when its latency is measured. */
export const LATENCY_NOTES: Readonly<Record<MetricsLatency, string>> = {
  first_word: 'Live: from the first audio to the first word',
  finals: 'Live: from the end of the audio to the last final word',
  processing: 'Async: from the start of transcribing to its end',
  queue: 'Async: from the request to the start of transcribing',
};

const UNITS: Readonly<Record<SheetUnit, Unit>> = {
  count: 'requests',
  audio_ms: 'audio_ms',
  percent: 'percent',
  latency_ms: 'latency_ms',
};

/** 'parlance-async-1 Async' */
export const modelName = (service: UsageService, model: string): string => `${model} ${SERVICE_NAMES[service]}`;

/** A percentile. A p99 that is not told although another one is, is of too few requests. */
export const formatPercentile = (name: keyof Percentiles, percentiles: Percentiles): string =>
  name === 'p99' && percentiles.p99 === null && percentiles.p50 !== null
    ? `Under ${P99_LEAST} requests`
    : formatMeasured(percentiles[name], 'latency_ms');

/** A sheet as texts for a table. The last row is the whole period, or all models. */
export function tableTexts({ columns, rows, whole, latency }: Sheet, period: UsagePeriod, zone: Zone) {
  const cellsOf = (values: Sheet['whole']): string[] => {
    const [p50 = null, p90 = null, p99 = null] = values.slice(-3);
    return columns.map(({ name, unit }, place) =>
      name === 'p99' ? formatPercentile(name, { p50, p90, p99 }) : formatMeasured(values[place], UNITS[unit]),
    );
  };
  if (latency === undefined)
    return {
      heads: [stepTitle(period, zone), ...columns.map(({ name }) => name)],
      rows: [
        ...rows.map(({ head: [start = ''], values }) => ({
          name: longStep(start, period, zone),
          cells: cellsOf(values),
        })),
        { name: 'Whole period', cells: cellsOf(whole) },
      ],
    };
  return {
    heads: ['Model', 'Latency', ...columns.map(({ name }) => name)],
    rows: [
      ...rows.map(({ head: [service = '', model = '', ofRow = ''], values }) => ({
        name: `${model} ${service}`.trim(),
        cells: [ofRow, ...cellsOf(values)],
      })),
      { name: 'All models', cells: [LATENCY_TITLES[latency], ...cellsOf(whole)] },
    ],
  };
}
