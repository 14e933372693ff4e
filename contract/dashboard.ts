import * as v from 'valibot';
import { Timestamp, Uuid } from './fields.ts';

const Usage = {
  /** Transcriptions and live sessions that ended in the period, however they did. */
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
 * GET /api/v2/organizations/{orgUuid}/dashboard/ (ORG-04): this month, UTC, up to now. Only projects that the caller
 * sees count; of deleted ones, whoever sees all. `cost_micros` is in millionths of a US dollar; null where no prices are configured.
 */
export const Dashboard = v.object({
  period: v.object({ start: Timestamp, end: Timestamp }),
  totals: v.object({ ...Usage, cost_micros: v.nullable(v.number()) }),
  projects: v.array(Used),
  /** Projects that were used in the period and are gone, under the name that they had, the last deleted first. They count in the totals. */
  deleted_projects: v.array(Used),
  members: v.pipe(v.number(), v.integer()),
  /** Nothing is left of the balance: new requests are refused. */
  is_exhausted: v.boolean(),
});
export type Dashboard = v.InferOutput<typeof Dashboard>;
