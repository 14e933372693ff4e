import * as v from 'valibot';
import { Timestamp, Uuid } from './fields.ts';

/** So many transcriptions are shown. */
export const RECENT = 5;

const RecentTranscription = v.object({
  uuid: Uuid,
  filename: v.string(),
  status: v.picklist(['queued', 'processing', 'completed', 'error']),
  /** Of a failed one; a cancelled one is a failed one with this type. */
  error_type: v.nullable(v.string()),
  created_at: Timestamp,
  audio_duration_ms: v.nullable(v.pipe(v.number(), v.integer())),
});
export type RecentTranscription = v.InferOutput<typeof RecentTranscription>;

/** GET /api/v2/projects/{projectUuid}/home/ (ONB-20): how far a project has come, and what went on in it lately. */
export const ProjectHome = v.object({
  /** This month, UTC, up to now. */
  period: v.object({ start: Timestamp, end: Timestamp }),
  totals: v.object({
    requests: v.pipe(v.number(), v.integer()),
    audio_ms: v.pipe(v.number(), v.integer()),
    /** Millionths of a US dollar; null where no prices are configured. */
    cost_micros: v.nullable(v.number()),
  }),
  /** What was ever done: a transcription or live session that was completed, a key, a call with a key. */
  steps: v.object({ transcribed: v.boolean(), key_created: v.boolean(), key_used: v.boolean() }),
  /** The newest first; null for roles that do not use the playground. */
  recent: v.nullable(v.array(RecentTranscription)),
});
export type ProjectHome = v.InferOutput<typeof ProjectHome>;
