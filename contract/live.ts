import * as v from 'valibot';
import { ReachedLimit } from './errors.ts';
import { Cost, Uuid } from './fields.ts';
import { AudioNote, TranscriptToken } from './transcriptions.ts';
import { Context, LanguageHints, Translation } from './translation.ts';

/** Constants of the live client (spec §9). */
export const LIVE_PATH = '/transcribe-websocket';
/** Subprotocols behind which a browser can put the key: `[one of them, key]`; the second is the protocol's own. It is echoed; the key never is. */
export const LIVE_KEY_SUBPROTOCOLS: readonly string[] = ['parlance-api-key', 'soniox-api-key'];
export const SAMPLE_RATE_REQUESTED = 44_100;
export const CHUNK_INTERVAL_MS = 120;
export const CHUNK_MAX_BYTES = 60_000;
export const QUEUED_MESSAGES_MAX = 100;
export const AUDIO_FORMAT = 's16le';
/** Stands where the key goes until a real one is fetched. */
export const PLACEHOLDER_API_KEY = 'demo';
export const CLOSE_NORMAL = 1000;

/** Bounds of the fields that tune the end of an utterance. */
export const MAX_ENDPOINT_DELAY_MS = { min: 500, max: 3000 } as const;
export const ENDPOINT_SENSITIVITY = { min: -1, max: 1 } as const;
export const ENDPOINT_LATENCY_ADJUSTMENT_LEVEL = { min: 0, max: 3 } as const;

/**
 * First frame of a live session, JSON text (spec §3, §7). Every field may be null; unknown fields are tolerated. `sample_rate` and
 * `num_channels` are needed for raw formats only. What tunes the end of an utterance is ignored by models that do not support it:
 * it changes when something becomes final, never what.
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
 * Text frames after the first one: these, or audio in base64. An empty text frame ends the audio; an empty binary one does not.
 * A stream that ends before any audio came is finished like any other.
 */
export const LiveControl = v.variant('type', [
  v.object({ type: v.literal('finalize'), trailing_silence_ms: v.nullish(v.pipe(v.number(), v.minValue(0))) }),
  v.object({ type: v.literal('keepalive') }),
]);
export type LiveControl = v.InferOutput<typeof LiveControl>;

export const LiveToken = v.object({ ...TranscriptToken.entries, is_final: v.boolean() });
export type LiveToken = v.InferOutput<typeof LiveToken>;

/** Newly final tokens first, each once; then all current non-final ones, which replace those of the message before. */
export const LiveResult = v.object({
  tokens: v.array(LiveToken),
  final_audio_proc_ms: v.optional(v.number()),
  total_audio_proc_ms: v.optional(v.number()),
  finished: v.optional(v.boolean()),
  /** With `finished`, where there is anything to tell of the recording that was sent. An extension of ours. */
  audio_notes: v.optional(v.array(AudioNote)),
  /** With `finished`, for the console's own sessions: where there are prices, what the session cost. */
  cost_usd: v.optional(Cost),
  /** With `finished`, for the console's own sessions: by this the session can be kept (`POST /v1/transcriptions/live`). */
  request_id: v.optional(Uuid),
});
export type LiveResult = v.InferOutput<typeof LiveResult>;

/** An error frame; the server closes the socket after it. */
export const LiveFailure = v.object({
  /** Always empty; clients that expect it on every frame find it. */
  tokens: v.optional(v.array(LiveToken)),
  error_code: v.optional(v.number()),
  error_type: v.optional(v.string()),
  error_message: v.string(),
  more_info: v.optional(v.string()),
  request_id: v.optional(v.string()),
  /** Of a start that money or a limit refuses; beside what the public protocol has. */
  limit: v.fallback(v.optional(ReachedLimit), undefined),
});
export type LiveFailure = v.InferOutput<typeof LiveFailure>;

/** Any frame from the server. */
export const LiveFrame = v.union([LiveFailure, LiveResult]);
export type LiveFrame = v.InferOutput<typeof LiveFrame>;

/** Tokens that mark something and are never shown: end of an utterance, answer to a finalize. */
export const MARKERS: ReadonlySet<string> = new Set(['<end>', '<fin>']);
