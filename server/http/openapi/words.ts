/**
 * What each field of the speech API is for, in its document and its reference. By name; where a name means different
 * things, by `Schema.field`, with the fields of unnamed objects inside it as `Schema.field.inner`.
 */
import type { OpenApiDocument, Operation } from './document.ts';
import type { JsonSchema } from './schemas.ts';

const HINTS = 'Languages that may be spoken, most likely first. They guide the model and do not restrict it.';
const REFERENCE = 'Your own text for the request. The logs and the list of requests show it.';
const CURSOR = 'Where the next page begins: send it as `cursor`. Null on the last page.';
const TIME = 'Milliseconds from the beginning of the audio. Not on translated tokens.';
const COST = 'Cost in USD, as a decimal number. Null if this server has no prices.';
const STREAMS = 'Live sessions that run.';
const LIMIT = 'Live sessions that may run at once. Null for no limit.';
const NO_SPEECH = 'Of speech generation, which this server does not do.';

export const FIELD_WORDS: Readonly<Record<string, string>> = {
  // Requests of both kinds
  model: 'Id of a model, or of an alias. See the list of models.',
  language_hints: HINTS,
  language_hints_strict: 'Reports only speech that surely is in one of the hinted languages.',
  context: 'Names and terms to expect. At most 10,000 characters, as JSON if it is an object.',
  enable_speaker_diarization: 'Numbers the speakers: tokens get a `speaker`.',
  enable_language_identification: 'Finds the language of each token: tokens get a `language`.',
  enable_audio_event_detection: 'No model of this server does this; true is refused.',
  translation: 'Translates what is said. The models tell which languages they translate.',
  client_reference_id: REFERENCE,

  // Files
  file: 'The recording: WAV, MP3, FLAC, Ogg, WebM, AIFF or AMR; MP4, AAC, video and others where the server has ffmpeg.',
  filename: 'Name of the recording in lists.',
  size: 'Bytes.',
  created_at: 'When it was made, in UTC.',
  'FileUrl.url': 'Address of the recording. It works for an hour, without a key.',
  'FilePage.files': 'Newest first.',
  next_page_cursor: CURSOR,
  'Counts.total': 'All of the project.',
  'Counts.public_api': 'Made with an API key.',
  'Counts.playground': 'Made in the console.',

  // Transcriptions
  id: 'Its id.',
  file_id: 'Id of an uploaded file. Send either this or `audio_url`.',
  audio_url: 'Address of a recording, which the server downloads.',
  webhook_url: 'Address that the server calls once the transcription has ended.',
  webhook_auth_header_name: 'Name of a header to send with the webhook. Needs a value, too.',
  webhook_auth_header_value: 'Value of that header. Answers show asterisks in its place.',
  webhook_status_code: 'HTTP status of the last try of the webhook. Null before the first.',
  'Transcription.status': '`queued`, `processing`, `completed` or `error`.',
  'Transcription.file_id': 'The file. Null if it came from an address, was a live session, or the file was deleted.',
  'Transcription.audio_url': 'The address that the recording came from.',
  audio_duration_ms: 'Length of the audio. Null until it is known.',
  audio_notes: 'What the server did with a recording that is more than one plain track. An extension.',
  error_type: 'The kind of error, for programs.',
  error_message: 'The reason, for people.',
  progress: 'How far the server is. Null unless `processing`. An extension.',
  'Transcription.progress.audio_ms': 'Audio that is transcribed.',
  'Transcription.progress.total_ms': 'Length of the recording. Null if the recording does not say it.',
  cost_usd: COST,
  'TranscriptionPage.transcriptions': 'Newest first.',
  'TranscriptionEnded.status': 'How it ended.',
  'AudioNote.type':
    '`parts_joined`, `parts_left_out`, `tracks_mixed`, `tracks_left_out` or `channels_not_mixed`. There may be more.',
  'AudioNote.count': 'How many parts, tracks or channels.',

  // Tokens
  'Transcript.text': 'All tokens joined, without translations.',
  'Transcript.tokens': 'In the order of the audio. Translated tokens follow their originals.',
  'TranscriptToken.text': 'A piece of a word, with the blank before it: join them to get the text.',
  'LiveToken.text':
    'A piece of a word, with the blank before it. `<end>` marks the end of an utterance, `<fin>` answers a finalize.',
  start_ms: TIME,
  end_ms: TIME,
  confidence: 'From 0 to 1.',
  speaker: 'Number of the speaker, as a string, with speaker diarization.',
  language: 'Its language, with language identification or translation.',
  translation_status: 'Only with translation. `none`: is not translated.',
  source_language: 'Of a translated token: the language that it was translated from.',
  is_final: 'Whether the token stays. Others come again, perhaps changed.',

  // Context and translation
  'StructuredContext.general': 'Facts about the recording, such as its topic or place.',
  'StructuredContext.general.key': 'Name of the fact.',
  'StructuredContext.general.value': 'Its value.',
  'StructuredContext.text': 'Text that has the names and terms in it.',
  'StructuredContext.terms': 'Names and terms to expect, as they are written.',
  'StructuredContext.translation_terms': 'Terms and their translations. Without translation they do nothing.',
  'StructuredContext.translation_terms.source': 'The term.',
  'StructuredContext.translation_terms.target': 'Its translation.',
  'Translation.type': '`one_way` into one language, `two_way` between two.',
  target_language: 'The language to translate into.',
  language_a: 'One of the two languages.',
  language_b: 'The other one.',

  // Keeping a live session
  'LiveSessionToKeep.audio_duration_ms': 'Length of the session.',
  'LiveSessionToKeep.request_id': 'From the last frame of the session. Sent again, the session is kept only once.',
  'LiveSessionToKeep.tokens': 'The final tokens of the session.',
  'LiveSessionToKeep.tokens.text': 'A piece of a word, with the blank before it. Markers are left out.',

  // Live
  'LiveConfig.api_key': 'An API key or a temporary key, unless it is in the header or the subprotocol.',
  'LiveConfig.model': 'Id of a live model, or of an alias. Without it, the live model of this server.',
  audio_format:
    'Required. `auto` detects files such as WAV, MP3, FLAC, Ogg or WebM. Raw audio: `s16le`, `f32le`, `mulaw` and others.',
  sample_rate: 'Samples a second. Required for raw audio.',
  num_channels: 'Channels. Required for raw audio.',
  enable_endpoint_detection: 'Finds the end of an utterance: its tokens become final and the marker `<end>` follows.',
  max_endpoint_delay_ms: 'The longest wait after an utterance until its end is reported. 2,000 by default.',
  endpoint_sensitivity: 'Higher ends utterances sooner. Models without `supports_endpoint_sensitivity` ignore it.',
  endpoint_latency_adjustment_level:
    'Higher reports them sooner. Models without `supports_endpoint_latency_adjustment` ignore it.',
  'LiveControl.type':
    '`finalize`: make all words so far final, then send `<fin>`. In the middle of a word the server waits for its end, but without audio not longer than 0.3 s, or 1.5 s if audio comes in large pieces. `keepalive`: stay open without audio.',
  trailing_silence_ms: 'Silence that the client has heard at the end of the audio: `<fin>` may come sooner.',
  'LiveResult.tokens': 'New final tokens first, each once; then all others, which replace those of the frame before.',
  final_audio_proc_ms: 'Audio that the final tokens cover.',
  total_audio_proc_ms: 'Audio that all tokens cover.',
  finished: 'True in the last frame; then the socket closes with code 1000.',
  'LiveResult.audio_notes': 'In the last frame. An extension.',
  'LiveResult.cost_usd': 'In the last frame of a session of the console.',
  'LiveResult.request_id': 'In the last frame of a session of the console: keeps the session.',
  'LiveFailure.tokens': 'Always empty.',
  error_code: 'As the HTTP status of a call.',
  more_info: 'Address of the explanation of this kind of error.',
  request_id: 'Id of the request. Send it to support.',
  limit: 'The limit, budget or balance that was reached. An extension.',
  reason: 'What the error is about, where its type does not say it. An extension.',

  // Errors
  status_code: 'The HTTP status.',
  message: 'The reason, for people. It may change.',
  validation_errors: 'Which fields are wrong, and why.',
  location: 'Path of the field, such as `body.payload.model`.',
  'ReachedLimit.name': 'Which limit it is.',
  'ReachedLimit.of': 'Whose limit it is.',

  // Models
  'ModelList.models': 'The models of this server, and their aliases.',
  'Model.id': 'Its id, for `model` of a request.',
  'Model.name': 'Its name, for people.',
  aliased_model_id: 'The model that an alias stands for. Null for a model.',
  context_version: '2: the context may be an object. Otherwise it is a string.',
  transcription_mode: '`async` for recordings, `real_time` for live sessions.',
  languages: 'Languages that it understands.',
  code: 'ISO 639-1 code.',
  name: 'In English.',
  one_way_translation:
    'Languages that it translates into. Null if `translation_targets` says it, or if it translates none.',
  two_way_translation: 'Languages between which it translates. Null if `two_way_translation_pairs` says it, or none.',
  translation_targets: 'Languages that it translates into, and from which.',
  'Model.translation_targets.target_language': 'The language to translate into.',
  'Model.translation_targets.source_languages': 'Languages that it translates from.',
  'Model.translation_targets.exclude_source_languages': 'Languages that it does not translate from.',
  two_way_translation_pairs: 'Pairs of languages, such as `en:es`.',
  supports_language_hints_strict: 'Whether `language_hints_strict` has an effect.',
  supports_audio_event_detection: 'Whether `enable_audio_event_detection` is allowed.',
  supports_max_endpoint_delay: 'Whether `max_endpoint_delay_ms` has an effect.',
  supports_endpoint_sensitivity: 'Whether `endpoint_sensitivity` has an effect.',
  supports_endpoint_latency_adjustment: 'Whether `endpoint_latency_adjustment_level` has an effect.',
  endpoint_latency_adjustment_max_level: 'The highest `endpoint_latency_adjustment_level`.',

  // Temporary keys
  'TemporaryKey.api_key': 'The key. It opens live sessions and nothing else.',
  expires_at: 'From then on it opens no session. A running session goes on.',
  usage_type: 'What the key is for.',
  expires_in_seconds: 'How long the key opens sessions.',
  single_use: 'Whether it opens one session only.',
  max_session_duration_seconds: 'The longest session that it opens.',

  // Usage
  'UsageLogPage.usage_logs': 'Requests that were completed, or cut short after some audio.',
  uuid: 'Id of the request, as in `x-request-id` or its error frame.',
  request_scope: '`api`: with a key. `playground`: in the console.',
  start_time: 'When the request began.',
  end_time: 'When the request ended.',
  input_text_tokens: 'Always 0: the context is not counted.',
  input_audio_tokens: 'Always 0: audio is counted by its length.',
  input_audio_duration_ms: 'Length of the audio.',
  output_text_tokens: 'Tokens of the transcript.',
  output_audio_tokens: NO_SPEECH,
  output_audio_duration_ms: NO_SPEECH,
  input_cost_usd: COST,
  input_text_cost_usd: COST,
  input_audio_cost_usd: COST,
  output_cost_usd: COST,
  output_text_cost_usd: COST,
  output_audio_cost_usd: COST,
  project: 'Of the project of the key.',
  organization: 'Of its whole organization.',
  current: 'What runs now.',
  limits: 'What may run at once.',
  ...Object.fromEntries(
    ['project', 'organization'].flatMap((scope) => [
      [`ConcurrencyLimits.${scope}.current.transcribe_concurrent`, STREAMS],
      [`ConcurrencyLimits.${scope}.limits.transcribe_concurrent`, LIMIT],
    ]),
  ),
  tts_concurrent: NO_SPEECH,

  // Parameters
  cursor: 'The `next_page_cursor` of the page before.',
  'query.limit': 'Entries on a page. 1,000 by default.',
  'query.token': 'From the temporary address.',
  'query.start_time': 'Requests that ended at this time or later.',
  'query.end_time': 'Requests that ended before this time, at most 31 days after `start_time`.',
  sort: '`end_time_asc`, oldest first, is the default.',
  'path.name': 'Which recording.',
  'path.id': 'Id of the file or of the transcription.',
};

type Words = Readonly<Record<string, string>>;

/** Words of a server that does not download recordings. */
export const WITHOUT_AUDIO_URLS: Words = {
  file_id: 'Id of an uploaded file. Required on this server.',
  audio_url: 'Address of a recording. This server does not download recordings, and refuses it.',
};

/** What a field is for. @param path its schema, or `query` or `path`, and the names of the fields down to it */
const wordsOf = (words: Words, path: readonly string[]): string | undefined =>
  words[path.join('.')] ?? words[path.at(-1) ?? ''];

type Part = JsonSchema | boolean;

/** The field at `path` with what it and the fields inside it are for. */
function described(words: Words, field: Part, path: readonly string[]): Part {
  const description = wordsOf(words, path);
  const inner = describedInside(words, field, path);
  return typeof inner === 'object' && description !== undefined ? { ...inner, description } : inner;
}

function describedInside(words: Words, schema: Part, path: readonly string[]): Part {
  if (typeof schema !== 'object') return schema;
  const all = (list: Part[]): Part[] => list.map((part) => describedInside(words, part, path));
  const { properties, items, anyOf, oneOf, allOf } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, described(words, field, [...path, name])]),
      ),
    }),
    ...(items !== undefined && !Array.isArray(items) && { items: describedInside(words, items, path) }),
    ...(anyOf && { anyOf: all(anyOf) }),
    ...(oneOf && { oneOf: all(oneOf) }),
    ...(allOf && { allOf: all(allOf) }),
  };
}

/**
 * The document of the speech API with a description of each field and parameter.
 * @param own words of this server, in place of those of {@link FIELD_WORDS}
 */
export function withFieldWords(document: OpenApiDocument, own: Words = {}): OpenApiDocument {
  const words = { ...FIELD_WORDS, ...own };
  const schema = (json: JsonSchema, path: readonly string[]): JsonSchema => {
    const inner = describedInside(words, json, path);
    return typeof inner === 'object' ? inner : json;
  };
  const operation = (of: Operation): Operation => ({
    ...of,
    ...(of.parameters && {
      parameters: of.parameters.map((parameter) => {
        const description = wordsOf(words, [parameter.in, parameter.name]);
        return description === undefined ? parameter : { ...parameter, description };
      }),
    }),
    ...(of.requestBody && {
      requestBody: {
        ...of.requestBody,
        content: Object.fromEntries(
          Object.entries(of.requestBody.content).map(([type, media]) => [
            type,
            media.schema ? { ...media, schema: schema(media.schema, []) } : media,
          ]),
        ),
      },
    }),
  });
  return {
    ...document,
    paths: Object.fromEntries(
      Object.entries(document.paths).map(([path, item]) => [
        path,
        Object.fromEntries(Object.entries(item).map(([method, of]) => [method, operation(of)])),
      ]),
    ),
    components: {
      ...document.components,
      schemas: Object.fromEntries(
        // A schema of requests alone ends in `Input`.
        Object.entries(document.components.schemas).map(([name, json]) => [
          name,
          schema(json, [name.replace(/Input$/, '')]),
        ]),
      ),
    },
  };
}
