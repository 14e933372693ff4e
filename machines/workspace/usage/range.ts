// Periods of days in UTC: reads and writes them in addresses, and makes presets.
import { daysAfter, USAGE_PERIODS, usageProblem, type UsagePeriod } from '#contract/usage.ts';
import type { UsageView } from '../../shared/route.ts';

/** Includes both days. */
export type Range = { start_date: string; end_date: string; period: UsagePeriod };

export const PRESETS = ['thisMonth', 'lastMonth', 'last7Days', 'last30Days'] as const;
export type Preset = (typeof PRESETS)[number];

const firstOfMonth = (day: string): string => `${day.slice(0, 7)}-01`;

/** @param today a date in UTC */
export function presetRange(preset: Preset, today: string): Range {
  switch (preset) {
    case 'thisMonth':
      return { start_date: firstOfMonth(today), end_date: today, period: 'daily' };
    case 'lastMonth': {
      const end_date = daysAfter(firstOfMonth(today), -1);
      return { start_date: firstOfMonth(end_date), end_date, period: 'daily' };
    }
    case 'last7Days':
      return { start_date: daysAfter(today, -6), end_date: today, period: 'daily' };
    case 'last30Days':
      return { start_date: daysAfter(today, -29), end_date: today, period: 'daily' };
  }
}

/** Shown if the address has no period. */
const usual = (today: string): Range => presetRange('thisMonth', today);

type Steps = readonly UsagePeriod[];

/** The period in an address, with defaults; null if it is invalid. */
export function rangeOf(
  { start_date, end_date, period }: UsageView,
  today: string,
  steps: Steps = USAGE_PERIODS,
): Range | null {
  const wanted = period ?? (steps.includes('daily') ? 'daily' : steps[0]);
  const known = steps.find((candidate) => candidate === wanted);
  const { start_date: first, end_date: last } = usual(today);
  const asked = { start_date: start_date ?? first, end_date: end_date ?? last };
  return known && fits(asked, known) ? { ...asked, period: known } : null;
}

/** The period in an address; where it is invalid, its days if only the steps are wrong, else the default. */
export function shownRange(view: UsageView, today: string, steps: Steps = USAGE_PERIODS): Range {
  const { period: _, ...days } = view;
  return rangeOf(view, today, steps) ?? rangeOf(days, today, steps) ?? usual(today);
}

/** The address parameters of a period; none for the default, so that the address follows the month. */
export function viewOf(range: Range, today: string): UsageView {
  return isSameRange(range, usual(today))
    ? {}
    : {
        start_date: range.start_date,
        end_date: range.end_date,
        ...(range.period === 'daily' ? {} : { period: range.period }),
      };
}

type Days = Pick<Range, 'start_date' | 'end_date'>;

/** Whether the days can be shown in steps of this length. */
export const fits = (days: Days, period: UsagePeriod): boolean => usageProblem({ ...days, period }) === null;

/** The days in the wanted steps, or in the next length that is not too many; in the longest if all are too many. */
export function inFittingSteps(
  { start_date, end_date }: Days,
  wanted: UsagePeriod,
  steps: Steps = USAGE_PERIODS,
): Range {
  const fitting = [wanted, ...steps].find((candidate) => fits({ start_date, end_date }, candidate));
  const period = fitting ?? steps.at(-1) ?? wanted;
  return { start_date, end_date, period };
}

/** The preset that equals a period. */
export const presetOf = (range: Range, today: string): Preset | undefined =>
  PRESETS.find((preset) => isSameRange({ ...range, period: 'daily' }, presetRange(preset, today)));

const isSameRange = (one: Range, other: Range): boolean =>
  one.start_date === other.start_date && one.end_date === other.end_date && one.period === other.period;

export const isSameView = (one: UsageView, other: UsageView): boolean =>
  one.start_date === other.start_date && one.end_date === other.end_date && one.period === other.period;
