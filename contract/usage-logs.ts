import * as v from 'valibot';
import { Cost, PageQuery, Timestamp, Uuid } from './fields.ts';

/** Longest span of one query. */
export const USAGE_WINDOW_MAX_MS = 31 * 86_400_000;

/** Query of GET /v1/usage-logs: requests that ended at `start_time` or later, and before `end_time`. */
export const UsageLogQuery = v.pipe(
  v.object({
    start_time: Timestamp,
    end_time: Timestamp,
    ...PageQuery.entries,
    /** Oldest first by default. A cursor keeps the order of the first page. */
    sort: v.optional(v.picklist(['end_time_asc', 'end_time_desc'])),
  }),
  // Invalid times compare as false and pass here: the fields' own schemas refuse them.
  v.forward(
    v.check(
      ({ start_time, end_time }) => !(Date.parse(start_time) >= Date.parse(end_time)),
      'The end must be after the start.',
    ),
    ['end_time'],
  ),
  v.forward(
    v.check(
      ({ start_time, end_time }) => !(Date.parse(end_time) - Date.parse(start_time) > USAGE_WINDOW_MAX_MS),
      'The window must not exceed 31 days.',
    ),
    ['end_time'],
  ),
);
export type UsageLogQuery = v.InferOutput<typeof UsageLogQuery>;

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Usage of one request that was completed, or cut short after some audio. */
export const UsageLog = v.object({
  /** The id of the request: its `x-request-id`, or the `request_id` of its error frame. */
  uuid: Uuid,
  /** Who asked: a program with a key, or the console's playground. */
  request_scope: v.picklist(['api', 'playground']),
  client_reference_id: v.nullable(v.string()),
  model: v.string(),
  start_time: Timestamp,
  end_time: Timestamp,
  input_text_tokens: Count,
  input_audio_tokens: Count,
  input_audio_duration_ms: Count,
  output_text_tokens: Count,
  output_audio_tokens: Count,
  output_audio_duration_ms: Count,
  cost_usd: Cost,
  input_cost_usd: Cost,
  input_text_cost_usd: Cost,
  input_audio_cost_usd: Cost,
  output_cost_usd: Cost,
  output_text_cost_usd: Cost,
  output_audio_cost_usd: Cost,
});
export type UsageLog = v.InferOutput<typeof UsageLog>;

export const UsageLogPage = v.object({ usage_logs: v.array(UsageLog), next_page_cursor: v.nullable(v.string()) });
export type UsageLogPage = v.InferOutput<typeof UsageLogPage>;

/** Running streams and their limits; null for no limit. `tts` is speech generation. */
const Concurrency = v.object({
  current: v.object({ transcribe_concurrent: Count, tts_concurrent: Count }),
  limits: v.object({ transcribe_concurrent: v.nullable(Count), tts_concurrent: v.nullable(Count) }),
});

/** GET /v1/concurrency-limits */
export const ConcurrencyLimits = v.object({ project: Concurrency, organization: Concurrency });
export type ConcurrencyLimits = v.InferOutput<typeof ConcurrencyLimits>;
