/** Upstreams for the tests: a server of ours, or one that says what a test tells it to. */
import type { ApiError } from '#contract/errors.ts';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { LIVE_PATH } from '#contract/live.ts';
import { systemClock, type Clock } from '#server/platform/clock.ts';
import { createAudioDecoder } from '#server/engine/decode/audio.ts';
import type { SttEngine } from '#server/engine/port.ts';
import { UpstreamEngine, type UpstreamOptions } from '#server/engine/upstream/engine.ts';
import { startSpeechApi } from '#server/speech-api/start.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../../harness.ts';

/** Fifty times as fast as the real one. */
const hurriedClock: Clock = { now: () => systemClock.now(), after: (ms, run) => systemClock.after(ms / 50, run) };

/** A server of ours on an engine, with the real decoder. */
export async function startProvider(
  engine: SttEngine,
  server: Omit<TestServerOptions, 'prepare'> = {},
): Promise<TestServer> {
  return startTestServer({
    ...server,
    prepare: (services) =>
      startSpeechApi(
        services,
        { engine, decoder: createAudioDecoder() },
        { jobs: { pollMs: 200, backoffMs: () => 0 } },
      ),
  });
}

/** The engine that uses a server of ours. */
export const upstreamOf = (url: string, key: string, options: Partial<UpstreamOptions> = {}): UpstreamEngine =>
  new UpstreamEngine({
    url,
    key,
    streamingUrl: url.replace('http', 'ws') + LIVE_PATH,
    clock: hurriedClock,
    ...options,
  });

const MODEL = {
  aliased_model_id: null,
  context_version: 2,
  languages: [
    { code: 'en', name: 'English' },
    { code: 'de', name: 'German' },
  ],
  one_way_translation: 'all_languages',
  two_way_translation: null,
  translation_targets: [],
  two_way_translation_pairs: [],
  supports_language_hints_strict: true,
  supports_max_endpoint_delay: true,
  supports_audio_event_detection: true,
};
export const MODELS = {
  models: [
    { ...MODEL, id: 'live-old', name: 'Old', transcription_mode: 'real_time', aliased_model_id: 'live-1' },
    { ...MODEL, id: 'live-1', name: 'Live', transcription_mode: 'real_time' },
    { ...MODEL, id: 'live-2', name: 'Live', transcription_mode: 'real_time' },
    { ...MODEL, id: 'file-1', name: 'File', transcription_mode: 'async', languages: [{ code: 'en', name: 'English' }] },
  ],
};

export const json = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
export const refuse = (
  response: ServerResponse,
  status: number,
  message: string,
  about: Partial<ApiError> = {},
): void =>
  json(response, status, {
    ...{ status_code: status, error_type: 'x', message, validation_errors: [], request_id: 'r' },
    ...about,
  });

type Route = (response: ServerResponse, request: IncomingMessage) => void;

export interface ScriptedUpstream {
  url: string;
  /** `METHOD /path` of every request, in order. */
  calls: string[];
  /** Every live socket that was opened, and what came in on it: text as it is, audio as its byte count. */
  sockets: { socket: WebSocket; heard: (string | number)[]; authorization: string | undefined }[];
  close(): Promise<void>;
}

/** Answers by `METHOD /path`; models are told unless the script says otherwise. */
export async function startScripted(routes: Record<string, Route> = {}, port = 0): Promise<ScriptedUpstream> {
  const calls: string[] = [];
  const sockets: ScriptedUpstream['sockets'] = [];
  const all: Record<string, Route> = { 'GET /v1/models': (response) => json(response, 200, MODELS), ...routes };
  const server = createServer((request, response) => {
    const name = `${request.method} ${request.url}`;
    calls.push(name);
    const route = all[name];
    if (route) route(response, request);
    else refuse(response, 404, 'nothing here');
  });
  const live = new WebSocketServer({ server, path: LIVE_PATH });
  live.on('connection', (socket, request) => {
    const heard: (string | number)[] = [];
    sockets.push({ socket, heard, authorization: request.headers.authorization });
    socket.on('message', (data: Buffer, isBinary) => heard.push(isBinary ? data.length : data.toString('utf8')));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    sockets,
    async close() {
      for (const client of live.clients) client.terminate();
      live.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
