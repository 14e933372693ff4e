import type { ColumnType, Generated, JSONColumnType } from 'kysely';
import type { AudioNote, TranscriptToken } from '#contract/transcriptions.ts';
import type { Context, Translation } from '#contract/translation.ts';
import type { MaybeMoment, Moment } from './core-tables.ts';

/** Who asked: a program with a project's key, or the console's playground. */
export type Origin = 'public_api' | 'playground';

/**
 * Tables of migrations 0002, 0003 and 0008 (and columns of 0007, 0013, 0014, 0015, 0031, 0042 and 0059). Durations in
 * milliseconds, sizes in bytes; `position` is the order of creation.
 */
export interface SpeechTables {
  files: {
    id: string;
    position: Generated<number>;
    project_id: string;
    filename: string;
    size: number;
    client_reference_id: string | null;
    origin: Origin;
    created_at: Moment;
    /** Declared length; null if it declares none, and before a transcription has read it. */
    length_ms: Generated<number | null>;
  };
  transcriptions: {
    id: string;
    position: Generated<number>;
    project_id: string;
    status: 'queued' | 'processing' | 'completed' | 'error';
    /** The model's name in the request: an alias stays an alias. */
    model: string;
    /** Null once the file is deleted. */
    file_id: string | null;
    filename: string;
    audio_duration_ms: number | null;
    /** Null before completion, or if a version before 0059 completed it. */
    audio_notes: JSONColumnType<AudioNote[]> | null;
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
    /** URL of a recording that was not uploaded. */
    audio_url: string | null;
    translation: JSONColumnType<Translation> | null;
    language_hints_strict: boolean | null;
    /** The live session that it was saved from; unique in a project. */
    session_request_id: string | null;
    webhook_url: string | null;
    webhook_auth_header_name: string | null;
    /** Plain text, written by earlier versions; sealed at the next start. */
    webhook_auth_header_value: string | null;
    /** Until the webhook is done. */
    webhook_auth_sealed: string | null;
    /** HTTP status of the last delivery. */
    webhook_status_code: number | null;
    /** The request that created it. */
    request_id: string | null;
    api_key_id: string | null;
    /** Set when it has ended; null without a price. */
    cost_micros: Generated<number | null>;
    /** Who asked from the console; null for a program. */
    user_id: string | null;
    /** When work on it began for the first time. */
    begun_at: MaybeMoment;
    /** Audio and cost reserved for it; they count against limits until it has ended. */
    reserved_ms: Generated<number>;
    reserved_micros: Generated<number>;
    /** Promised price (migration 0057), micro-USD per hour of audio; -1 without a price, null from older versions. */
    micros_per_hour: number | null;
  };
  /** Keys of programs. The key itself is shown once and not kept. */
  api_keys: {
    id: string;
    position: Generated<number>;
    project_id: string;
    name: string;
    /** Enough of the key to tell it from others. */
    masked: string;
    /** SHA-256. */
    key_hash: string;
    created_by: string | null;
    created_at: Moment;
    expires_at: MaybeMoment;
    last_used_at: MaybeMoment;
    revoked_at: MaybeMoment;
  };
  transcripts: { transcription_id: string; text: string; tokens: JSONColumnType<TranscriptToken[]> };
  /** Jobs. A completed job is deleted; one that was given up stays as `dead`. */
  jobs: {
    id: Generated<number>;
    kind: string;
    /** Id of the row that the job works on. */
    subject: string;
    state: 'ready' | 'running' | 'dead';
    attempts: number;
    run_at: Moment;
    worker: string | null;
    lease_until: MaybeMoment;
    last_error: string | null;
    created_at: Moment;
    /** The organization whose turn it takes; null if it takes no turn. */
    organization_id: string | null;
    /** How often it was claimed; identifies the current run. */
    runs: Generated<number>;
    /** Progress of the current run in its recording; null before the run has begun to read. */
    place_ms: number | null;
    /** Length of that recording; null if unknown before the end. */
    total_ms: number | null;
    /** Interrupted runs in a row at the same place, `interrupted_at_ms`. */
    interruptions: Generated<number>;
    interrupted_at_ms: number | null;
    /** Data that the job needs from a deleted subject. */
    payload: JSONColumnType<object> | null;
    /** The request that made it; null if the server made it by itself. */
    request_id: ColumnType<string | null, string | null | undefined, never>;
    /** Its parent span as a W3C traceparent; null without tracing. */
    traceparent: ColumnType<string | null, string | null | undefined, never>;
  };
  /** When an organization was last served; `served` counts all turns. */
  job_turns: { organization_id: string; kind: string; served: Generated<number> };
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
    /** Of the caller that made the key; its sessions count as the caller's. */
    origin: Generated<Origin>;
    api_key_id: string | null;
    /** Who made it in the console: it is good as long as they may use the project. Null for a program's. */
    user_id: string | null;
  };
  /**
   * One row per live session. While `running`, the process of the socket renews its lease, and updates the audio and
   * tokens so far. Rows of a deleted project are deleted with it, or as soon as their sessions have ended.
   */
  live_sessions: {
    id: string;
    project_id: string;
    /** The model's name in the request: an alias stays an alias. */
    model: string;
    status: 'running' | 'completed' | 'failed' | 'aborted';
    client_reference_id: string | null;
    worker: string;
    lease_until: Moment;
    started_at: Moment;
    ended_at: MaybeMoment;
    audio_ms: number;
    output_tokens: Generated<number>;
    latency_ms: number | null;
    error_code: number | null;
    error_type: string | null;
    request_id: string | null;
    origin: Generated<Origin>;
    api_key_id: string | null;
    /** Who asked from the console; null for a program. */
    user_id: string | null;
    /** Time from the end of the audio to the last final word. */
    finals_ms: number | null;
    /** Whether its lease expired. Then it is billed by its last heartbeat, unless its process reports later. */
    taken_for_dead: Generated<boolean>;
    /** Audio and cost reserved for the whole session; they count against limits while it runs. */
    reserved_ms: Generated<number>;
    reserved_micros: Generated<number>;
    /** Promised price (migration 0057), micro-USD per hour of audio; -1 without a price, null from older versions. */
    micros_per_hour: number | null;
    /** Of a session that failed: the error in words, and what it asked for, as JSON (migration 0063). */
    error_message: string | null;
    settings: string | null;
  };
  /** Deleted projects, for the organization's reports. */
  deleted_projects: { id: string; organization_id: string; name: string; deleted_at: Moment };
}
