import * as v from 'valibot';
import { PageQuery } from '../fields.ts';
import { CLIENT_REFERENCE_MAX, Counts, FilePage, FileUrl, StoredFile, UPLOAD_FIELD } from '../files.ts';
import { ModelList } from '../models.ts';
import { SampleName } from '../samples.ts';
import { TemporaryKey, TemporaryKeyRequest } from '../temporary-keys.ts';
import {
  SAVED_SESSION_MAX_BYTES,
  LiveSessionToKeep,
  Transcript,
  Transcription,
  TranscriptionCreate,
  TranscriptionEnded,
  TranscriptionPage,
} from '../transcriptions.ts';
import { ConcurrencyLimits, UsageLogPage, UsageLogQuery } from '../usage-logs.ts';
import { rowsOf, type ApiRoute, type ApiWebhook, type Row } from './route.ts';
import { EXHAUSTED } from '../errors.ts';

const UploadFields = v.object({
  client_reference_id: v.optional(v.pipe(v.string(), v.maxLength(CLIENT_REFERENCE_MAX))),
});
const noFile = { 404: ['file_not_found'] };
const noTranscription = { 404: ['transcription_not_found'] };
const badCursor = { 400: ['invalid_cursor'] };

export const uploadFile = {
  method: 'post',
  path: '/v1/files',
  tag: 'Files',
  summary: 'Upload a file',
  access: 'key',
  body: { multipart: UploadFields, file: UPLOAD_FIELD },
  answers: { 201: StoredFile },
  errors: { 500: ['storage_full'] },
} as const satisfies Row;

export const listFiles = {
  method: 'get',
  path: '/v1/files',
  tag: 'Files',
  summary: 'List files',
  access: 'key',
  query: PageQuery,
  answers: { 200: FilePage },
  errors: badCursor,
} as const satisfies Row;

export const addSample = {
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
} as const satisfies Row;

const downloadSample = {
  method: 'get',
  path: '/v1/samples/{name}',
  tag: 'Files',
  summary: 'Download a sample',
  description: 'A recording that comes with the server, to try a transcription with. An extension.',
  access: 'key',
  params: { name: SampleName },
  answers: { 200: 'bytes' },
  errors: { 404: ['not_found'] },
} as const satisfies Row;

const countFiles = {
  method: 'get',
  path: '/v1/files/count',
  tag: 'Files',
  summary: 'Count files',
  access: 'key',
  answers: { 200: Counts },
} as const satisfies Row;

export const readFile = {
  method: 'get',
  path: '/v1/files/{id}',
  tag: 'Files',
  summary: 'Get a file',
  access: 'key',
  answers: { 200: StoredFile },
  errors: noFile,
} as const satisfies Row;

export const readFileUrl = {
  method: 'get',
  path: '/v1/files/{id}/url',
  tag: 'Files',
  summary: 'Get a temporary address',
  description: 'An address of the recording that works without a key for an hour.',
  access: 'key',
  answers: { 200: FileUrl },
  errors: noFile,
} as const satisfies Row;

const downloadFile = {
  method: 'get',
  path: '/v1/files/{id}/download',
  tag: 'Files',
  summary: 'Download a file',
  description: 'From a temporary address. Supports ranges.',
  access: 'none',
  query: v.object({ token: v.string() }),
  hidesQuery: true,
  answers: { 200: 'bytes', 206: 'bytes', 304: 'nothing', 416: 'nothing' },
  errors: noFile,
} as const satisfies Row;

export const deleteFile = {
  method: 'delete',
  path: '/v1/files/{id}',
  tag: 'Files',
  summary: 'Delete a file',
  access: 'key',
  answers: { 204: 'nothing' },
  errors: noFile,
} as const satisfies Row;

export const createTranscription = {
  method: 'post',
  path: '/v1/transcriptions',
  tag: 'Transcriptions',
  summary: 'Create a transcription',
  description: 'From an uploaded file; or from a recording at an address, if the server downloads recordings.',
  access: 'key',
  body: { json: TranscriptionCreate },
  answers: { 201: Transcription },
  errors: { 400: ['model_not_available'], 402: EXHAUSTED, ...noFile },
} as const satisfies Row;

export const keepLiveSession = {
  method: 'post',
  path: '/v1/transcriptions/live',
  tag: 'Transcriptions',
  summary: 'Keep a live session',
  description:
    'Keeps the tokens of a live session as a completed transcription; the server does not store other live sessions. Costs nothing. An extension.',
  access: 'key',
  body: { json: LiveSessionToKeep, maxBytes: SAVED_SESSION_MAX_BYTES },
  answers: { 201: Transcription },
  errors: { 400: ['model_not_available'], 413: ['request_too_large'] },
} as const satisfies Row;

export const listTranscriptions = {
  method: 'get',
  path: '/v1/transcriptions',
  tag: 'Transcriptions',
  summary: 'List transcriptions',
  access: 'key',
  query: PageQuery,
  answers: { 200: TranscriptionPage },
  errors: badCursor,
} as const satisfies Row;

const countTranscriptions = {
  method: 'get',
  path: '/v1/transcriptions/count',
  tag: 'Transcriptions',
  summary: 'Count transcriptions',
  access: 'key',
  answers: { 200: Counts },
} as const satisfies Row;

export const readTranscription = {
  method: 'get',
  path: '/v1/transcriptions/{id}',
  tag: 'Transcriptions',
  summary: 'Get a transcription',
  description: 'Its status and settings. The words come with its transcript.',
  access: 'key',
  answers: { 200: Transcription },
  errors: noTranscription,
} as const satisfies Row;

export const readTranscript = {
  method: 'get',
  path: '/v1/transcriptions/{id}/transcript',
  tag: 'Transcriptions',
  summary: 'Get a transcript',
  description: 'The words of a completed transcription.',
  access: 'key',
  answers: { 200: Transcript },
  errors: { ...noTranscription, 409: ['transcription_invalid_state'] },
} as const satisfies Row;

export const cancelTranscription = {
  method: 'post',
  path: '/v1/transcriptions/{id}/cancel',
  tag: 'Transcriptions',
  summary: 'Cancel a transcription',
  description:
    'Only while it waits or runs. It ends as an error with error_type cancelled, sends its webhook, and costs nothing.',
  access: 'key',
  answers: { 200: Transcription },
  errors: { ...noTranscription, 409: ['transcription_invalid_state'] },
} as const satisfies Row;

export const deleteTranscription = {
  method: 'delete',
  path: '/v1/transcriptions/{id}',
  tag: 'Transcriptions',
  summary: 'Delete a transcription',
  description: 'Only if it is not running. Its file stays.',
  access: 'key',
  answers: { 204: 'nothing' },
  errors: { ...noTranscription, 409: ['transcription_invalid_state'] },
} as const satisfies Row;

export const listModels = {
  method: 'get',
  path: '/v1/models',
  tag: 'Models',
  summary: 'List models',
  description: 'With their abilities.',
  access: 'key',
  answers: { 200: ModelList },
} as const satisfies Row;

export const createTemporaryKey = {
  method: 'post',
  path: '/v1/auth/temporary-api-key',
  tag: 'Temporary keys',
  summary: 'Create a temporary key',
  description: 'A key that only opens live sessions, for example in a browser.',
  access: 'key',
  body: { json: TemporaryKeyRequest },
  answers: { 201: TemporaryKey },
} as const satisfies Row;

const listUsageLogs = {
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
} as const satisfies Row;

const readConcurrencyLimits = {
  method: 'get',
  path: '/v1/concurrency-limits',
  tag: 'Usage',
  summary: 'Count live sessions',
  description: 'The running live sessions, and their limits.',
  access: 'key',
  answers: { 200: ConcurrencyLimits },
} as const satisfies Row;

/** The speech API: what programs call with a project's key (speech API §3). */
export const SPEECH_CALLS = {
  uploadFile,
  listFiles,
  addSample,
  downloadSample,
  countFiles,
  readFile,
  readFileUrl,
  downloadFile,
  deleteFile,
  createTranscription,
  keepLiveSession,
  listTranscriptions,
  countTranscriptions,
  readTranscription,
  readTranscript,
  cancelTranscription,
  deleteTranscription,
  listModels,
  createTemporaryKey,
  listUsageLogs,
  readConcurrencyLimits,
};

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
