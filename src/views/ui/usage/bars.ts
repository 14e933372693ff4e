/** The series and the scale of a bar chart, and their texts. */
import { SERVICE_NAMES, type UsagePeriod, type UsageService } from '#contract/usage.ts';
import type { Zone } from '#machines/root/preferences/actors.ts';
import type { Usage } from '#machines/workspace/usage/actors.ts';
import type { Measure } from '#machines/workspace/usage/machine.ts';
import { CHART_COLOURS, chartColour, REST_COLOUR } from '../../../theme/charts.ts';
import { formatAudio, formatCost, formatCount, formatLatency, formatPercent, formatTickAmount } from '../figures.ts';
import { ZONE_NAMES } from '../format.ts';

/** Requests, milliseconds of audio, or micro-USD. */
export type UsageUnit = Measure | 'cost_micros';
/** A unit of usage, concurrent streams, per cent, or milliseconds of latency. */
export type Unit = UsageUnit | 'streams' | 'percent' | 'latency_ms';

/** The amounts of a model or a project; `kind` if there is one. */
export type Amounts = {
  name: string;
  service: string;
  kind?: UsageService;
  values: readonly number[];
  total: number;
};
/** What a chart draws in a colour. */
export type Series = Amounts & { colour: string };

/** People cannot tell more colours apart. */
const SERIES_MAX = 6;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** One series per service and model, in the order of the server's answer. */
export function seriesOf(usage: Usage, measure: Measure): Amounts[] {
  const columns =
    usage.chart === 'cost'
      ? usage.figures.series.map((one) => ({ ...one, values: one.cost_micros }))
      : usage.figures.series.map((one) => ({ ...one, values: one[measure] }));
  return columns.map(({ service, model, values }) => ({
    name: model,
    service: SERVICE_NAMES[service],
    kind: service,
    values,
    total: sum(values),
  }));
}

/**
 * Gives each series a colour of its own. The first model of a kind has the colour of the kind on every screen; the
 * others, and what has no kind, have the colours that are left.
 */
function coloured(series: readonly Amounts[]): Series[] {
  const firsts = new Map<Amounts, string>();
  for (const kind of Object.keys(SERVICE_NAMES) as UsageService[]) {
    const first = series.find((one) => one.kind === kind);
    if (first) firsts.set(first, chartColour(kind));
  }
  const ofKinds = firsts.size > 0 ? Object.keys(SERVICE_NAMES).map((kind) => chartColour(kind as UsageService)) : [];
  const left = CHART_COLOURS.filter((colour) => !ofKinds.includes(colour));
  const free = [...left, ...ofKinds.filter((colour) => ![...firsts.values()].includes(colour))];
  return series.map((one) => ({ ...one, colour: firsts.get(one) ?? free.shift() ?? REST_COLOUR }));
}

/** At most `SERIES_MAX` series in colours: the largest, and the rest added up. */
export function folded(series: readonly Amounts[], what = 'models'): Series[] {
  if (series.length <= SERIES_MAX) return coloured(series);
  const bySize = series.toSorted((one, other) => other.total - one.total);
  const shown = new Set(bySize.slice(0, SERIES_MAX - 1));
  const rest = series.filter((one) => !shown.has(one));
  const values = (rest[0]?.values ?? []).map((_, index) => sum(rest.map((one) => one.values[index] ?? 0)));
  return [
    ...coloured(series.filter((one) => shown.has(one))),
    { name: `${rest.length} other ${what}`, service: '', values, total: sum(values), colour: REST_COLOUR },
  ];
}

export const totalAt = (series: readonly Amounts[], index: number): number =>
  sum(series.map(({ values }) => values[index] ?? 0));

/** The most labels that fit below the bars. */
const LABELS_MAX: Readonly<Record<UsagePeriod, number>> = { hourly: 4, daily: 5, monthly: 4 };

/** The indices of the time steps that have a label. */
export function labelled(count: number, period: UsagePeriod): number[] {
  const step = Math.ceil(count / LABELS_MAX[period]);
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step);
}

const TICKS = 4;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const AUDIO_STEPS = [
  SECOND,
  2 * SECOND,
  5 * SECOND,
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
];

/** The smallest number of the form 1, 2 or 5 × 10ⁿ that is at least `least`. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
}

/** Whether ticks of this distance are round seconds, minutes or hours, rather than round numbers. */
const isClock = (least: number, unit: Unit): boolean =>
  unit === 'audio_ms' || (unit === 'latency_ms' && least > SECOND / 2);

/** Round ticks of a scale, from 0 to at least `max`. */
export function ticksOf(max: number, unit: Unit): number[] {
  const least = Math.max(1, max / TICKS);
  const step = isClock(least, unit)
    ? (AUDIO_STEPS.find((candidate) => candidate >= least) ?? roundStep(least / HOUR) * HOUR)
    : roundStep(least);
  return Array.from({ length: Math.max(1, Math.ceil(max / step)) + 1 }, (_, index) => index * step);
}

/** The amount of the topmost tick. */
export const topOf = (ticks: readonly number[]): number => ticks.at(-1) ?? 1;

const FORMATS: Readonly<Record<Unit, (value: number) => string>> = {
  requests: formatCount,
  streams: formatCount,
  audio_ms: formatAudio,
  cost_micros: formatCost,
  percent: formatPercent,
  latency_ms: formatLatency,
};

export const formatValue = (value: number, unit: Unit): string => FORMATS[unit](value);

/** Formats a value for a tick, where '1 min 0 s' is '1 min'. Latencies are in seconds if the topmost is. */
const formatTick = (value: number, unit: Unit, top: number): string => {
  if (unit === 'cost_micros') return formatTickAmount(value);
  return unit === 'latency_ms' && top >= SECOND && top < MINUTE
    ? `${value / SECOND} s`
    : formatValue(value, unit).replace(/(?<=\S) 0 (s|min)$/, '');
};

const NUMBER = /^([^.]*\d)(?:\.(\d+))?(\D*)$/;

/** The texts of the ticks, all with as many decimals as the one that needs most: '$0.000', '$0.005'. */
export function tickTexts(ticks: readonly number[], unit: Unit): string[] {
  const texts = ticks.map((value) => formatTick(value, unit, topOf(ticks)));
  const places = Math.max(0, ...texts.map((text) => NUMBER.exec(text)?.[2]?.length ?? 0));
  if (places === 0) return texts;
  return texts.map((text) =>
    text.replace(
      NUMBER,
      (_, whole: string, decimals = '', after = '') => `${whole}.${decimals.padEnd(places, '0')}${after}`,
    ),
  );
}

const COUNTED: Partial<Record<Unit, readonly [one: string, more: string]>> = {
  requests: ['request', 'requests'],
  streams: ['stream', 'streams'],
};

/** A value with its noun: '3 requests'. */
export function formatCounted(value: number, unit: Unit): string {
  const [one, more] = COUNTED[unit] ?? [];
  const noun = value === 1 ? one : more;
  return noun === undefined ? formatValue(value, unit) : `${formatValue(value, unit)} ${noun}`;
}

/** The zone of a chart's steps: the person's for hours; days and months are of UTC. */
export const zoneOfSteps = (period: UsagePeriod, zone: Zone): Zone => (period === 'hourly' ? zone : 'utc');

type Format = (at: Date, zone: Zone) => string;
const format = (options: Intl.DateTimeFormatOptions): Format => {
  const utc = new Intl.DateTimeFormat('en', { timeZone: 'UTC', ...options });
  const local = new Intl.DateTimeFormat('en', options);
  return (at, zone) => (zone === 'utc' ? utc : local).format(at);
};
const SHORT: Readonly<Record<UsagePeriod, Format>> = {
  hourly: format({ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  daily: format({ month: 'short', day: 'numeric' }),
  monthly: format({ month: 'short', year: 'numeric' }),
};
const LONG: Readonly<Record<UsagePeriod, Format>> = {
  hourly: format({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' }),
  daily: format({ dateStyle: 'medium' }),
  monthly: format({ month: 'long', year: 'numeric' }),
};

/** The start of a time step, short: 'Nov 3', 'Nov 3, 14:00', 'Nov 2026'. */
export const shortStep = (start: string, period: UsagePeriod, zone: Zone): string =>
  SHORT[period](new Date(start), zoneOfSteps(period, zone));
/** The start of a time step, long: 'Nov 3, 2026', 'Nov 3, 2026, 14:00', 'November 2026'. */
export const longStep = (start: string, period: UsagePeriod, zone: Zone): string =>
  LONG[period](new Date(start), zoneOfSteps(period, zone));
/** The title of a column of time steps: 'Time (UTC)', 'Time (local)'. */
export const stepTitle = (period: UsagePeriod, zone: Zone): string => `Time (${ZONE_NAMES[zoneOfSteps(period, zone)]})`;

/**
 * 'Nov 3, 2026: 3 requests. Async parlance-async-1: 2 requests, Live parlance-rt-1: 1 request.' A series without
 * a name is the total, so it is left out.
 */
export function describeBar(series: readonly Amounts[], index: number, step: string, unit: Unit): string {
  const parts = series.flatMap(({ name, service, values }) =>
    name !== '' && values[index] ? [`${service} ${name}: ${formatCounted(values[index], unit)}`.trim()] : [],
  );
  return `${step}: ${formatCounted(totalAt(series, index), unit)}.${parts.length > 0 ? ` ${parts.join(', ')}.` : ''}`;
}
