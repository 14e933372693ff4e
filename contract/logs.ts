/** The requests of a project, one by one, as the console lists them (PRJ-05). */
import * as v from 'valibot';
import { PAGE_SIZE, Timestamp, Uuid, pageLimit } from './fields.ts';
import { CLIENT_REFERENCE_MAX } from './files.ts';
import { Context, LanguageHints, Translation } from './translation.ts';
import { UsageService } from './usage.ts';

/**
 * How a request ended. `cancelled`: a cancelled transcription, or a live session whose client left before its end or
 * whose server died. `refused`: never began, and cost nothing.
 */
export const LOG_STATUSES = ['completed', 'failed', 'refused', 'cancelled'] as const;
export const LogStatus = v.picklist(LOG_STATUSES);
export type LogStatus = v.InferOutput<typeof LogStatus>;

/** Formats of a download: CSV for spreadsheets, or one JSON object a line. */
export const LOG_FORMATS = ['csv', 'jsonl'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** A text to compare with stored ones, which have no U+0000. */
const filterText = (most: number) =>
  v.pipe(
    v.string(),
    v.maxLength(most),
    v.check((text) => !text.includes('\0'), 'Must not contain the character U+0000.'),
  );

/** Optional filters. A row has to match all. */
const Filters = {
  kind: v.optional(UsageService),
  status: v.optional(LogStatus),
  /** The model's name in the request. */
  model: v.optional(filterText(100)),
  /** The id of an API key. */
  key: v.optional(Uuid),
  /** The whole client reference id. */
  reference: v.optional(filterText(CLIENT_REFERENCE_MAX)),
  /** The `error_type`. */
  error: v.optional(filterText(100)),
  /** Requests that ended at this moment or after it. */
  from: v.optional(Timestamp),
  /** Requests that ended before this moment. */
  to: v.optional(Timestamp),
};

type Window = { from?: string | undefined; to?: string | undefined };

/**
 * The name of a download, by the days (UTC) of its period: 'logs-2026-04-01-2026-04-30.csv'; without a start
 * 'logs-until-2026-04-30.csv'. A period within a day has its times.
 */
export function logFileName({ from, to }: Window, format: LogFormat, now: Date): string {
  const [start, end] = [from && new Date(from), to === undefined ? now : new Date(Date.parse(to) - 1)];
  const [last, time] = [end.toISOString().slice(0, 10), timeOf(end)];
  if (!start) return `logs-until-${last}.${format}`;
  const first = start.toISOString().slice(0, 10);
  const isWhole = timeOf(start) === '0000' && time === '2359';
  return first === last && !isWhole
    ? `logs-${first}-${timeOf(start)}-${time}.${format}`
    : `logs-${first}-${last}.${format}`;
}
const timeOf = (moment: Date): string => moment.toISOString().slice(11, 16).replace(':', '');

const REVERSED = 'The end must be after the start.';
/** True also for a text that is no time: the field's own schema refuses that. */
const isForward = ({ from, to }: Window): boolean =>
  from === undefined || to === undefined || !(Date.parse(from) >= Date.parse(to));

/** Query of GET /api/v2/projects/{projectUuid}/logs/. An empty cursor means the first page. */
export const LogQuery = v.pipe(
  v.object({ ...Filters, limit: v.optional(pageLimit(PAGE_SIZE)), cursor: v.optional(v.string()) }),
  v.forward(
    v.check((asked) => isForward(asked), REVERSED),
    ['to'],
  ),
);
export type LogQuery = v.InferOutput<typeof LogQuery>;

/** Query of GET /api/v2/projects/{projectUuid}/logs/export/. */
export const LogExportQuery = v.pipe(
  v.object({ ...Filters, format: v.picklist(LOG_FORMATS) }),
  v.forward(
    v.check((asked) => isForward(asked), REVERSED),
    ['to'],
  ),
);
export type LogExportQuery = v.InferOutput<typeof LogExportQuery>;

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const Milliseconds = v.nullable(Count);

/** One request that ended, or was refused. */
export const LogEntry = v.object({
  /** Id of the row, for these calls only. */
  id: Uuid,
  /** The id of the request: its `x-request-id`, or the `request_id` of its error frame. */
  request_id: Uuid,
  started_at: Timestamp,
  ended_at: Timestamp,
  kind: UsageService,
  status: LogStatus,
  /** The model's name in the request; null if a refused request has none that could be read, or several. */
  model: v.nullable(v.string()),
  /** Who asked: a program with a key, or the console's playground. */
  origin: v.picklist(['public_api', 'playground']),
  /** The key of a program; null for the playground. `name` is null once the key is deleted. */
  key: v.nullable(v.object({ uuid: Uuid, name: v.nullable(v.string()) })),
  /** E-mail address of the console's user; null for a program, if unknown, and once the account is deleted. */
  person: v.nullable(v.string()),
  client_reference_id: v.nullable(v.string()),
  /** Audio that was transcribed, milliseconds. */
  audio_ms: Count,
  /** Millionths of a US dollar; null without a price. */
  cost_micros: v.nullable(Count),
  /** Why it failed; null if it did not. */
  error_type: v.nullable(v.string()),
  /** Transcriptions: time from the request to the start of the work; null if it never started, or is unknown. */
  queue_ms: Milliseconds,
  /** Transcriptions: time from the start of the work to its end; null likewise. */
  processing_ms: Milliseconds,
  /** Live sessions: time from the first audio to the first word; null if either never came. */
  first_word_ms: Milliseconds,
  /** Live sessions: time from the end of the audio to the last final word; null if the client did not end the audio. */
  finals_ms: Milliseconds,
  /** Why it was refused; null if it was not. */
  refusal: v.optional(
    v.nullable(
      v.object({
        /** The HTTP status, or the `error_code` of the error frame. */
        code: v.pipe(v.number(), v.integer()),
        message: v.string(),
        /**
         * This request, and later ones of the same kind and error that have no entry: a project has 20 entries for them
         * at once, then one a minute.
         */
        requests: Count,
        /** Whether these requests name several models, or several references; the entry's `model` or reference is null. */
        several_models: v.optional(v.boolean(), false),
        several_references: v.optional(v.boolean(), false),
      }),
    ),
    null,
  ),
});
export type LogEntry = v.InferOutput<typeof LogEntry>;

/**
 * Values for the filters: models, keys and errors of all requests in the window, whatever other filters say, the most
 * frequent first. Models that only refused requests name are left out.
 */
export const LogChoices = v.object({
  models: v.array(v.object({ model: v.string(), requests: Count })),
  /** The name is null once the key is gone. */
  keys: v.array(v.object({ uuid: Uuid, name: v.nullable(v.string()), requests: Count })),
  /** Failures and refusals, grouped by error. */
  errors: v.array(v.object({ error_type: v.string(), requests: Count })),
});
export type LogChoices = v.InferOutput<typeof LogChoices>;

/** GET /api/v2/projects/{projectUuid}/logs/: the last ended first. */
export const LogPage = v.object({
  logs: v.array(LogEntry),
  next_page_cursor: v.nullable(v.string()),
  /** The filters' choices; null after the first page. */
  choices: v.nullable(LogChoices),
});
export type LogPage = v.InferOutput<typeof LogPage>;

/** The settings of a request, while its transcription exists. */
export const LogSettings = v.object({
  filename: v.string(),
  language_hints: v.nullable(LanguageHints),
  language_hints_strict: v.nullable(v.boolean()),
  context: v.nullable(Context),
  enable_speaker_diarization: v.boolean(),
  enable_language_identification: v.boolean(),
  translation: v.nullable(Translation),
});
export type LogSettings = v.InferOutput<typeof LogSettings>;

/**
 * What a refused request, or a live session that failed, asked for. Values are as they were sent, so that the model may
 * lack them. Never has sound, words of the context, addresses or secrets.
 */
export const LogRequest = v.object({
  model: v.nullish(v.pipe(v.string(), v.maxLength(100)), null),
  /** The recording, while it is there. */
  file_id: v.nullish(Uuid, null),
  language_hints: v.nullish(LanguageHints, null),
  language_hints_strict: v.nullish(v.boolean(), null),
  enable_speaker_diarization: v.nullish(v.boolean(), null),
  enable_language_identification: v.nullish(v.boolean(), null),
  enable_audio_event_detection: v.nullish(v.boolean(), null),
  enable_endpoint_detection: v.nullish(v.boolean(), null),
  translation: v.nullish(Translation, null),
  /** Names of fields that it had and that are not kept: of a wrong form, or not for the logs. */
  left_out: v.optional(v.array(v.string()), []),
});
export type LogRequest = v.InferOutput<typeof LogRequest>;

/** GET /api/v2/projects/{projectUuid}/logs/{id}/: the whole request. */
export const LogDetails = v.object({
  ...LogEntry.entries,
  /** Tokens of the transcript, or final tokens of the live session. */
  output_tokens: Count,
  /** The UTC day on which it is billed, such as 2026-05-04; null if it was refused. */
  billing_day: v.nullable(v.string()),
  /** The error in words; null if there is none, its transcription is deleted, or its live session is. */
  error_message: v.nullable(v.string()),
  /**
   * The transcription, or the one that the live session was saved as, to open in the playground. Null if it is deleted,
   * and for roles that do not use the playground.
   */
  transcription_id: v.nullable(Uuid),
  /** Null if {@link transcription_id} is. */
  settings: v.nullable(LogSettings),
  /** Of refused requests and failed live sessions; null if unknown, and for roles that do not use the playground. */
  request: v.optional(v.nullable(LogRequest), null),
});
export type LogDetails = v.InferOutput<typeof LogDetails>;
