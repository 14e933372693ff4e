import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN_API } from '#contract/api/main.ts';
import { LIVE_SOCKET } from '#contract/api/live.ts';
import { SPEECH_API } from '#contract/api/speech.ts';
import { createApp } from '#server/app/app.ts';
import { startSpeechServer, type SpeechServer } from '../../speech-api/harness.ts';

let server: SpeechServer;
beforeAll(async () => {
  server = await startSpeechServer();
});
afterAll(() => server.close());

const withoutSlash = (path: string): string => path.replace(/\/$/, '');

describe('the tables of the APIs and the routes of the server', () => {
  it('are the same calls, with the same names of parameters', () => {
    // Middleware stands under every method; the same route appears once per handler.
    const calls = createApp(server.services, { parts: [server.speech] }).routes.filter(
      ({ method, path }) => method !== 'ALL' && /^\/(api\/v\d+|v\d+)\//.test(path),
    );
    const served = new Set(
      calls.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(\{[^/]*\})?/g, '{$1}')}`),
    );
    const described = [...MAIN_API, ...SPEECH_API].map(
      ({ method, path }) => `${method.toUpperCase()} ${withoutSlash(path)}`,
    );
    // A call that is served belongs into contract/api/{main,speech}.ts, and one that is not does not.
    expect(new Set(described)).toEqual(served);
    expect(described).toHaveLength(served.size);
  });

  it('are the same sockets', () => {
    expect([...server.services.upgrades.keys()]).toEqual([LIVE_SOCKET.path]);
  });

  it('write main API paths with a slash at the end, and speech API paths without', () => {
    expect(MAIN_API.filter(({ path }) => !/^\/api\/v2\/.*\/$/.test(path))).toEqual([]);
    expect(SPEECH_API.filter(({ path }) => !/^\/v1\/.*[^/]$/.test(path))).toEqual([]);
  });
});
