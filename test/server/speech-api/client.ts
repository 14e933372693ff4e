/** What somebody does with the speech API, in few words. Good answers are checked against their schemas. */
import * as v from 'valibot';
import { expect } from 'vitest';
import { ApiError } from '#contract/errors.ts';
import { StoredFile } from '#contract/files.ts';
import { Transcript, Transcription } from '#contract/transcriptions.ts';
import { eventually } from '../eventually.ts';
import type { TestServer, TestUser } from '../harness.ts';
import { bearer } from './harness.ts';

export const MODEL = 'stt-async-v5';
export const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @param caller who calls where, asked anew for each call */
export function speechClient(caller: () => { url: string; authorization: string }) {
  /** A text is sent as it is. */
  const call = (method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<Response> => {
    const { url, authorization } = caller();
    const headers = { authorization, ...(body !== undefined && { 'content-type': 'application/json' }), ...more };
    const content = typeof body === 'string' ? body : JSON.stringify(body);
    return fetch(`${url}/v1${path}`, { method, headers, ...(body !== undefined && { body: content }) });
  };
  const read = async <S extends v.GenericSchema>(schema: S, path: string): Promise<v.InferOutput<S>> => {
    const response = await call('GET', path);
    expect(response.status).toBe(200);
    return v.parse(schema, await response.json());
  };
  const statusOf = async (method: string, path: string): Promise<number> => (await call(method, path)).status;
  const upload = (fields: Record<string, string> = {}, name = 'talk.wav', field = 'file'): Promise<Response> => {
    const { url, authorization } = caller();
    const body = new FormData();
    body.append(field, new Blob(['RIFF']), name);
    for (const [key, value] of Object.entries(fields)) body.append(key, value);
    return fetch(`${url}/v1/files`, { method: 'POST', headers: { authorization }, body });
  };
  const stored = async (): Promise<StoredFile> => v.parse(StoredFile, await (await upload()).json());
  /** Asks for a transcription, of a new file unless another source is given. */
  const post = async (extra: object = {}): Promise<Response> => {
    const source = 'file_id' in extra ? {} : { file_id: (await stored()).id };
    return call('POST', '/transcriptions', { model: MODEL, ...source, ...extra });
  };
  const create = async (extra: object = {}): Promise<Transcription> => {
    const response = await post(extra);
    expect(response.status).toBe(201);
    return v.parse(Transcription, await response.json());
  };
  const get = (id: string): Promise<Transcription> => read(Transcription, `/transcriptions/${id}`);
  const reaches = (id: string, status: string): Promise<Transcription> =>
    eventually(async () => {
      const transcription = await get(id);
      expect(transcription.status).toBe(status);
      return transcription;
    });
  const transcript = (id: string): Promise<Transcript> => read(Transcript, `/transcriptions/${id}/transcript`);
  /** Asks for a temporary key. */
  const mint = (extra: object = {}): Promise<Response> =>
    call('POST', '/auth/temporary-api-key', { usage_type: 'transcribe_websocket', expires_in_seconds: 60, ...extra });
  return { call, read, mint, statusOf, upload, stored, post, create, get, reaches, transcript };
}

/** The same as the console does it for a user. */
export const consoleClient = (who: () => { server: TestServer; user: TestUser }) =>
  speechClient(() => ({ url: who().server.url, ...bearer(who().user) }));

/** Status, kind and message of a refusal that has every key there must be; its body and its headers say the same. */
export const refusal = async (response: Response): Promise<[number, string, string]> => {
  const body = v.parse(v.required(v.omit(ApiError, ['limit'])), await response.json());
  expect(body.status_code).toBe(response.status);
  expect(body.request_id).toBe(response.headers.get('x-request-id'));
  expect(body.more_info).toBe(`${new URL(response.url).origin}/api/docs#${body.error_type.replaceAll('_', '-')}`);
  return [body.status_code, body.error_type, body.message];
};

/** The places that a refusal names, and what it says of each. */
export const faultsOf = async (response: Response): Promise<string[]> =>
  v.parse(ApiError, await response.json()).validation_errors.map(({ location, message }) => `${location}: ${message}`);
