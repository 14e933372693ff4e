import * as v from 'valibot';
import { PageQuery } from '../fields.ts';
import { CLIENT_REFERENCE_MAX, Counts, FilePage, FileUrl, StoredFile, UPLOAD_FIELD } from '../files.ts';
import { LIVE_KEY_SUBPROTOCOLS, LIVE_PATH, LiveConfig, LiveControl, LiveFailure, LiveResult } from '../live.ts';
import { ModelList } from '../models.ts';
import { SampleName } from '../samples.ts';
import { TemporaryKey, TemporaryKeyRequest } from '../temporary-keys.ts';
import {
  KEPT_MAX_BYTES,
  LiveSessionToKeep,
  Transcript,
  Transcription,
  TranscriptionCreate,
  TranscriptionEnded,
  TranscriptionPage,
} from '../transcriptions.ts';
import { ConcurrencyLimits, UsageLogPage, UsageLogQuery } from '../usage-logs.ts';
import { rowsOf, type ApiRoute, type ApiSocket, type ApiWebhook, type Rows } from './route.ts';

const UploadFields = v.object({
  client_reference_id: v.optional(v.pipe(v.string(), v.maxLength(CLIENT_REFERENCE_MAX))),
});
/** Errors when a balance or a budget is used up. */
const EXHAUSTED = [
  'organization_balance_exhausted',
  'organization_monthly_budget_exhausted',
  'project_monthly_budget_exhausted',
] as const;
const noFile = { 404: ['file_not_found'] };
const noTranscription = { 404: ['transcription_not_found'] };
const badCursor = { 400: ['invalid_cursor'] };

/** The speech API: what programs call with a project's key (speech API §3). */
export const SPEECH_CALLS = {
  uploadFile: {
    method: 'post',
    path: '/v1/files',
    tag: 'Files',
    summary: 'Upload a file',
    access: 'key',
    body: { multipart: UploadFields, file: UPLOAD_FIELD },
    answers: { 201: StoredFile },
    errors: { 500: ['storage_full'] },
  },
  listFiles: {
    method: 'get',
    path: '/v1/files',
    tag: 'Files',
    summary: 'List files',
    access: 'key',
    query: PageQuery,
    answers: { 200: FilePage },
    errors: badCursor,
  },
  addSample: {
    method: 'post',
    path: '/v1/samples/{name}',
    tag: 'Files',
    summary: 'Add a sample',
    description:
      'Makes a recording that comes with the server a file of the project: 201, or 200 if it already is one. An extension.',
    access: 'key',
    params: { name: SampleName },
    answers: { 200: StoredFile, 201: StoredFile },
    errors: { 404: ['not_found'], 500: ['storage_full'] },
  },
  countFiles: {
    method: 'get',
    path: '/v1/files/count',
    tag: 'Files',
    summary: 'Count files',
    access: 'key',
    answers: { 200: Counts },
  },
  readFile: {
    method: 'get',
    path: '/v1/files/{id}',
    tag: 'Files',
    summary: 'Get a file',
    access: 'key',
    answers: { 200: StoredFile },
    errors: noFile,
  },
  readFileUrl: {
    method: 'get',
    path: '/v1/files/{id}/url',
    tag: 'Files',
    summary: 'Get a temporary address',
    description: 'An address of the recording that works without a key for an hour.',
    access: 'key',
    answers: { 200: FileUrl },
    errors: noFile,
  },
  downloadFile: {
    method: 'get',
    path: '/v1/files/{id}/download',
    tag: 'Files',
    summary: 'Download a file',
    description: 'From a temporary address. Supports ranges.',
    access: 'none',
    query: v.object({ token: v.string() }),
    answers: { 200: 'bytes', 206: 'bytes', 304: 'nothing', 416: 'nothing' },
    errors: noFile,
  },
  deleteFile: {
    method: 'delete',
    path: '/v1/files/{id}',
    tag: 'Files',
    summary: 'Delete a file',
    access: 'key',
    answers: { 204: 'nothing' },
    errors: noFile,
  },

  createTranscription: {
    method: 'post',
    path: '/v1/transcriptions',
    tag: 'Transcriptions',
    summary: 'Create a transcription',
    description: 'From an uploaded file, or from a recording at an address.',
    access: 'key',
    body: { json: TranscriptionCreate },
    answers: { 201: Transcription },
    errors: { 400: ['model_not_available'], 402: EXHAUSTED, ...noFile },
  },
  keepLiveSession: {
    method: 'post',
    path: '/v1/transcriptions/live',
    tag: 'Transcriptions',
    summary: 'Keep a live session',
    description:
      'Saves the tokens of a live session as a completed transcription; the server does not store other live sessions. Costs nothing. An extension.',
    access: 'key',
    body: { json: LiveSessionToKeep, maxBytes: KEPT_MAX_BYTES },
    answers: { 201: Transcription },
    errors: { 400: ['model_not_available'], 413: ['request_too_large'] },
  },
  listTranscriptions: {
    method: 'get',
    path: '/v1/transcriptions',
    tag: 'Transcriptions',
    summary: 'List transcriptions',
    access: 'key',
    query: PageQuery,
    answers: { 200: TranscriptionPage },
    errors: badCursor,
  },
  countTranscriptions: {
    method: 'get',
    path: '/v1/transcriptions/count',
    tag: 'Transcriptions',
    summary: 'Count transcriptions',
    access: 'key',
    answers: { 200: Counts },
  },
  readTranscription: {
    method: 'get',
    path: '/v1/transcriptions/{id}',
    tag: 'Transcriptions',
    summary: 'Get a transcription',
    description: 'Its status and settings. The words come with its transcript.',
    access: 'key',
    answers: { 200: Transcription },
    errors: noTranscription,
  },
  readTranscript: {
    method: 'get',
    path: '/v1/transcriptions/{id}/transcript',
    tag: 'Transcriptions',
    summary: 'Get a transcript',
    description: 'The words of a completed transcription.',
    access: 'key',
    answers: { 200: Transcript },
    errors: { ...noTranscription, 409: ['transcription_invalid_state'] },
  },
  cancelTranscription: {
    method: 'post',
    path: '/v1/transcriptions/{id}/cancel',
    tag: 'Transcriptions',
    summary: 'Cancel a transcription',
    description:
      'Only while it waits or runs. It ends as an error with error_type cancelled, sends its webhook, and costs nothing.',
    access: 'key',
    answers: { 200: Transcription },
    errors: { ...noTranscription, 409: ['transcription_invalid_state'] },
  },
  deleteTranscription: {
    method: 'delete',
    path: '/v1/transcriptions/{id}',
    tag: 'Transcriptions',
    summary: 'Delete a transcription',
    description: 'Only if it is not running. Its file stays.',
    access: 'key',
    answers: { 204: 'nothing' },
    errors: { ...noTranscription, 409: ['transcription_invalid_state'] },
  },

  listModels: {
    method: 'get',
    path: '/v1/models',
    tag: 'Models',
    summary: 'List models',
    description: 'With their abilities.',
    access: 'key',
    answers: { 200: ModelList },
  },

  createTemporaryKey: {
    method: 'post',
    path: '/v1/auth/temporary-api-key',
    tag: 'Temporary keys',
    summary: 'Create a temporary key',
    description: 'A key that only opens live sessions, for example in a browser.',
    access: 'key',
    body: { json: TemporaryKeyRequest },
    answers: { 201: TemporaryKey },
  },

  listUsageLogs: {
    method: 'get',
    path: '/v1/usage-logs',
    tag: 'Usage',
    summary: 'List requests',
    description:
      'Requests and their usage, ordered by their end. Requests that ended while the database was away appear later, and the usage of a live session may be corrected: read a period again, and use the last row of a `uuid`.',
    access: 'key',
    query: UsageLogQuery,
    answers: { 200: UsageLogPage },
    errors: badCursor,
  },
  readConcurrencyLimits: {
    method: 'get',
    path: '/v1/concurrency-limits',
    tag: 'Usage',
    summary: 'Count live sessions',
    description: 'The running live sessions, and their limits.',
    access: 'key',
    answers: { 200: ConcurrencyLimits },
  },
} as const satisfies Rows;

export const SPEECH_API: readonly ApiRoute[] = rowsOf(SPEECH_CALLS);

/** Sent to the `webhook_url` of a transcription, with the header that the request named (speech API §3). */
export const SPEECH_WEBHOOKS: readonly ApiWebhook[] = [
  {
    id: 'transcriptionEnded',
    tag: 'Transcriptions',
    summary: 'Receive the end of a transcription',
    description:
      'The server sends it to the webhook_url of the request, with the header that the request named. If the answer is not 2xx, or takes more than 10 seconds, the server tries again, eight tries in all over about a day. It does not follow redirects. It signs each try as the Standard Webhooks specification says. The header webhook-signature has one or more signatures, separated by spaces. A signature is v1, a comma, and the Base64 of an HMAC-SHA256 over webhook-id, webhook-timestamp and the raw body, joined by dots. The HMAC key is the signing secret of the project: the Base64 text after whsec_, decoded. webhook-id is the same for every try: use it to skip duplicates. Refuse webhooks older than five minutes.',
    body: TranscriptionEnded,
  },
];

/** The live socket: a start request, audio and control frames in any order, an empty text frame (speech API §4). */
export const LIVE_SOCKET: ApiSocket = {
  path: LIVE_PATH,
  id: 'transcribeLive',
  tag: 'Live',
  summary: 'Transcribe live',
  subprotocols: LIVE_KEY_SUBPROTOCOLS,
  client: {
    'Start request (first frame)': LiveConfig,
    'Audio (binary, up to 1 MiB)': 'bytes',
    'Control (text)': LiveControl,
    'End of audio (empty text)': 'nothing',
  },
  server: { Result: LiveResult, 'Error, then the socket closes': LiveFailure },
  errors: {
    400: ['invalid_request', 'invalid_audio', 'model_not_available'],
    401: ['unauthenticated'],
    402: EXHAUSTED,
    403: ['temp_api_key_session_expired'],
    408: ['request_timeout'],
    413: ['max_duration_reached'],
    429: ['limit_exceeded'],
    500: ['internal_error'],
    503: ['service_unavailable'],
  },
};
