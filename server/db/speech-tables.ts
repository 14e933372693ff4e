import type { Generated, JSONColumnType } from 'kysely';
import type { TranscriptToken } from '#contract/transcriptions.ts';
import type { Context } from '#contract/translation.ts';
import type { MaybeMoment, Moment } from './core-tables.ts';

/** Who asked: a program with a project's key, or the console's playground. */
export type Origin = 'public_api' | 'playground';

/** Tables of migration 0002. Durations in milliseconds, sizes in bytes; `position` is the order of creation. */
export interface SpeechTables {
  files: { id: string; position: Generated<number>; project_id: string; filename: string; size: number; client_reference_id: string | null; origin: Origin; created_at: Moment };
  transcriptions: {
    id: string;
    position: Generated<number>;
    project_id: string;
    status: 'queued' | 'processing' | 'completed' | 'error';
    /** As asked for: an alias stays an alias. */
    model: string;
    /** Null once the file is deleted. */
    file_id: string | null;
    filename: string;
    audio_duration_ms: number | null;
    error_type: string | null;
    error_message: string | null;
    language_hints: JSONColumnType<string[]> | null;
    context: JSONColumnType<{ value: Context }> | null;
    enable_speaker_diarization: boolean;
    enable_language_identification: boolean;
    client_reference_id: string | null;
    origin: Origin;
    created_at: Moment;
    finished_at: MaybeMoment;
  };
  transcripts: { transcription_id: string; text: string; tokens: JSONColumnType<TranscriptToken[]> };
  /** Work to do. A job that is done is gone; one that was given up stays as `dead`. */
  jobs: {
    id: Generated<number>;
    kind: string;
    /** What the job is about. */
    subject: string;
    state: 'ready' | 'running' | 'dead';
    attempts: number;
    run_at: Moment;
    worker: string | null;
    lease_until: MaybeMoment;
    last_error: string | null;
    created_at: Moment;
  };
  temporary_keys: {
    /** SHA-256 of the key; the key itself is not kept. */
    key_hash: string;
    project_id: string;
    expires_at: Moment;
    single_use: boolean;
    used_at: MaybeMoment;
    max_session_ms: number | null;
    client_reference_id: string | null;
    created_at: Moment;
  };
  /** One row per live session. While `running`, its lease is renewed by the process that holds the socket. */
  live_sessions: {
    id: string;
    project_id: string;
    model: string;
    status: 'running' | 'completed' | 'failed' | 'aborted';
    client_reference_id: string | null;
    worker: string;
    lease_until: Moment;
    started_at: Moment;
    ended_at: MaybeMoment;
    audio_ms: number;
    error_code: number | null;
    error_type: string | null;
  };
}
