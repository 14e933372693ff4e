import * as v from 'valibot';
import { EXHAUSTED } from './errors.ts';
import { CLIENT_REFERENCE_MAX } from './files.ts';
import { Cost, Timestamp, Uuid } from './fields.ts';
import { Context, LanguageHints, Translation } from './translation.ts';

/** Time between two polls of an unfinished transcription, milliseconds. */
export const POLL_INTERVAL_MS = 3000;

/** Replaces the value of a webhook's header in every answer. */
export const WEBHOOK_VALUE_MASK = '*'.repeat(18);

const WEBHOOK_FIELD_MAX = 256;
const webAddress = (maxLength: number) =>
  v.pipe(v.string(), v.regex(/^https?:\/\/\S+$/, 'Must be an http or https address.'), v.maxLength(maxLength));

/** POST /v1/transcriptions. Optional fields may be null. Exactly one of `file_id` and `audio_url` is required. */
export const TranscriptionCreate = v.object({
  model: v.pipe(v.string(), v.maxLength(32)),
  file_id: v.nullish(Uuid),
  audio_url: v.nullish(webAddress(4096)),
  language_hints: v.nullish(LanguageHints),
  language_hints_strict: v.nullish(v.boolean()),
  context: v.nullish(Context),
  enable_speaker_diarization: v.nullish(v.boolean()),
  enable_language_identification: v.nullish(v.boolean()),
  enable_audio_event_detection: v.nullish(v.boolean()),
  translation: v.nullish(Translation),
  client_reference_id: v.nullish(v.pipe(v.string(), v.maxLength(CLIENT_REFERENCE_MAX))),
  webhook_url: v.nullish(webAddress(WEBHOOK_FIELD_MAX)),
  /** A header sent with the webhook; name and value go together. */
  webhook_auth_header_name: v.nullish(
    v.pipe(
      v.string(),
      v.regex(/^[\w!#$%&'*+.^`|~-]+$/, 'Must be the name of an HTTP header.'),
      v.maxLength(WEBHOOK_FIELD_MAX),
    ),
  ),
  webhook_auth_header_value: v.nullish(
    v.pipe(
      v.string(),
      v.regex(/^[ -~\u0080-\u00ff]*$/, 'Must be the value of an HTTP header.'),
      v.maxLength(WEBHOOK_FIELD_MAX),
    ),
  ),
});
export type TranscriptionCreate = v.InferOutput<typeof TranscriptionCreate>;

/** The states the server knows. A client treats any other value as 'in progress' (ASY-09). */
export const TRANSCRIPTION_STATUSES = ['queued', 'processing', 'completed', 'error'] as const;

/** The `error_type` of a transcription that was cancelled. */
export const CANCELLED_TYPE = 'cancelled';

/** The `error_type` of a transcription whose recording is at fault: no settings help. */
export const RECORDING_ERRORS = ['audio_too_long', 'file_too_large', 'invalid_audio', 'unsupported_format'] as const;

/** The `error_type` of a transcription that may succeed with the same recording and settings later. */
export const PASSING_ERRORS = ['engine_failed', 'limit_exceeded', 'service_unavailable', 'storage_full'] as const;

/** The `error_type` of a transcription that failed. */
export const TRANSCRIPTION_ERRORS = [
  ...RECORDING_ERRORS,
  ...EXHAUSTED,
  ...PASSING_ERRORS,
  'audio_url_not_allowed',
  'audio_url_unreachable',
  'file_not_found',
] as const;

/** Audio transcribed so far. `total_ms` is null if the recording does not state its length, or understates it. */
const Progress = v.object({ audio_ms: v.number(), total_ms: v.nullable(v.number()) });
export type Progress = v.InferOutput<typeof Progress>;

/** Notes on a recording that is more than one plain track. */
export const AUDIO_NOTE_TYPES = [
  /** The file joins several recordings; the transcript has them one after the other. */
  'parts_joined',
  /** Joined recordings that the server could not read in full. */
  'parts_left_out',
  /** Audio tracks that were mixed. */
  'tracks_mixed',
  /** Audio tracks left out: other languages, commentary, unreadable ones. */
  'tracks_left_out',
  /** Channels or tracks that cancel each other: only the louder one was transcribed. */
  'channels_not_mixed',
] as const;
export type AudioNoteType = (typeof AUDIO_NOTE_TYPES)[number];

/** `count`: number of parts, tracks or channels concerned. Servers may send other types. */
export const AudioNote = v.object({ type: v.string(), count: v.number() });
export type AudioNote = v.InferOutput<typeof AudioNote>;

export const Transcription = v.object({
  id: Uuid,
  status: v.string(),
  created_at: Timestamp,
  model: v.string(),
  filename: v.string(),
  file_id: v.nullish(Uuid, null),
  audio_url: v.nullish(v.string(), null),
  audio_duration_ms: v.nullish(v.number(), null),
  /** Null until `completed`, and for a saved live session; empty for most recordings. An extension. */
  audio_notes: v.nullish(v.array(AudioNote), null),
  error_type: v.nullish(v.string(), null),
  error_message: v.nullish(v.string(), null),
  language_hints: v.nullish(v.array(v.string()), null),
  language_hints_strict: v.nullish(v.boolean(), null),
  context: v.nullish(Context, null),
  enable_speaker_diarization: v.boolean(),
  enable_language_identification: v.boolean(),
  translation: v.nullish(Translation, null),
  webhook_url: v.nullish(v.string(), null),
  webhook_auth_header_name: v.nullish(v.string(), null),
  /** {@link WEBHOOK_VALUE_MASK} if a value was set. */
  webhook_auth_header_value: v.nullish(v.string(), null),
  /** HTTP status of the webhook's last try. */
  webhook_status_code: v.nullish(v.number(), null),
  client_reference_id: v.nullish(v.string(), null),
  /** Null unless `processing`. An extension. */
  progress: v.nullish(Progress, null),
  /** Its cost. Null before it ended, and if this server did not bill it. An extension. */
  cost_usd: v.optional(Cost, null),
});
export type Transcription = v.InferOutput<typeof Transcription>;

/** Body of a webhook. */
export const TranscriptionEnded = v.object({ id: Uuid, status: v.picklist(['completed', 'error']) });
export type TranscriptionEnded = v.InferOutput<typeof TranscriptionEnded>;

export const TranscriptionPage = v.object({
  transcriptions: v.array(Transcription),
  next_page_cursor: v.nullable(v.string()),
});
export type TranscriptionPage = v.InferOutput<typeof TranscriptionPage>;

/**
 * One piece of a transcript: a sub-word with its own leading space. The joined texts give the whole text.
 * Times: milliseconds from the start of the audio, absent on translations. Confidence: 0 to 1.
 * `language`: on every token but markers, if language identification or a translation is on (REC-10). A translated
 * token has the language of the translation.
 */
export const TranscriptToken = v.object({
  text: v.string(),
  start_ms: v.optional(v.number()),
  end_ms: v.optional(v.number()),
  confidence: v.optional(v.number()),
  speaker: v.optional(v.string()),
  language: v.optional(v.string()),
  translation_status: v.optional(v.picklist(['none', 'original', 'translation'])),
  source_language: v.optional(v.string()),
});
export type TranscriptToken = v.InferOutput<typeof TranscriptToken>;

/** The largest number of tokens of a saved live session: about eight hours of speech. */
export const KEPT_TOKENS_MAX = 100_000;
/** Largest body of a saved live session, bytes. */
export const SAVED_SESSION_MAX_BYTES = 16_777_216;
const Milliseconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(86_400_000));
const Label = v.pipe(v.string(), v.maxLength(32));

/**
 * POST /v1/transcriptions/live: saves the tokens of a live session as a completed transcription. The server leaves out
 * markers, which are not words. An extension.
 */
export const LiveSessionToKeep = v.object({
  model: v.pipe(v.string(), v.maxLength(32)),
  /** Its name in lists. */
  filename: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(255)),
  audio_duration_ms: Milliseconds,
  /** From the session's last frame: links the session's cost, and makes a repeated request save it only once. */
  request_id: v.nullish(Uuid),
  language_hints: v.nullish(LanguageHints),
  language_hints_strict: v.nullish(v.boolean()),
  context: v.nullish(Context),
  enable_speaker_diarization: v.nullish(v.boolean()),
  enable_language_identification: v.nullish(v.boolean()),
  translation: v.nullish(Translation),
  tokens: v.pipe(
    v.array(
      v.object({
        ...TranscriptToken.entries,
        text: v.pipe(v.string(), v.maxLength(1000)),
        start_ms: v.optional(Milliseconds),
        end_ms: v.optional(Milliseconds),
        confidence: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
        speaker: v.optional(Label),
        language: v.optional(Label),
        source_language: v.optional(Label),
      }),
    ),
    v.minLength(1),
    v.maxLength(KEPT_TOKENS_MAX),
  ),
});
export type LiveSessionToKeep = v.InferOutput<typeof LiveSessionToKeep>;

export const Transcript = v.object({ id: Uuid, text: v.string(), tokens: v.array(TranscriptToken) });
export type Transcript = v.InferOutput<typeof Transcript>;
