import * as v from 'valibot';
import { Timestamp, Uuid } from './fields.ts';

/** Number of transcriptions shown. */
export const RECENT = 5;

const RecentTranscription = v.object({
  uuid: Uuid,
  filename: v.string(),
  status: v.picklist(['queued', 'processing', 'completed', 'error']),
  /** Set on failure; `cancelled` if it was cancelled. */
  error_type: v.nullable(v.string()),
  created_at: Timestamp,
  audio_duration_ms: v.nullable(v.pipe(v.number(), v.integer())),
});
export type RecentTranscription = v.InferOutput<typeof RecentTranscription>;

/** GET /api/v2/projects/{projectUuid}/home/ (ONB-20): first steps done, use this month, recent transcriptions. */
export const ProjectHome = v.object({
  /** This month, UTC, up to now. */
  period: v.object({ start: Timestamp, end: Timestamp }),
  totals: v.object({
    requests: v.pipe(v.number(), v.integer()),
    audio_ms: v.pipe(v.number(), v.integer()),
    /** Micro-USD; null if the server has no prices. */
    cost_micros: v.nullable(v.number()),
  }),
  /** Whether the project ever completed a transcription or live session, created a key, and used a key. */
  steps: v.object({ transcribed: v.boolean(), key_created: v.boolean(), key_used: v.boolean() }),
  /** Newest first; null for roles that do not use the playground. */
  recent: v.nullable(v.array(RecentTranscription)),
});
export type ProjectHome = v.InferOutput<typeof ProjectHome>;
