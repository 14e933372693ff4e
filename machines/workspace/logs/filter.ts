// The filter of the logs: reads and writes it in the address, and makes the request.
import * as v from 'valibot';
import { LogQuery } from '#contract/logs.ts';
import { Uuid } from '#contract/fields.ts';
import type { LogsView } from '../../shared/route.ts';

/** Periods that end now; `all` has no beginning. */
export const LOG_PERIODS = ['hour', 'day', 'week', 'month', 'all'] as const;
export type LogPeriod = (typeof LOG_PERIODS)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LENGTHS_MS: Readonly<Record<Exclude<LogPeriod, 'all'>, number>> = {
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
};
/** Shown if the address has no time. */
const DEFAULT_PERIOD: LogPeriod = 'week';

/** The query to the server, without paging. */
export type LogFilter = Omit<LogQuery, 'limit' | 'cursor'>;

/** Filters besides the time. */
export const FACETS = ['kind', 'status', 'model', 'key', 'reference', 'error'] as const;
export type Facet = (typeof FACETS)[number];

const KEYS = [...FACETS, 'period', 'from', 'to', 'log'] as const;
type Key = (typeof KEYS)[number];

const { kind, status, model, key, reference, error, from, to } = LogQuery.entries;
const RULES: Readonly<Record<Key, v.GenericSchema>> = {
  ...{ kind, status, model, key, reference, error, from, to },
  period: v.picklist(LOG_PERIODS),
  log: Uuid,
};

/** The parameters of the logs in an address. */
export const viewIn = (view: LogsView): LogsView =>
  Object.fromEntries(KEYS.flatMap((name) => (view[name] === undefined ? [] : [[name, view[name]]])));

const without = (view: LogsView, names: readonly Key[]): LogsView =>
  Object.fromEntries(Object.entries(view).filter(([name]) => !names.some((other) => other === name)));

/** The valid parameters of an address. */
export function validView(view: LogsView): LogsView {
  const shown = without(
    view,
    KEYS.filter((name) => !view[name] || !v.is(RULES[name], view[name])),
  );
  if (timesProblem(shown)) return without(shown, ['from', 'to']);
  // The person's own times override a period.
  return hasTimes(shown) ? without(shown, ['period']) : shown;
}

/** Whether an address has an invalid parameter. */
export const isBadAddress = (view: LogsView): boolean => Object.keys(view).length > Object.keys(validView(view)).length;

type Times = Pick<LogsView, 'from' | 'to'>;

export const hasTimes = ({ from, to }: Times): boolean => from !== undefined || to !== undefined;

/** What is wrong with chosen times; null if nothing. */
export function timesProblem({ from, to }: Times): string | null {
  const result = v.safeParse(LogQuery, { ...(from !== undefined && { from }), ...(to !== undefined && { to }) });
  return result.success ? null : result.issues[0].message;
}

/** The period shown; null if the person chose times. */
export const periodOf = (view: LogsView): LogPeriod | null =>
  hasTimes(view) ? null : (LOG_PERIODS.find((period) => period === view.period) ?? DEFAULT_PERIOD);

/** Length of the shown period, milliseconds; null for `all` and for chosen times. */
export function lengthOf(view: LogsView): number | null {
  const period = periodOf(validView(view));
  return period === null || period === 'all' ? null : LENGTHS_MS[period];
}

/** The query for an address. @param start UTC time; null if {@link lengthOf} is */
export function filterOf(view: LogsView, start: string | null): LogFilter {
  const { period: _, log: __, ...asked } = validView(view);
  return v.parse(LogQuery, { ...asked, ...(start !== null && { from: start }) });
}

/** Changes parameters of an address; null removes one. The default period is left out. */
export function changed(view: LogsView, change: { readonly [Name in Key]?: string | null }): LogsView {
  const next = { ...validView(view), ...change };
  const left = KEYS.filter((name) => next[name] === null || next[name] === '');
  return without(next as LogsView, next.period === DEFAULT_PERIOD ? [...left, 'period'] : left);
}

/** Whether two addresses show the same requests. */
export const isSameFilter = (one: LogsView, other: LogsView): boolean =>
  KEYS.every((name) => name === 'log' || one[name] === other[name]);

/** How many filters are set, the period among them. */
export const countSet = (view: LogsView): number =>
  FACETS.filter((name) => view[name] !== undefined).length + Number(periodOf(view) !== DEFAULT_PERIOD);

/** Whether there is a filter besides the time. */
export const isNarrowed = (view: LogsView): boolean => FACETS.some((name) => view[name] !== undefined);
