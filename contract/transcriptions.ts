import * as v from 'valibot';
import { CLIENT_REFERENCE_MAX } from './files.ts';
import { Cost, Timestamp, Uuid } from './fields.ts';
import { Context, LanguageHints, Translation } from './translation.ts';

/** How long the console waits between two looks at an unfinished transcription. */
export const POLL_INTERVAL_MS = 3000;

/** What stands in every answer for the value of a webhook's header, which is never told again. */
export const WEBHOOK_VALUE_MASK = '*'.repeat(18);

const WEBHOOK_FIELD_MAX = 256;
const webAddress = (maxLength: number) =>
  v.pipe(v.string(), v.regex(/^https?:\/\/\S+$/, 'Must be an http or https address.'), v.maxLength(maxLength));

/** POST /v1/transcriptions; every optional field may also be null. Exactly one of `file_id` and `audio_url`. */
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
  /** Sent with every webhook; name and value go together. */
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

/** How far a transcription is that is being worked on. `total_ms` is null where the recording does not tell its length, or tells less than it holds. */
const Progress = v.object({ audio_ms: v.number(), total_ms: v.nullable(v.number()) });
export type Progress = v.InferOutput<typeof Progress>;

/** What is told of a recording that is more than one plain track. */
export const AUDIO_NOTE_TYPES = [
  /** Recordings were joined to one file; the transcript has them one after the other. */
  'parts_joined',
  /** Joined recordings that could not be read in full. */
  'parts_left_out',
  /** Audio tracks that were heard together. */
  'tracks_mixed',
  /** Audio tracks in another language, commentary, and those that could not be read. */
  'tracks_left_out',
  /** Channels or tracks that cancel each other out: the louder one was heard. */
  'channels_not_mixed',
] as const;
export type AudioNoteType = (typeof AUDIO_NOTE_TYPES)[number];

/** `count`: how many parts, tracks or channels it is about. Other types may be added. */
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
  /** Once it is `completed`; empty for most recordings, null of a live session that was kept. An extension of ours. */
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
  /** {@link WEBHOOK_VALUE_MASK} where there is one. */
  webhook_auth_header_value: v.nullish(v.string(), null),
  /** HTTP status that the webhook's last delivery got. */
  webhook_status_code: v.nullish(v.number(), null),
  client_reference_id: v.nullish(v.string(), null),
  /** While it is `processing`; null before and after. An extension of ours. */
  progress: v.nullish(Progress, null),
  /** What it cost when it ended. Null before, and for what was not billed here. An extension of ours. */
  cost_usd: v.optional(Cost, null),
});
export type Transcription = v.InferOutput<typeof Transcription>;

/** What a webhook tells: which transcription ended, and how. */
export const TranscriptionEnded = v.object({ id: Uuid, status: v.picklist(['completed', 'error']) });
export type TranscriptionEnded = v.InferOutput<typeof TranscriptionEnded>;

export const TranscriptionPage = v.object({
  transcriptions: v.array(Transcription),
  next_page_cursor: v.nullable(v.string()),
});
export type TranscriptionPage = v.InferOutput<typeof TranscriptionPage>;

/**
 * One piece of a transcript: a sub-word with its own leading space; joining the texts gives the text.
 * Times in milliseconds from the start of the audio; absent on translations. Confidence 0..1.
 * `language`: with language identification or a translation on every one but markers (REC-10); that of a translation is its own.
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

/** The most tokens of a live session that is kept: some eight hours of speech. */
export const KEPT_TOKENS_MAX = 100_000;
/** The longest body that keeps one, bytes. */
export const KEPT_MAX_BYTES = 16_777_216;
const Milliseconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(86_400_000));
const Label = v.pipe(v.string(), v.maxLength(32));

/**
 * POST /v1/transcriptions/live: what a client heard in a live session, to be kept as a completed transcription. Markers are
 * no words, and are left out. An extension of ours.
 */
export const LiveSessionToKeep = v.object({
  model: v.pipe(v.string(), v.maxLength(32)),
  /** Names it in lists, like that of a file. */
  filename: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(255)),
  audio_duration_ms: Milliseconds,
  /** Of the session, from its last frame: it is kept once, however often that is asked for, and tells what it cost. */
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
