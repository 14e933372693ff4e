/** What the charts over a period of days have in common: what the address asks for, what is chosen, and what is shown. */
import { usageProblem, type UsagePeriod } from '#contract/usage.ts';
import type { UsageView } from '../../shared/route.ts';
import { fits, inFittingSteps, presetRange, rangeOf, shownRange, viewOf, type Preset, type Range } from './range.ts';
import type { Failure } from '../../shared/failure.ts';

export type PeriodContext = {
  /** What the address asks for. */
  view: UsageView;
  /** The lengths of steps that the figures come in, shortest first. */
  steps: readonly UsagePeriod[];
  /** Of UTC, when the period was last decided. */
  today: string | null;
  range: Range | null;
  /** What was chosen and is not in the address yet. */
  wanted: Preset | Range | null;
  /** What is wrong with the days that were typed. */
  problem: string | null;
  /** Why nothing could be read. */
  failure: Failure | null;
};

export type Days = { start_date: string; end_date: string };

export type PeriodEvent =
  | { type: 'preset.chosen'; preset: Preset }
  | { type: 'period.chosen'; period: UsagePeriod }
  | { type: 'days.edited' }
  | ({ type: 'days.submitted' } & Days);

/** Before it is known what day it is. */
export const undecided = { today: null, range: null, wanted: null, problem: null, failure: null };

/** Days that were typed, in the steps that they are shown in, or longer ones. */
export const chosenDays = ({ range, steps }: PeriodContext, days: Days): Range =>
  inFittingSteps(days, range?.period ?? 'daily', steps);

/** What is wrong with days that were typed; null for nothing. */
export const daysProblem = (context: PeriodContext, days: Days): string | null =>
  usageProblem(chosenDays(context, days));

/** Whether what is shown can be shown in steps of another length. */
export const mayStep = ({ range, steps }: PeriodContext, period: UsagePeriod): boolean =>
  range !== null && range.period !== period && steps.includes(period) && fits(range, period);

/** The period to show, now that the day is known; what was chosen goes into the address. */
export function decided({ wanted, view, steps }: PeriodContext, today: string): Partial<PeriodContext> {
  if (wanted === null) return { today, range: shownRange(view, today, steps) };
  const range = typeof wanted === 'string' ? presetRange(wanted, today) : wanted;
  const { period, ...days } = viewOf(range, today);
  // Where there is one length of steps, the address says nothing of it.
  return { today, range, view: period === undefined || steps.length === 1 ? days : { ...days, period }, wanted: null };
}

/** The period that is shown, or will be. */
export const rangeShown = ({ range, view, today, steps }: PeriodContext): Range =>
  range ?? shownRange(view, today ?? '', steps);

/** Its days, where there are no steps. */
export function daysShown(context: PeriodContext): Days {
  const { start_date, end_date } = rangeShown(context);
  return { start_date, end_date };
}

/** Only what an address tells of a period. */
export function dated({ start_date, end_date, period }: UsageView): UsageView {
  return {
    ...(start_date === undefined ? {} : { start_date }),
    ...(end_date === undefined ? {} : { end_date }),
    ...(period === undefined ? {} : { period }),
  };
}

/** Whether the address asks for a period that there is not; the usual one shows in its place. */
export const isBadAddress = ({ view, today, steps }: Pick<PeriodContext, 'view' | 'today' | 'steps'>): boolean =>
  today !== null && rangeOf(view, today, steps) === null;
