import * as v from 'valibot';
import { EXHAUSTED, ReachedLimit } from './errors.ts';
import { Cost, Uuid } from './fields.ts';
import { AudioNote, TranscriptToken } from './transcriptions.ts';
import { Context, LanguageHints, Translation } from './translation.ts';

/** Constants of the live client. */
export const LIVE_PATH = '/transcribe-websocket';
/** A browser offers `[one of these, key]`. The server echoes the first. The second is the public protocol's own. */
export const LIVE_KEY_SUBPROTOCOLS: readonly string[] = ['parlance-api-key', 'soniox-api-key'];
export const SAMPLE_RATE_REQUESTED = 44_100;
export const CHUNK_INTERVAL_MS = 120;
export const CHUNK_MAX_BYTES = 60_000;
export const QUEUED_MESSAGES_MAX = 100;
export const AUDIO_FORMAT = 's16le';
/** Stands in for the key until a real one is fetched. */
export const PLACEHOLDER_API_KEY = 'demo';
export const CLOSE_NORMAL = 1000;

/**
 * How long the server may be without a message, milliseconds; then it ends the session itself. A client waits longer, so
 * that it hears why.
 */
export const SERVER_QUIET_MAX_MS = {
  /** While its engine starts or takes no sound; also from the end of the audio to its first message. */
  engine: 120_000,
  /** From the end of the audio to the next result, and from each result to the next. */
  results: 60_000,
} as const;

/** Bounds of the fields that tune endpoint detection. */
export const MAX_ENDPOINT_DELAY_MS = { min: 500, max: 3000 } as const;
export const ENDPOINT_SENSITIVITY = { min: -1, max: 1 } as const;
export const ENDPOINT_LATENCY_ADJUSTMENT_LEVEL = { min: 0, max: 3 } as const;

/**
 * First frame of a live session, JSON text (LIV-15). Every field may be null; unknown fields are ignored. Only
 * raw formats need `sample_rate` and `num_channels`. Models without the endpoint settings ignore them: these change
 * when tokens become final, not which.
 */
export const LiveConfig = v.object({
  api_key: v.nullish(v.string()),
  model: v.nullish(v.string()),
  audio_format: v.nullish(v.string()),
  sample_rate: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(8000), v.maxValue(192_000))),
  num_channels: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(8))),
  language_hints: v.nullish(LanguageHints),
  language_hints_strict: v.nullish(v.boolean()),
  context: v.nullish(Context),
  enable_speaker_diarization: v.nullish(v.boolean()),
  enable_language_identification: v.nullish(v.boolean()),
  enable_audio_event_detection: v.nullish(v.boolean()),
  enable_endpoint_detection: v.nullish(v.boolean()),
  max_endpoint_delay_ms: v.nullish(
    v.pipe(v.number(), v.integer(), v.minValue(MAX_ENDPOINT_DELAY_MS.min), v.maxValue(MAX_ENDPOINT_DELAY_MS.max)),
  ),
  endpoint_sensitivity: v.nullish(
    v.pipe(v.number(), v.minValue(ENDPOINT_SENSITIVITY.min), v.maxValue(ENDPOINT_SENSITIVITY.max)),
  ),
  endpoint_latency_adjustment_level: v.nullish(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(ENDPOINT_LATENCY_ADJUSTMENT_LEVEL.min),
      v.maxValue(ENDPOINT_LATENCY_ADJUSTMENT_LEVEL.max),
    ),
  ),
  translation: v.nullish(Translation),
  client_reference_id: v.nullish(v.pipe(v.string(), v.maxLength(256))),
});
export type LiveConfig = v.InferOutput<typeof LiveConfig>;

/**
 * Text frames after the first one: these, or audio in base64. An empty text frame ends the audio; an empty binary
 * frame does not. A stream without any audio finishes like any other.
 */
export const LiveControl = v.variant('type', [
  v.object({ type: v.literal('finalize'), trailing_silence_ms: v.nullish(v.pipe(v.number(), v.minValue(0))) }),
  v.object({ type: v.literal('keepalive') }),
]);
export type LiveControl = v.InferOutput<typeof LiveControl>;

export const LiveToken = v.object({ ...TranscriptToken.entries, is_final: v.boolean() });
export type LiveToken = v.InferOutput<typeof LiveToken>;

/** New final tokens first, each once; then all non-final ones, which replace those of the message before. */
export const LiveResult = v.object({
  tokens: v.array(LiveToken),
  final_audio_proc_ms: v.optional(v.number()),
  total_audio_proc_ms: v.optional(v.number()),
  finished: v.optional(v.boolean()),
  /** With `finished`, if the recording was more than one plain track. An extension. */
  audio_notes: v.optional(v.array(AudioNote)),
  /** With `finished`, for the console's own sessions: the cost of the session, if there are prices. */
  cost_usd: v.optional(Cost),
  /** With `finished`, for the console's own sessions: the id for `POST /v1/transcriptions/live`. */
  request_id: v.optional(Uuid),
});
export type LiveResult = v.InferOutput<typeof LiveResult>;

/** The values of `error_type` in an error frame, by its `error_code`. */
export const LIVE_ERRORS = {
  400: ['invalid_request', 'invalid_audio', 'model_not_available'],
  401: ['unauthenticated'],
  402: EXHAUSTED,
  403: ['temp_api_key_session_expired'],
  408: ['request_timeout'],
  413: ['max_duration_reached'],
  429: ['limit_exceeded'],
  500: ['internal_error'],
  503: ['service_unavailable'],
} as const;

/** What an error frame is about, where its type does not say it. `LIVE_SOCKET` says what each means. */
const LIVE_FAILURE_REASONS = ['context', 'too_much_audio', 'cannot_continue'] as const;
export type LiveFailureReason = (typeof LIVE_FAILURE_REASONS)[number];

/** A field of an error frame. Left out if it is of another type: the message is worth more than it. */
const besideMessage = <const Schema extends v.GenericSchema>(schema: Schema) =>
  v.fallback(v.optional(schema), undefined);

/** An error frame. The server closes the socket after it. */
export const LiveFailure = v.object({
  /** Always empty, for clients that expect it in every frame. */
  tokens: besideMessage(v.array(LiveToken)),
  error_code: besideMessage(v.number()),
  error_type: besideMessage(v.string()),
  error_message: v.string(),
  more_info: besideMessage(v.string()),
  request_id: besideMessage(v.string()),
  /** If a limit, a budget or the balance refused the start. Not in the public protocol. */
  limit: besideMessage(ReachedLimit),
  /** Not in the public protocol. */
  reason: besideMessage(v.picklist(LIVE_FAILURE_REASONS)),
});
export type LiveFailure = v.InferOutput<typeof LiveFailure>;

/** Any frame from the server. */
export const LiveFrame = v.union([LiveFailure, LiveResult]);
export type LiveFrame = v.InferOutput<typeof LiveFrame>;

/** Tokens that are never shown: they mark the end of an utterance, or answer a finalize. */
export const MARKERS: ReadonlySet<string> = new Set(['<end>', '<fin>']);
