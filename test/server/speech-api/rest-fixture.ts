/** A server with the speech API, and a program that calls it with its project's key. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { TranscriptToken } from '#contract/transcriptions.ts';
import type { EngineError, TranscribeOptions } from '#server/engine/port.ts';
import { SPOKEN } from '../fake-engine.ts';
import type { TestUser } from '../harness.ts';
import { speechClient } from './client.ts';
import { projectKey, startSpeechServer, type SpeechServer } from './harness.ts';

/** For the whole test file; each test has a user, a project and a key of its own. */
export function restFixture() {
  let server: SpeechServer;
  let user: TestUser;
  let key: string;
  const rest = {
    get server() {
      return server;
    },
    get user() {
      return user;
    },
    /** What engine and decoder do in the test at hand. */
    transcribe: (_options: TranscribeOptions): Promise<TranscriptToken[]> => Promise.resolve(SPOKEN),
    decoding: (): EngineError | null => null,
  };
  const { transcribe, decoding } = rest;
  beforeAll(async () => {
    const translations = [
      { from: 'en', to: 'de' },
      { from: 'de', to: 'en' },
      { from: 'en', to: 'fr' },
    ];
    server = await startSpeechServer({
      server: { env: { FETCH_AUDIO_URLS: 'on' } },
      engine: {
        info: { languages: ['de', 'en'], translations },
        transcribe: (_seconds, options) => rest.transcribe(options),
      },
      decoding: () => rest.decoding(),
    });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    Object.assign(rest, { transcribe, decoding });
    user = await server.createUser();
    ({ key } = await projectKey(server, user));
  });
  return { rest, ...speechClient(() => ({ url: server.url, authorization: `Bearer ${key}` })) };
}
