import * as v from 'valibot';
import { Timestamp, Uuid } from './fields.ts';

const Usage = {
  /** Transcriptions and live sessions that ended in the period, failed ones included. */
  requests: v.pipe(v.number(), v.integer()),
  audio_ms: v.pipe(v.number(), v.integer()),
};

const Used = v.object({
  uuid: Uuid,
  name: v.string(),
  ...Usage,
  cost_micros: v.nullable(v.number()),
  last_used_at: v.nullable(Timestamp),
});

/**
 * GET /api/v2/organizations/{orgUuid}/dashboard/ (ORG-04): this month, UTC, up to now. Counts only projects that the
 * caller sees, and deleted ones if the caller sees all. `cost_micros`: micro-USD; null if the server has no prices.
 */
export const Dashboard = v.object({
  period: v.object({ start: Timestamp, end: Timestamp }),
  totals: v.object({ ...Usage, cost_micros: v.nullable(v.number()) }),
  projects: v.array(Used),
  /** Deleted projects that were used in the period, the last deleted first. The totals include them. */
  deleted_projects: v.array(Used),
  /**
   * Whether the caller's projects ever completed a transcription and a live session, and have a key: a newcomer's first
   * steps.
   */
  steps: v.optional(v.object({ transcribed: v.boolean(), spoken: v.boolean(), key_created: v.boolean() }), {
    transcribed: true,
    spoken: true,
    key_created: true,
  }),
  members: v.pipe(v.number(), v.integer()),
  /** The balance, micro-USD; null if the caller may not see it, or the server has no prices. */
  balance_micros: v.optional(v.nullable(v.number()), null),
  /** The balance is used up: the server refuses new requests. */
  is_exhausted: v.boolean(),
  /** The organization's budget of this month is used up: new requests are refused. Older servers leave it out. */
  is_budget_reached: v.optional(v.boolean(), false),
});
export type Dashboard = v.InferOutput<typeof Dashboard>;
