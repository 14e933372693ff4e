/** A server with the speech API, and a program that calls it with its project's key. */
import type { ServerResponse } from 'node:http';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { ApiError } from '#contract/errors.ts';
import { StoredFile } from '#contract/files.ts';
import { Transcription, type TranscriptToken } from '#contract/transcriptions.ts';
import { addApiKey } from '#server/tenancy/api-keys/queries.ts';
import type { EngineError, TranscribeOptions } from '#server/engine/port.ts';
import { SPOKEN } from '../fake-engine.ts';
import type { TestUser } from '../harness.ts';
import { eventually } from '../eventually.ts';
import { startSpeechServer, type SpeechServer } from './harness.ts';
import { onLoopback, startOther, type OtherServer } from '../outgoing-servers.ts';

export const MODEL = 'stt-async-v5';
export const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Fixture {
  server: SpeechServer;
  /** A server of somebody else: it has a recording at every address, and takes webhooks. */
  other: OtherServer;
  user: TestUser;
  projectId: string;
  key: string;
  /** Another key of the project. */
  newKey(expiresAt: string): Promise<string>;
  /** What they do in the test at hand. */
  answerHook: (response: ServerResponse) => void;
  transcribe: (options: TranscribeOptions) => Promise<TranscriptToken[]>;
  decoding: () => EngineError | null;
}

/** For the whole test file; each test has a user, a project and a key of its own. */
export function restFixture(): Fixture {
  const parts: Partial<Pick<Fixture, 'server' | 'other' | 'user'>> = {};
  const made = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error('The server is not started yet.');
    return part;
  };
  const addKey = async (expiresAt?: string): Promise<string> => {
    const { services } = rest.server;
    const { userId, email, organizationId } = rest.user;
    const act = { userId, email, requestId: '', at: services.clock() };
    const project = { projectId: rest.projectId, organizationId, name: 'Test project', role: 'owner' } as const;
    return made(
      await addApiKey(services.db, act, project, { name: 'program', ...(expiresAt && { expires_at: expiresAt }) }),
    ).key;
  };
  const rest: Fixture = {
    get server() {
      return made(parts.server);
    },
    get other() {
      return made(parts.other);
    },
    get user() {
      return made(parts.user);
    },
    get projectId() {
      return rest.user.projectId;
    },
    key: '',
    newKey: addKey,
    answerHook: () => {},
    transcribe: () => Promise.resolve(SPOKEN),
    decoding: () => null,
  };
  beforeAll(async () => {
    parts.other = await startOther(({ method }, response) =>
      method === 'POST' ? rest.answerHook(response) : response.writeHead(200).end('RIFF'),
    );
    parts.server = await startSpeechServer({
      server: { env: { FETCH_AUDIO_URLS: 'on' } },
      outgoing: { allow: onLoopback },
      engine: {
        info: {
          languages: ['de', 'en'],
          translations: [
            { from: 'en', to: 'de' },
            { from: 'de', to: 'en' },
            { from: 'en', to: 'fr' },
          ],
        },
        transcribe: (_seconds, options) => rest.transcribe(options),
      },
      decoding: () => rest.decoding(),
    });
  });
  afterAll(async () => {
    await rest.server.close();
    await rest.other.close();
  });
  beforeEach(async () => {
    rest.transcribe = () => Promise.resolve(SPOKEN);
    rest.decoding = () => null;
    rest.answerHook = (response) => response.writeHead(200).end();
    parts.user = await rest.server.createUser();
    rest.key = await addKey();
  });
  return rest;
}

/** What a program does, in few words. */
export function restClient(rest: Fixture) {
  const call = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    fetch(`${rest.server.url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${rest.key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  /** A good answer, checked against its schema. */
  const read = async <S extends v.GenericSchema>(schema: S, path: string): Promise<v.InferOutput<S>> => {
    const response = await call('GET', path);
    expect(response.status).toBe(200);
    return v.parse(schema, await response.json());
  };
  const upload = (fields: Record<string, string> = {}, name = 'talk.wav'): Promise<Response> => {
    const form = new FormData();
    form.append('file', new Blob(['RIFF']), name);
    for (const [field, value] of Object.entries(fields)) form.append(field, value);
    return fetch(`${rest.server.url}/v1/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rest.key}` },
      body: form,
    });
  };
  const stored = async (): Promise<StoredFile> => v.parse(StoredFile, await (await upload()).json());
  const post = async (extra: object = {}): Promise<Response> =>
    call('POST', '/transcriptions', { model: MODEL, file_id: (await stored()).id, ...extra });
  const create = async (extra: object = {}): Promise<Transcription> => {
    const response = await post(extra);
    expect(response.status).toBe(201);
    return v.parse(Transcription, await response.json());
  };
  const reaches = (id: string, status: string): Promise<Transcription> =>
    eventually(async () => {
      const transcription = await read(Transcription, `/transcriptions/${id}`);
      expect(transcription.status).toBe(status);
      return transcription;
    });
  /** Status, kind and message of a refusal that has every key there must be; its body and its headers say the same. */
  const refusal = async (response: Response): Promise<[number, string, string]> => {
    const body = v.parse(v.required(v.omit(ApiError, ['limit'])), await response.json());
    expect(body.status_code).toBe(response.status);
    expect(body.request_id).toBe(response.headers.get('x-request-id'));
    expect(body.more_info).toBe(`${rest.server.url}/api/docs#${body.error_type.replaceAll('_', '-')}`);
    return [body.status_code, body.error_type, body.message];
  };
  /** The places that a refusal names. */
  const locations = async (response: Response): Promise<string[]> =>
    v.parse(ApiError, await response.json()).validation_errors.map(({ location }) => location);
  return { call, read, upload, stored, post, create, reaches, refusal, locations };
}
