import * as v from 'valibot';
import WebSocket from 'ws';
import { PAGE_HEADER } from '#contract/session.ts';
import { ApiKeyCreated } from '#contract/api-keys.ts';
import type { ApiError } from '#contract/errors.ts';
import type { StoredFile } from '#contract/files.ts';
import type { LimitName } from '#contract/limits.ts';
import { LIVE_PATH } from '#contract/live.ts';
import { startSpeechApi, type SpeechApi, type SpeechStart } from '#server/speech-api/start.ts';
import { createFakeDecoder, createFakeEngine, type FakeEngine, type FakeEngineScript } from '../fake-engine.ts';
import { startTestServer, type TestServer, type TestServerOptions, type TestUser } from '../harness.ts';

export interface SpeechServerOptions extends SpeechStart {
  engine?: FakeEngineScript;
  decoding?: Parameters<typeof createFakeDecoder>[0];
  /** What every recording declares, seconds. */
  length?: () => number | undefined;
  /** What every recording holds, whole seconds. */
  sound?: () => number;
  server?: Omit<TestServerOptions, 'prepare'>;
}

export interface SpeechServer extends TestServer {
  engine: FakeEngine;
  speech: SpeechApi;
}

/** A server with the speech API on a scripted engine. Jobs are picked up at once and tried again without delay. */
export async function startSpeechServer(options: SpeechServerOptions = {}): Promise<SpeechServer> {
  const engine = createFakeEngine(options.engine);
  let speech: SpeechServer['speech'] | undefined;
  const server = await startTestServer({
    ...options.server,
    async prepare(services) {
      speech = await startSpeechApi(
        services,
        { engine, decoder: createFakeDecoder(options.decoding, options.length, options.sound) },
        { ...options, jobs: { pollMs: 200, backoffMs: () => 0, ...options.jobs } },
      );
      return speech;
    },
  });
  if (!speech) throw new Error('The speech API did not start.');
  return { ...server, engine, speech };
}

/** The console's credential of a user for a project. */
export const bearer = (user: TestUser, projectId = user.projectId): { authorization: string } => ({
  authorization: `Bearer ${JSON.stringify({ type: 'jwt', project_id: projectId, token: user.access })}`,
});

/** A call of the speech API. */
export const call = (
  server: TestServer,
  user: TestUser,
  method: string,
  path: string,
  body?: unknown,
): Promise<Response> =>
  fetch(`${server.url}/v1${path}`, {
    method,
    headers: {
      ...bearer(user),
      ...(user.page !== undefined && { [PAGE_HEADER]: user.page }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

export const upload = (
  server: TestServer,
  user: TestUser,
  content: string | Uint8Array<ArrayBuffer> = 'RIFF',
  name = 'talk.wav',
  fields: Record<string, string> = {},
): Promise<Response> => {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.append(key, value);
  form.append('file', new Blob([content]), name);
  return fetch(`${server.url}/v1/files`, { method: 'POST', headers: bearer(user), body: form });
};

export const uploaded = async (server: TestServer, user: TestUser, name?: string): Promise<StoredFile> =>
  (await upload(server, user, 'RIFF', name)).json();

export const refusalOf = async (response: Response): Promise<ApiError> => response.json();

/** A live client that keeps all it is told. */
export interface LiveClient {
  socket: WebSocket;
  frames: Record<string, unknown>[];
  /** Resolves with the close code. */
  closed: Promise<number>;
  opened: Promise<void>;
}

export function connectLive(
  server: TestServer,
  options: { protocols?: string[]; headers?: Record<string, string> } = {},
): LiveClient {
  const socket = new WebSocket(server.url.replace('http', 'ws') + LIVE_PATH, options.protocols ?? [], {
    headers: options.headers ?? {},
  });
  const frames: Record<string, unknown>[] = [];
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString('utf8'))));
  return {
    socket,
    frames,
    opened: new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject)),
    closed: new Promise((resolve) => socket.once('close', resolve)),
  };
}

/** A temporary key of a user's project. */
export const liveKey = async (server: TestServer, user: TestUser, extra: object = {}): Promise<string> =>
  (
    await (
      await call(server, user, 'POST', '/auth/temporary-api-key', {
        usage_type: 'transcribe_websocket',
        expires_in_seconds: 60,
        ...extra,
      })
    ).json()
  ).api_key;

export interface ProjectKey {
  id: string;
  key: string;
}

/** A key of a user's project. */
export const projectKey = async (server: TestServer, user: TestUser, extra: object = {}): Promise<ProjectKey> => {
  const made = await server.call(user, 'POST', `/api/v2/projects/${user.projectId}/api-keys/`, {
    name: 'CI',
    ...extra,
  });
  const { key, api_key } = v.parse(ApiKeyCreated, await made.json());
  return { id: api_key.uuid, key };
};

/** Sets a limit of a user's organization, or of their project. */
export const setLimit = async (
  { services: { db } }: TestServer,
  { organizationId: organization_id, projectId: project_id }: TestUser,
  of: 'organization' | 'project',
  name: LimitName,
  own: number,
): Promise<void> => {
  if (of === 'project') await db.insertInto('project_limits').values({ project_id, name, own }).execute();
  else await db.insertInto('organization_limits').values({ organization_id, name, own }).execute();
};
