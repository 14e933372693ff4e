/** Usage and its cost over a period, in UTC days (PRJ-04). */
import * as v from 'valibot';
import { Timestamp, Uuid } from './fields.ts';

export const USAGE_PERIODS = ['hourly', 'daily', 'monthly'] as const;
export type UsagePeriod = (typeof USAGE_PERIODS)[number];

/** The largest number of days that one answer may span, by the length of its steps. */
export const USAGE_DAYS_MAX: Readonly<Record<UsagePeriod, number>> = { hourly: 31, daily: 366, monthly: 1830 };

export const MS_PER_DAY = 86_400_000;

/** A UTC day such as 2026-04-28. Refuses days that the month does not have. */
export const UsageDay = v.pipe(
  v.string(),
  v.regex(/^2\d{3}-\d{2}-\d{2}$/, 'Must be a day such as 2026-04-28.'),
  v.check((text) => dayOf(Date.parse(text)) === text, 'Must be a day such as 2026-04-28.'),
);

/** The UTC day of a time; undefined for NaN. */
function dayOf(ms: number): string | undefined {
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().slice(0, 10);
}

/** The day `days` after `day`; negative counts go back. @throws RangeError if `day` is not a day */
export const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * MS_PER_DAY).toISOString().slice(0, 10);

/** Number of days from `start` to `end`, both included. */
export const daysFrom = (start: string, end: string): number => (Date.parse(end) - Date.parse(start)) / MS_PER_DAY + 1;

export const UsageService = v.picklist(['async', 'real_time']);
export type UsageService = v.InferOutput<typeof UsageService>;
/** What screens and downloaded tables call each service. */
export const SERVICE_NAMES: Readonly<Record<UsageService, string>> = { async: 'Async', real_time: 'Live' };

const periodFields = {
  start_date: UsageDay,
  /** The last day, included. */
  end_date: UsageDay,
  period: v.optional(v.picklist(USAGE_PERIODS), 'daily'),
  /** Only these models, as requests named them; all by default. */
  models: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(100))), v.maxLength(100))),
  services: v.optional(v.pipe(v.array(UsageService), v.maxLength(2))),
};

type Span = { start_date: string; end_date: string; period: UsagePeriod };
/** Whether the period does not end before it starts. */
export const isForward = ({ start_date, end_date }: Span): boolean => !(start_date > end_date);
/** Whether one answer may span the period. */
export const isShort = ({ start_date, end_date, period }: Span): boolean =>
  !(daysFrom(start_date, end_date) > USAGE_DAYS_MAX[period]);
export const REVERSED = 'The last day must not be before the first.';
export const tooLong = ({ input }: { input: unknown }): string => {
  const days = v.is(v.object({ period: v.picklist(USAGE_PERIODS) }), input)
    ? USAGE_DAYS_MAX[input.period]
    : USAGE_DAYS_MAX.daily;
  return `The period must not exceed ${days} days.`;
};

/** Body of POST /api/v2/projects/{projectUuid}/usage/cost/ and …/usage/activity/. */
export const UsageRequest = v.pipe(
  v.object(periodFields),
  v.forward(
    v.check((asked) => isForward(asked), REVERSED),
    ['end_date'],
  ),
  v.forward(
    v.check((asked) => isShort(asked), tooLong),
    ['end_date'],
  ),
);
export type UsageRequest = v.InferInput<typeof UsageRequest>;

/** Body of the same calls for an organization: all projects that the caller sees, or `project_ids` of them. */
export const OrganizationUsageRequest = v.pipe(
  v.object({ ...periodFields, project_ids: v.optional(v.pipe(v.array(Uuid), v.maxLength(1000))) }),
  v.forward(
    v.check((asked) => isForward(asked), REVERSED),
    ['end_date'],
  ),
  v.forward(
    v.check((asked) => isShort(asked), tooLong),
    ['end_date'],
  ),
);
export type OrganizationUsageRequest = v.InferInput<typeof OrganizationUsageRequest>;

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const Counts = v.array(Count);
const answerFields = {
  start_date: v.string(),
  end_date: v.string(),
  period: v.picklist(USAGE_PERIODS),
  /** Start of each step of the period, UTC. The numbers of every series are in the same order. */
  buckets: v.array(Timestamp),
};

/** Usage. Each request counts when it ends, failed ones too. One series for each service and model. */
export const UsageActivity = v.object({
  ...answerFields,
  series: v.array(v.object({ service: UsageService, model: v.string(), requests: Counts, audio_ms: Counts })),
  totals: v.object({ requests: Count, audio_ms: Count }),
});
export type UsageActivity = v.InferOutput<typeof UsageActivity>;

/** Cost, micro-USD. Requests without a price are in no series; the total is null if none had a price. */
export const UsageCost = v.object({
  ...answerFields,
  currency: v.literal('USD'),
  series: v.array(v.object({ service: UsageService, model: v.string(), cost_micros: Counts })),
  totals: v.object({ cost_micros: v.nullable(Count) }),
});
export type UsageCost = v.InferOutput<typeof UsageCost>;

/** The problem with a period, in words; null if there is none. */
export function usageProblem(asked: { start_date: string; end_date: string; period: string }): string | null {
  const result = v.safeParse(UsageRequest, asked);
  return result.success ? null : result.issues[0].message;
}
