/** Which requests the logs show: what the address asks for, what of that there is, and what is asked of the server. */
import * as v from 'valibot';
import { LogQuery } from '#contract/logs.ts';
import { Uuid } from '#contract/fields.ts';
import type { LogsView } from '../../shared/route.ts';

/** Lengths that end now; `all` has no beginning. */
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
/** What shows where the address names no time. */
const USUAL: LogPeriod = 'week';

/** What is asked of the server, without paging. */
export type LogFilter = Omit<LogQuery, 'limit' | 'cursor'>;

/** What can be filtered by besides the time. */
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

/** Of an address, only what it may tell. */
export const viewOf = (view: LogsView): LogsView =>
  Object.fromEntries(KEYS.flatMap((name) => (view[name] === undefined ? [] : [[name, view[name]]])));

const without = (view: LogsView, names: readonly Key[]): LogsView =>
  Object.fromEntries(Object.entries(view).filter(([name]) => !names.some((other) => other === name)));

/** What an address asks for as far as there is such a thing; the rest counts for nothing. */
export function shownOf(view: LogsView): LogsView {
  const shown = without(
    view,
    KEYS.filter((name) => !view[name] || !v.is(RULES[name], view[name])),
  );
  if (timesProblem(shown)) return without(shown, ['from', 'to']);
  // Times of one's own stand before a length.
  return hasTimes(shown) ? without(shown, ['period']) : shown;
}

/** Whether an address asks for something that there is not. */
export const isBadAddress = (view: LogsView): boolean => Object.keys(view).length > Object.keys(shownOf(view)).length;

type Times = Pick<LogsView, 'from' | 'to'>;

export const hasTimes = ({ from, to }: Times): boolean => from !== undefined || to !== undefined;

/** What is wrong with times that somebody chose; null where nothing is. */
export function timesProblem({ from, to }: Times): string | null {
  const result = v.safeParse(LogQuery, { ...(from !== undefined && { from }), ...(to !== undefined && { to }) });
  return result.success ? null : result.issues[0].message;
}

/** The length that shows; null where the times are one's own. */
export const periodOf = (view: LogsView): LogPeriod | null =>
  hasTimes(view) ? null : (LOG_PERIODS.find((period) => period === view.period) ?? USUAL);

/** How long ago the time that shows began, milliseconds; null where it has no beginning that moves. */
export function lengthOf(view: LogsView): number | null {
  const period = periodOf(shownOf(view));
  return period === null || period === 'all' ? null : LENGTHS_MS[period];
}

/** The query for what an address asks for. @param start of UTC; null where {@link lengthOf} is */
export function filterOf(view: LogsView, start: string | null): LogFilter {
  const { period: _, log: __, ...asked } = shownOf(view);
  return v.parse(LogQuery, { ...asked, ...(start !== null && { from: start }) });
}

/** An address with other values; null takes one out. The usual length is not written. */
export function changed(view: LogsView, change: { readonly [Name in Key]?: string | null }): LogsView {
  const next = { ...shownOf(view), ...change };
  const left = KEYS.filter((name) => next[name] === null || next[name] === '');
  return without(next as LogsView, next.period === USUAL ? [...left, 'period'] : left);
}

/** Whether two addresses show the same requests. */
export const isSameFilter = (one: LogsView, other: LogsView): boolean =>
  KEYS.every((name) => name === 'log' || one[name] === other[name]);

/** Whether anything but the time narrows the requests down. */
export const isNarrowed = (view: LogsView): boolean => FACETS.some((name) => view[name] !== undefined);
