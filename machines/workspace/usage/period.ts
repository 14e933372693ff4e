// The period of a chart, in its shared context: from the address, as chosen, and as shown.
import { usageProblem, type UsagePeriod } from '#contract/usage.ts';
import type { UsageView } from '../../shared/route.ts';
import {
  fits,
  inFittingSteps,
  presetOf,
  presetRange,
  rangeOf,
  shownRange,
  viewOf,
  type Preset,
  type Range,
} from './range.ts';
import type { Failure } from '../../shared/failure.ts';

/** Days that cannot be shown, or steps that are unknown or too short for the days. */
export type BadAddress = { what: 'days' } | { what: 'steps'; named: string };

export type PeriodContext = {
  /** What the address selects. */
  view: UsageView;
  /** Available lengths of steps, shortest first. */
  steps: readonly UsagePeriod[];
  /** Date in UTC when the period was last decided. */
  today: string | null;
  range: Range | null;
  /** What the address asked for that does not exist. It has been replaced by what is shown. */
  bad: BadAddress | null;
  /** The choice that is not in the address yet. */
  wanted: Preset | Range | null;
  /** Days that are typed but not applied. */
  typed: Days | null;
  /** What is wrong with the typed days. */
  problem: string | null;
  /** Why the figures could not be read. */
  failure: Failure | null;
};

export type Days = { start_date: string; end_date: string };

export type PeriodEvent =
  | { type: 'preset.chosen'; preset: Preset }
  | { type: 'period.chosen'; period: UsagePeriod }
  | ({ type: 'days.edited' } & Days)
  /** The fields are gone, and what was typed with them. */
  | { type: 'days.dropped' }
  | ({ type: 'days.submitted' } & Days);

/** The context before today's date is known. */
export const undecided = {
  today: null,
  range: null,
  bad: null,
  wanted: null,
  typed: null,
  problem: null,
  failure: null,
};

/** Typed days, in the present steps or longer ones. */
export const chosenDays = ({ range, steps }: PeriodContext, days: Days): Range =>
  inFittingSteps(days, range?.period ?? 'daily', steps);

/** What is wrong with typed days; null if nothing. */
export const daysProblem = (context: PeriodContext, days: Days): string | null =>
  usageProblem(chosenDays(context, days));

/** Whether typed days are others than those shown or being read. */
export function areOtherDays({ range, wanted }: PeriodContext, { start_date, end_date }: Days): boolean {
  const present = wanted ?? range;
  if (present === null || typeof present === 'string') return true;
  return present.start_date !== start_date || present.end_date !== end_date;
}

/** How many of days and steps are not the default. */
export const countSet = ({ range, today, steps }: Pick<PeriodContext, 'range' | 'today' | 'steps'>): number =>
  range === null || today === null
    ? 0
    : Number(presetOf(range, today) !== 'thisMonth') + Number(steps.length > 1 && range.period !== 'daily');

/** Whether the shown days can have steps of this other length. */
export const mayStep = ({ range, steps }: PeriodContext, period: UsagePeriod): boolean =>
  range !== null && range.period !== period && steps.includes(period) && fits(range, period);

/** What an address asks for that does not exist; null if nothing. */
export function badAddress({ view, steps }: Pick<PeriodContext, 'view' | 'steps'>, today: string): BadAddress | null {
  if (rangeOf(view, today, steps) !== null) return null;
  const { period, ...days } = view;
  return period !== undefined && rangeOf(days, today, steps) !== null
    ? { what: 'steps', named: period }
    : { what: 'days' };
}

/** Decides the period to show, now that today's date is known; a choice, or what replaces a bad address, is the view. */
export function decided(context: PeriodContext, today: string): Partial<PeriodContext> {
  const { wanted, view, steps } = context;
  const bad = wanted === null ? badAddress(context, today) : null;
  if (wanted === null && bad === null) return { today, range: shownRange(view, today, steps) };
  const range =
    wanted === null ? shownRange(view, today, steps) : typeof wanted === 'string' ? presetRange(wanted, today) : wanted;
  const { period, ...days } = viewOf(range, today);
  // A chart with one length of steps has no `period` in its address.
  const shown = period === undefined || steps.length === 1 ? days : { ...days, period };
  return { today, range, view: shown, bad, wanted: null };
}

/** The period shown now or next. */
export const rangeShown = ({ range, view, today, steps }: PeriodContext): Range =>
  range ?? shownRange(view, today ?? '', steps);

/** The days of the period shown, for charts without steps. */
export function daysShown(context: PeriodContext): Days {
  const { start_date, end_date } = rangeShown(context);
  return { start_date, end_date };
}

/** The parameters of a period in an address. */
export function periodView({ start_date, end_date, period }: UsageView): UsageView {
  return {
    ...(start_date === undefined ? {} : { start_date }),
    ...(end_date === undefined ? {} : { end_date }),
    ...(period === undefined ? {} : { period }),
  };
}
