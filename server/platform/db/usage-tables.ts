import type { ColumnType, Generated } from 'kysely';
import type { Moment } from './core-tables.ts';
import type { Origin } from './speech-tables.ts';

/** Part of the sums of one step, spread over slots: only the sum of them tells. A sum of one slot may be negative. */
interface Rollup {
  project_id: string;
  /** When the hour, or the day of UTC, begins in which the requests ended. */
  step: Moment;
  kind: 'async' | 'real_time';
  model: string;
  slot: number;
  requests: number;
}

/** What was used. */
interface Used extends Rollup {
  errors: number;
  cancelled: number;
  audio_ms: number;
  /** Requests that had a price. */
  priced: number;
  /** Micro-USD, of those that had a price. */
  cost_micros: number;
  /** How many took how long: see `LATENCY_BOUNDS_MS`. Null where none was measured. */
  queue: number[] | null;
  processing: number[] | null;
  first_word: number[] | null;
  finals: number[] | null;
}

/** Tables of migration 0015. Durations in milliseconds. */
export interface UsageTables {
  /**
   * One row per transcription or live session that ended, however it did. Outlives its project and keys, goes with its organization;
   * changed only for a session that was taken for dead and was not. In parts by the month of `ended_at`.
   */
  usage_rows: {
    /** Of the transcription or of the live session. */
    id: string;
    position: Generated<number>;
    request_id: string;
    organization_id: string;
    /** Of a project, or of a deleted one; its name as it was then. */
    project_id: string;
    project_name: string;
    origin: Origin;
    /** Of a program. */
    api_key_id: string | null;
    /** Of whoever asked from the console; null where that is not known. */
    user_id: string | null;
    client_reference_id: string | null;
    kind: 'async' | 'real_time';
    model: string;
    status: 'completed' | 'failed' | 'cancelled';
    error_type: string | null;
    started_at: Moment;
    ended_at: Moment;
    /** The day of UTC that it is billed on, as 2026-05-04: the one on which it ended. Before version 0047 it may be a later one. */
    billing_day: string;
    audio_ms: number;
    input_tokens: number;
    output_tokens: number;
    /** Micro-USD; null without a price. */
    cost_micros: number | null;
    /** Async: from the request to the beginning of the work, and from there to the end. */
    queue_ms: number | null;
    processing_ms: number | null;
    /** Real time: from the first audio to the first word, and from the end of the audio to the last final word. */
    first_word_ms: number | null;
    finals_ms: number | null;
  };
  /** That a request has its row, and in which part: no request has two. */
  usage_once: { id: string; ended_at: Moment };
  /** Of migration 0022, as `usage_daily` and `log_days`. */
  usage_hourly: Used;
  usage_daily: Used;
  /** What the logs can be filtered by, and on which days: requests by key, status and error too. */
  log_days: Rollup & {
    /** Of zeros where there is none. */
    api_key_id: string;
    status: 'completed' | 'failed' | 'cancelled';
    /** Empty where there is none. */
    error_type: string;
  };
  /** Of migration 0019: from when on a list of prices holds, until the next one does. */
  price_lists: { valid_from: Moment };
  /** Micro-USD per hour of audio, by `async`, `live` or a model. */
  prices: { valid_from: Moment; name: string; micros_per_hour: number };
  /** The most live streams of a project at once, by the hour. Measured while they run: the rows do not tell. */
  stream_peaks: { project_id: string; step: Moment; streams: number };
  /** One row while the rollups are made anew: the months that are left, from one to the other. */
  usage_rebuild: { single: Generated<boolean>; next_month: Moment; last_month: Moment };
  /** Of migration 0043: reports that are being made. One whose lease has run out has no place any more. */
  report_runs: {
    user_id: string;
    /** From 1. */
    place: number;
    id: string;
    lease_until: Moment;
  };
  /** Of migration 0036. One row once usage rows were removed for their age: the first month whose rows are all there, as its beginning. */
  usage_floor: { single: Generated<boolean>; from_month: Moment };
  /** What usage rows tell that were removed for their age, so that the books can be proved without them. */
  pruned_usage: {
    organization_id: string;
    /** Of UTC, as its first day. */
    month: ColumnType<unknown, string, string>;
    requests: number;
    /** Micro-USD, of those that had a price. */
    cost_micros: number;
  };
}
