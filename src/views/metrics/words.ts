/** Names and texts of the metrics screen. */
import type { MetricsLatency } from '#contract/metrics.ts';
import type { UsagePeriod } from '#contract/usage.ts';
import type { Zone } from '#machines/root/preferences/actors.ts';
import type { Sheet, SheetUnit } from '#machines/workspace/metrics/sheets.ts';
import { SERVICES, longStep, stepTitle, type Unit } from '../ui/usage/bars.ts';
import { formatMeasured } from '../ui/usage/lines.ts';

export const LATENCY_NAMES: Readonly<Record<MetricsLatency, string>> = {
  first_word: 'First word',
  finals: 'Finals',
  processing: 'Processing',
  queue: 'Queue',
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

const SERVICE_NAMES: Readonly<Record<string, string | undefined>> = SERVICES;

/** 'parlance-async-1 Async' */
export const modelName = (service: string, model: string): string => `${model} ${SERVICE_NAMES[service] ?? service}`;

/** A sheet as texts for a table. The last row is the whole period, or all models. */
export function tableTexts({ name, columns, rows, whole }: Sheet, period: UsagePeriod, zone: Zone) {
  const isOfModels = name === 'models';
  const cellsOf = (values: Sheet['whole']) =>
    columns.map(({ unit }, place) => formatMeasured(values[place], UNITS[unit]));
  return {
    heads: [isOfModels ? 'Model' : stepTitle(period, zone), ...columns.map((column) => column.name)],
    rows: [
      ...rows.map(({ head: [first = '', second = ''], values }) => ({
        name: isOfModels ? modelName(first, second) : longStep(first, period, zone),
        cells: cellsOf(values),
      })),
      { name: isOfModels ? 'All models' : 'Whole period', cells: cellsOf(whole) },
    ],
  };
}
