/**
 * What an organization may use, and what a project of it may (ORG-07, PRJ-07). A project's limit is within its organization's. Months
 * and their sums are of UTC.
 */
import * as v from 'valibot';
import { Timestamp, Uuid } from './fields.ts';

/**
 * `requests_per_minute`: transcriptions, temporary keys and live sessions that are begun; `concurrent_streams`: live sessions at once;
 * `waiting_jobs`: transcriptions that are queued or processing; `stored_bytes`: of files, those on their way included; `audio_minutes`
 * and `budget_micros`: sound that is transcribed in a month, and what it costs in micro-USD.
 */
export const LIMITS = [
  'requests_per_minute',
  'concurrent_streams',
  'waiting_jobs',
  'stored_bytes',
  'audio_minutes',
  'budget_micros',
] as const;
export const LimitName = v.picklist(LIMITS);
export type LimitName = v.InferOutput<typeof LimitName>;

export const REASON_MAX = 1000;
const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** Minutes are told in thousandths, all else whole. */
const Amount = v.pipe(v.number(), v.minValue(0));
const Value = v.pipe(v.number(), v.safeInteger('Must be a whole number.'), v.minValue(0, 'Must not be below 0.'));

export const Limit = v.object({
  name: LimitName,
  /** What holds now; null where nothing limits it. */
  value: v.nullable(Count),
  /** What was set here; null where nothing was, so that what is above holds. */
  own: v.nullable(Count),
  /** The most that can be set here: what the operator allows an organization, and what holds for a project's; null for no bound. */
  maximum: v.nullable(Count),
  /** Of an organization, all its projects together. Of a project where its organization is used up, it says so by `is_reached`. */
  used: Amount,
  /**
   * Of a month's minutes and budget: what is kept free for what has begun and not ended; it counts as what is used does. `used` plus
   * `reserved` is below `value` exactly as long as that is not reached. 0 of the others, whose `used` has it, and of servers from before.
   */
  reserved: v.optional(Amount, 0),
  /** What is begun next would be refused, by this limit or by that of the organization. */
  is_reached: v.boolean(),
});
export type Limit = v.InferOutput<typeof Limit>;

/** An organization's wish for more than it may set by itself. */
export const LimitIncrease = v.object({
  uuid: Uuid,
  limit: LimitName,
  value: Count,
  reason: v.string(),
  state: v.picklist(['pending', 'granted', 'declined']),
  asked_at: Timestamp,
  decided_at: v.nullable(Timestamp),
  /** What the operator wrote with the decision; may be empty. */
  answer: v.string(),
});
export type LimitIncrease = v.InferOutput<typeof LimitIncrease>;

/** GET /api/v2/limits/organizations/{organization}/ */
export const OrganizationLimits = v.object({
  limits: v.array(Limit),
  /** The newest wish about each limit that one was asked for. */
  increases: v.array(LimitIncrease),
});
export type OrganizationLimits = v.InferOutput<typeof OrganizationLimits>;
/** A limit of a project, with what all projects of its organization use, and have reserved, together: `maximum` bounds that. */
export const ProjectLimit = v.object({
  ...Limit.entries,
  organization_used: Amount,
  organization_reserved: v.optional(Amount, 0),
});
export type ProjectLimit = v.InferOutput<typeof ProjectLimit>;
/** GET /api/v2/limits/projects/{project}/ */
export const ProjectLimits = v.object({
  limits: v.array(ProjectLimit),
  /** The balance of the organization is used up: whatever is begun next would be refused. False where nothing has a price. */
  is_balance_exhausted: v.boolean(),
});
export type ProjectLimits = v.InferOutput<typeof ProjectLimits>;

const own = v.optional(v.nullable(Value));
/** PUT of both: sets what is named and leaves the rest; null takes a limit of its own away. All or nothing. */
export const LimitsUpdate = v.object({
  limits: v.strictObject({
    requests_per_minute: own,
    concurrent_streams: own,
    waiting_jobs: own,
    stored_bytes: own,
    audio_minutes: own,
    budget_micros: own,
  } satisfies Record<LimitName, typeof own>),
});
export type LimitsUpdate = v.InferInput<typeof LimitsUpdate>;

/** POST /api/v2/limits/projects/{project}/configure/: sets one limit of a project, or takes it away. */
export const LimitConfiguration = v.object({ limit: LimitName, value: v.nullable(Value) });
export type LimitConfiguration = v.InferInput<typeof LimitConfiguration>;

/** POST /api/v2/limits/organizations/{organization}/increase/. One wish per limit waits at a time. */
export const LimitIncreaseRequest = v.object({
  limit: LimitName,
  value: Value,
  reason: v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1, 'Say what it is for.'),
    v.maxLength(REASON_MAX, `Must be at most ${REASON_MAX} characters.`),
  ),
});
export type LimitIncreaseRequest = v.InferInput<typeof LimitIncreaseRequest>;
