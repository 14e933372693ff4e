import type { ColumnType, Generated } from 'kysely';
import type { Moment } from './core-tables.ts';
import type { Origin } from './speech-tables.ts';

/** A part of a step's sums. Several slots share a step: add up all of them. A single slot's sum may be negative. */
interface Rollup {
  project_id: string;
  /** Begin of the hour, or of the day in UTC, in which the requests ended. */
  step: Moment;
  kind: 'async' | 'real_time';
  model: string;
  slot: number;
  requests: number;
}

/** Sums of usage. */
interface Used extends Rollup {
  errors: number;
  cancelled: number;
  audio_ms: number;
  /** Requests that had a price. */
  priced: number;
  /** Cost of these, micro-USD. */
  cost_micros: number;
  /** Histogram of latencies, by `LATENCY_BOUNDS_MS`; null if none was measured. */
  queue: number[] | null;
  processing: number[] | null;
  first_word: number[] | null;
  finals: number[] | null;
}

/** Tables of migration 0015. Durations in milliseconds. */
export interface UsageTables {
  /**
   * One row per transcription or live session that has ended. Outlives its project and keys, but not its organization.
   * Changes only if a session had wrongly been taken for dead. Partitioned by the month of `ended_at`.
   */
  usage_rows: {
    /** The id of the transcription or of the live session. */
    id: string;
    position: Generated<number>;
    request_id: string;
    organization_id: string;
    /** The project, which may be deleted, and its name at that time. */
    project_id: string;
    project_name: string;
    origin: Origin;
    /** The key, if a program asked. */
    api_key_id: string | null;
    /** The user, if somebody asked in the console; null if unknown. */
    user_id: string | null;
    client_reference_id: string | null;
    kind: 'async' | 'real_time';
    model: string;
    status: 'completed' | 'failed' | 'cancelled';
    error_type: string | null;
    started_at: Moment;
    ended_at: Moment;
    /**
     * The day of UTC that it is billed on, as 2026-05-04: the one on which it ended. Before version 0047 it may be a
     * later one.
     */
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
  /**
   * Requests of known callers that were refused before they began (migration 0062). They cost nothing, and count in no
   * rollup. Deleted with their project.
   */
  refused_requests: {
    id: string;
    /** From the sequence of `usage_rows`, so that one cursor orders both. */
    position: Generated<number>;
    request_id: string;
    project_id: string;
    origin: Origin;
    api_key_id: string | null;
    /** Outlives the person, as in `usage_rows`. */
    user_id: string | null;
    client_reference_id: string | null;
    kind: 'async' | 'real_time';
    /** As the request names it; null if it could not be read. */
    model: string | null;
    /** The HTTP status. */
    code: number;
    error_type: string;
    message: string;
    /** What it asked for, as JSON (migration 0063). */
    settings: string | null;
    refused_at: Moment;
    /** This request, and later ones of its kind and error that were only counted. */
    requests: Generated<number>;
  };
  /** Makes requests unique across partitions: each has one row, in one partition. */
  usage_once: { id: string; ended_at: Moment };
  /** Rollup of usage by hour (migration 0022, like `usage_daily` and `log_days`). */
  usage_hourly: Used;
  usage_daily: Used;
  /** Sums by key, status and error, too, so that the logs know their filters for each day. */
  log_days: Rollup & {
    /** A UUID of zeros if there is none. */
    api_key_id: string;
    status: 'completed' | 'failed' | 'cancelled';
    /** Empty if there is none. */
    error_type: string;
  };
  /** Price lists (migration 0019); each is valid until the next one. */
  price_lists: { valid_from: Moment };
  /** Micro-USD per hour of audio, by `async`, `live` or a model. */
  prices: { valid_from: Moment; name: string; micros_per_hour: number };
  /**
   * The largest number of simultaneous live streams of a project, by hour. Measured while they run, because the rows of
   * ended streams do not tell it.
   */
  stream_peaks: { project_id: string; step: Moment; streams: number };
  /** One row while rollups are rebuilt: the first and last month that are left. */
  usage_rebuild: { single: Generated<boolean>; next_month: Moment; last_month: Moment };
  /** Running reports (migration 0043). One with an expired lease does not count. */
  report_runs: {
    user_id: string;
    /** Which of the places for reports the run has, from 1. */
    place: number;
    id: string;
    lease_until: Moment;
  };
  /**
   * The beginning of the first month whose usage rows are all there (migration 0036). One row; none until usage rows
   * are removed for their age.
   */
  usage_floor: { single: Generated<boolean>; from_month: Moment };
  /** Sums of usage rows that were removed for their age, so that the books can be checked without them. */
  pruned_usage: {
    organization_id: string;
    /** The first day of the month, in UTC. */
    month: ColumnType<unknown, string, string>;
    requests: number;
    /** Micro-USD, of those that had a price. */
    cost_micros: number;
  };
}
