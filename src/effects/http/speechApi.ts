/** The speech API as the console calls it (spec §7). Every function rejects with a CallError, or with its signal's reason. */
import * as v from 'valibot';
import { PAGE_SIZE } from '#contract/fields.ts';
import { FilePage, FileUrl, StoredFile } from '#contract/files.ts';
import { ModelList } from '#contract/models.ts';
import type { SampleName } from '#contract/samples.ts';
import { TemporaryKey, type TemporaryKeyRequest } from '#contract/temporary-keys.ts';
import {
  type LiveSessionToKeep,
  Transcript,
  Transcription,
  type TranscriptionCreate,
  TranscriptionPage,
} from '#contract/transcriptions.ts';
import { CallError } from '#machines/shared/failure.ts';
import { speechBearer } from '../../early/calls.ts';
import { type Authorization, createCaller } from './caller.ts';
import type { SessionPort } from '../session/port.ts';

const Nothing = v.unknown();
/** The shortest life that a slow connection survives; it only limits the opening of the socket. */
const KEY_LIFE_SECONDS = 60;

export type SpeechApiOptions = {
  /** Of the page: its path names the project, its origin stands in for an empty base address. */
  pageUrl: () => URL;
  /** From the page settings, without `/v1`; empty means the page's own origin. */
  speechBaseUrl: string;
  supportEmail: string;
  session: SessionPort;
  onMissing?: () => void;
};

export type SpeechApi = ReturnType<typeof createSpeechApi>;

/** The project of a `/projects/{id}` path; null elsewhere. */
function projectInPath(path: string): string | null {
  return /\/projects\/([^/]+)/.exec(path)?.[1] ?? null;
}

const refuse = (message: string) => new CallError({ message, kind: 'OTHER' });

export function createSpeechApi({ pageUrl, speechBaseUrl, supportEmail, session, onMissing }: SpeechApiOptions) {
  const baseUrl = `${(speechBaseUrl || pageUrl().origin).replace(/\/+$/, '')}/v1/`;

  /** @throws CallError outside a project's path and without a session (ERR-03). */
  async function authorize(signal?: AbortSignal, project = projectInPath(pageUrl().pathname)): Promise<Authorization> {
    if (project === null) throw refuse('Project ID not in current path');
    const tokens = await session.tokens(signal);
    if (!tokens) throw refuse('Not logged in (missing jwt)');
    return { headers: { authorization: speechBearer(project, tokens.access) }, access: tokens.access };
  }

  const call = createCaller({
    baseUrl,
    supportEmail,
    authorize: (signal) => authorize(signal),
    onUnauthorized: (access, status) => session.refused(access, status),
    ...(onMissing ? { onMissing } : {}),
  });
  type Signal = AbortSignal | undefined;
  const page = (cursor: string | null) => ({ limit: String(PAGE_SIZE), ...(cursor === null ? {} : { cursor }) });

  return {
    /** For the upload, which is a request of its own kind. */
    baseUrl,
    authorize,
    models: (signal?: Signal) => call('get', 'models', { schema: ModelList, signal }),
    /** `cursor` null asks for the first page. */
    files: (cursor: string | null, signal?: Signal) =>
      call('get', 'files', { query: page(cursor), schema: FilePage, signal }),
    file: (id: string, signal?: Signal) => call('get', `files/${segment(id)}`, { schema: StoredFile, signal }),
    fileUrl: (id: string, signal?: Signal) => call('get', `files/${segment(id)}/url`, { schema: FileUrl, signal }),
    addSample: (name: SampleName, signal?: Signal) =>
      call('post', `samples/${segment(name)}`, { schema: StoredFile, signal }),
    deleteFile: (id: string, signal?: Signal) => call('delete', `files/${segment(id)}`, { schema: Nothing, signal }),
    transcriptions: (cursor: string | null, signal?: Signal) =>
      call('get', 'transcriptions', { query: page(cursor), schema: TranscriptionPage, signal }),
    createTranscription: (create: TranscriptionCreate, signal?: Signal) =>
      call('post', 'transcriptions', { json: create, schema: Transcription, signal }),
    keepLiveSession: (session: LiveSessionToKeep, signal?: Signal) =>
      call('post', 'transcriptions/live', { json: session, schema: Transcription, signal }),
    transcription: (id: string, signal?: Signal) =>
      call('get', `transcriptions/${segment(id)}`, { schema: Transcription, signal }),
    deleteTranscription: (id: string, signal?: Signal) =>
      call('delete', `transcriptions/${segment(id)}`, { schema: Nothing, signal }),
    cancelTranscription: (id: string, signal?: Signal) =>
      call('post', `transcriptions/${segment(id)}/cancel`, { schema: Transcription, signal }),
    transcript: (id: string, signal?: Signal) =>
      call('get', `transcriptions/${segment(id)}/transcript`, { schema: Transcript, signal }),
    /** A key that opens one live stream; it must go nowhere but into the stream's first frame (LIV-14). */
    async temporaryKey(signal?: Signal): Promise<string> {
      const json: TemporaryKeyRequest = {
        usage_type: 'transcribe_websocket',
        expires_in_seconds: KEY_LIFE_SECONDS,
        single_use: true,
      };
      return (await call('post', 'auth/temporary-api-key', { json, schema: TemporaryKey, signal })).api_key;
    },
  };
}

const segment = encodeURIComponent;
