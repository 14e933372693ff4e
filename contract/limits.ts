/** Limits of organizations and projects (ORG-07, PRJ-07). A project's limit is within its organization's. */
import * as v from 'valibot';
import { Timestamp, Uuid } from './fields.ts';

/**
 * `requests_per_minute`: new transcriptions, temporary keys and live sessions; `concurrent_streams`: live sessions at
 * once; `waiting_jobs`: queued or processing transcriptions; `stored_bytes`: files, running uploads included;
 * `audio_minutes`, `budget_micros`: audio transcribed in a month (UTC), and its cost in micro-USD.
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
/** Minutes to three decimals, everything else whole. */
const Amount = v.pipe(v.number(), v.minValue(0));
const Value = v.pipe(v.number(), v.safeInteger('Must be a whole number.'), v.minValue(0, 'Must not be below 0.'));

export const Limit = v.object({
  name: LimitName,
  /** The limit in force; null for none. */
  value: v.nullable(Count),
  /** The limit set here; null if none is set, so that the level above decides. */
  own: v.nullable(Count),
  /** The highest limit that can be set here: the operator's, or for a project its organization's; null for no bound. */
  maximum: v.nullable(Count),
  /** Use by the project, or by all projects of the organization. */
  used: Amount,
  /**
   * Minutes or budget of the month reserved for running requests. The limit is reached when `used` plus `reserved`
   * reaches `value`. 0 for the other limits, whose `used` counts running requests, and from older servers.
   */
  reserved: v.optional(Amount, 0),
  /** The next request would be refused, by this limit or by the organization's. */
  is_reached: v.boolean(),
});
export type Limit = v.InferOutput<typeof Limit>;

/** An organization's request for a limit higher than it may set by itself. */
export const LimitIncrease = v.object({
  uuid: Uuid,
  limit: LimitName,
  value: Count,
  reason: v.string(),
  state: v.picklist(['pending', 'granted', 'declined']),
  asked_at: Timestamp,
  decided_at: v.nullable(Timestamp),
  /** The operator's words with the decision; may be empty. */
  answer: v.string(),
});
export type LimitIncrease = v.InferOutput<typeof LimitIncrease>;

/** GET /api/v2/limits/organizations/{organization}/ */
export const OrganizationLimits = v.object({
  limits: v.array(Limit),
  /** The newest request for each limit. */
  increases: v.array(LimitIncrease),
});
export type OrganizationLimits = v.InferOutput<typeof OrganizationLimits>;
/** A limit of a project, with the use and reservations of all projects of its organization, which `maximum` bounds. */
export const ProjectLimit = v.object({
  ...Limit.entries,
  organization_used: Amount,
  organization_reserved: v.optional(Amount, 0),
});
export type ProjectLimit = v.InferOutput<typeof ProjectLimit>;
/** GET /api/v2/limits/projects/{project}/ */
export const ProjectLimits = v.object({
  limits: v.array(ProjectLimit),
  /** The organization's balance is used up: the next request would be refused. False if the server has no prices. */
  is_balance_exhausted: v.boolean(),
});
export type ProjectLimits = v.InferOutput<typeof ProjectLimits>;

const own = v.optional(v.nullable(Value));
/** Body of PUT for both. Sets the named limits, all or none of them; null removes a limit set here. */
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

/** POST /api/v2/limits/projects/{project}/configure/: sets one limit of a project; null removes it. */
export const LimitConfiguration = v.object({ limit: LimitName, value: v.nullable(Value) });
export type LimitConfiguration = v.InferInput<typeof LimitConfiguration>;

/** POST /api/v2/limits/organizations/{organization}/increase/. One request per limit may wait at a time. */
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
