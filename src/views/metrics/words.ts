/** Names and texts of the metrics screen. */
import { P99_LEAST, type MetricsLatency, type Percentiles } from '#contract/metrics.ts';
import type { UsagePeriod } from '#contract/usage.ts';
import type { Zone } from '#machines/root/preferences/actors.ts';
import type { Sheet, SheetUnit } from '#machines/workspace/metrics/sheets.ts';
import { SERVICE_NAMES } from '#contract/usage.ts';
import { longStep, stepTitle, type Unit } from '../ui/usage/bars.ts';
import { formatMeasured } from '../ui/usage/lines.ts';

export const LATENCY_NAMES: Readonly<Record<MetricsLatency, string>> = {
  first_word: 'First word',
  finals: 'Finals',
  processing: 'Processing',
  queue: 'Queue',
};

/** With the kind of request. */
export const LATENCY_TITLES: Readonly<Record<MetricsLatency, string>> = {
  first_word: 'Live: first word',
  finals: 'Live: finals',
  processing: 'Files: processing',
  queue: 'Files: queue',
};

/** The kind of request, and from when to when its latency is measured. */
export const LATENCY_NOTES: Readonly<Record<MetricsLatency, string>> = {
  first_word: 'Live: from the first audio to the first word',
  finals: 'Live: from the end of the audio to the last final word',
  processing: 'Files: from the start of transcribing to its end',
  queue: 'Files: from the request to the start of transcribing',
};

const UNITS: Readonly<Record<SheetUnit, Unit>> = {
  count: 'requests',
  audio_ms: 'audio_ms',
  percent: 'percent',
  latency_ms: 'latency_ms',
};

const NAMES: Readonly<Record<string, string | undefined>> = SERVICE_NAMES;

/** 'parlance-async-1 Async' */
export const modelName = (service: string, model: string): string => `${model} ${NAMES[service] ?? service}`;

/** A percentile. A p99 that is not told although another one is, is of too few requests. */
export const formatPercentile = (name: keyof Percentiles, percentiles: Percentiles): string =>
  name === 'p99' && percentiles.p99 === null && percentiles.p50 !== null
    ? `Under ${P99_LEAST} requests`
    : formatMeasured(percentiles[name], 'latency_ms');

const LATENCY_NAME_OF: Readonly<Record<string, string | undefined>> = LATENCY_NAMES;

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
        name: modelName(service, model),
        cells: [LATENCY_NAME_OF[ofRow] ?? ofRow, ...cellsOf(values)],
      })),
      { name: 'All models', cells: [LATENCY_TITLES[latency], ...cellsOf(whole)] },
    ],
  };
}
