// Tables of the figures, shown beside each chart and downloaded as CSV.
import type { Metrics, MetricsLatency } from '#contract/metrics.ts';
import { toCsv } from '#contract/csv.ts';
import { SERVICE_NAMES } from '#contract/usage.ts';
import { figuresInOrder, type FiguresOrder } from '../usage/order.ts';
import type { TextFile } from './actors.ts';
import {
  completedOf,
  errorRates,
  latencyFor,
  madeIn,
  measuredOf,
  peakOf,
  totalsOf,
  overallPercentiles,
  type Measurements,
} from './figures.ts';

export const LATENCY_NAMES: Readonly<Record<MetricsLatency, string>> = {
  first_word: 'First word',
  finals: 'Finals',
  processing: 'Processing',
  queue: 'Queue',
};

export const SHEETS = ['requests', 'audio', 'errors', 'latency', 'streams', 'models'] as const;
export type SheetName = (typeof SHEETS)[number];

/** Unit of a column; `count` is a number of things. */
export type SheetUnit = 'count' | 'audio_ms' | 'percent' | 'latency_ms';

type Column = { name: string; unit: SheetUnit };
/** `head` is the start of a step; or a model's service, name and latency, in words. */
type Row = { head: readonly string[]; values: readonly (number | null)[] };

export type Sheet = {
  name: SheetName;
  columns: readonly Column[];
  rows: readonly Row[];
  /** Values of the whole period or of all models. Percentiles are not sums. */
  whole: readonly (number | null)[];
  /** Of the table of models: the latency of `whole`. */
  latency?: MetricsLatency;
};

/** The choices that a table depends on. */
export type Choice = { model: string | null; latency: MetricsLatency };

const count = (name: string): Column => ({ name, unit: 'count' });
const RATE: Column = { name: 'Error rate', unit: 'percent' };
const AUDIO: Column = { name: 'Audio', unit: 'audio_ms' };
const PERCENTILES: readonly Column[] = ['p50', 'p90', 'p99'].map((name) => ({ name, unit: 'latency_ms' }));

type Part = Pick<Sheet, 'columns' | 'whole'> & { series: readonly (readonly (number | null)[])[] };

/** A table with a column for each series and a row for each step. */
const overTime = (name: SheetName, { buckets }: Metrics, { columns, whole, series }: Part): Sheet => ({
  name,
  columns,
  whole,
  rows: buckets.map((start, index) => ({ head: [start], values: series.map((values) => values[index] ?? null) })),
});

const requestsPart = (measured: Measurements): Part => {
  const { requests, completed, errors, refused, cancelled } = totalsOf(measured);
  return {
    columns: [count('Completed'), count('Failed'), count('Refused'), count('Cancelled'), count('Total')],
    series: [completedOf(measured), measured.errors, measured.refused, measured.cancelled, madeIn(measured)],
    whole: [completed, errors, refused, cancelled, requests],
  };
};

const errorsPart = (measured: Measurements): Part => {
  const { requests, errors, refused, errorRate } = totalsOf(measured);
  return {
    columns: [count('Requests'), count('Failed'), count('Refused'), RATE],
    series: [madeIn(measured), measured.errors, measured.refused, errorRates(measured)],
    whole: [requests, errors, refused, errorRate],
  };
};

const latencyPart = (measured: Measurements, latency: MetricsLatency): Part => {
  const { p50, p90, p99 } = overallPercentiles(measured, latency);
  const figures = measured[latency];
  return {
    columns: PERCENTILES,
    series: [figures?.p50 ?? [], figures?.p90 ?? [], figures?.p99 ?? []],
    whole: [p50, p90, p99],
  };
};

function modelValues(measured: Measurements, latency: MetricsLatency): (number | null)[] {
  const { requests, errors, refused, cancelled, errorRate, audioMs } = totalsOf(measured);
  const { p50, p90, p99 } = overallPercentiles(measured, latency);
  return [requests, errors, refused, cancelled, errorRate, audioMs, p50, p90, p99];
}

/** Refused requests of no model that has a row: they name none, several, or one that nothing used. */
function unknownModel({ all, series }: Metrics): Row[] {
  const refused = series.reduce((left, one) => left - totalsOf(one).refused, totalsOf(all).refused);
  return refused > 0
    ? [{ head: ['', 'Unknown model', ''], values: [refused, 0, refused, 0, 100, 0, null, null, null] }]
    : [];
}

/** A table with a row for each model, whatever the choice. Each row has a latency of its service. */
const models = (metrics: Metrics, latency: MetricsLatency): Sheet => ({
  name: 'models',
  columns: [count('Requests'), count('Failed'), count('Refused'), count('Cancelled'), RATE, AUDIO, ...PERCENTILES],
  rows: [
    ...metrics.series.map((series) => {
      const ofService = latencyFor(series.service, latency);
      return {
        head: [SERVICE_NAMES[series.service], series.model, LATENCY_NAMES[ofService]],
        values: modelValues(series, ofService),
      };
    }),
    ...unknownModel(metrics),
  ],
  whole: modelValues(metrics.all, latency),
  latency,
});

export function sheetOf(name: SheetName, metrics: Metrics, { model, latency }: Choice): Sheet {
  const measured = measuredOf(metrics, model);
  switch (name) {
    case 'requests':
      return overTime(name, metrics, requestsPart(measured));
    case 'audio':
      return overTime(name, metrics, {
        columns: [AUDIO],
        series: [measured.audio_ms],
        whole: [totalsOf(measured).audioMs],
      });
    case 'errors':
      return overTime(name, metrics, errorsPart(measured));
    case 'latency':
      return overTime(name, metrics, latencyPart(measured, latency));
    case 'streams':
      return overTime(name, metrics, {
        columns: [count('Most streams at once')],
        series: [metrics.peak_streams],
        whole: [peakOf(metrics)],
      });
    case 'models':
      return models(metrics, latency);
  }
}

/** The rows in an order. The table of models has the latency before its figures. */
export const sheetInOrder = (sheet: Sheet, order: FiguresOrder): Sheet => ({
  ...sheet,
  rows: figuresInOrder(sheet.rows, order, ({ head, values }, column) => {
    const [, , latency] = head;
    if (latency === undefined) return values[column - 1];
    return column === 1 ? latency : values[column - 2];
  }),
});

const MS_PER_MINUTE = 60_000;
/** The unit in the heading of a CSV column, and its plain numbers: how many of the own unit, and decimals. */
const IN_CSV: Readonly<Record<SheetUnit, { unit: string; per: number; decimals: number }>> = {
  count: { unit: '', per: 1, decimals: 0 },
  audio_ms: { unit: ' (minutes)', per: MS_PER_MINUTE, decimals: 4 },
  percent: { unit: ' (%)', per: 1, decimals: 2 },
  latency_ms: { unit: ' (ms)', per: 1, decimals: 0 },
};

function csvNumber(value: number | null, column: Column | undefined): number | null {
  const { per, decimals } = IN_CSV[column?.unit ?? 'count'];
  return value === null ? null : Number((value / per).toFixed(decimals));
}

/** The rows of a table, without the totals, so that a sum counts nothing twice. */
export function csvOf({ name, columns, rows }: Sheet): string {
  const heads = name === 'models' ? ['Service', 'Model', 'Latency'] : ['Start (UTC)'];
  return toCsv([
    [...heads, ...columns.map((column) => `${column.name}${IN_CSV[column.unit].unit}`)],
    ...rows.map(({ head, values }) => [...head, ...values.map((value, index) => csvNumber(value, columns[index]))]),
  ]);
}

/** A table as a file, named such as 'metrics-latency-first_word-2026-04-01-2026-04-30-daily.csv'. */
export function fileOf(name: SheetName, metrics: Metrics, choice: Choice): TextFile {
  const { start_date, end_date, period } = metrics;
  const ofModel = choice.model !== null && name !== 'models' && name !== 'streams' ? [choice.model] : [];
  const ofLatency = name === 'latency' || name === 'models' ? [choice.latency] : [];
  const parts = ['metrics', name, ...ofLatency, ...ofModel, start_date, end_date, period];
  return {
    filename: `${parts.join('-').replaceAll(/[^\w.-]+/g, '-')}.csv`,
    mediaType: 'text/csv;charset=utf-8',
    text: csvOf(sheetOf(name, metrics, choice)),
  };
}
