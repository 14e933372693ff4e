import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { EngineError } from '#server/engine/port.ts';
import type { FakeStream } from '../../fake-engine.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { createFakeClock } from '../../fake-clock.ts';
import { liveKey, startSpeechServer, type LiveClient, type SpeechServer } from '../harness.ts';
import { begin, failure } from './live-client.ts';

/** One server for the tests of a file, on a scripted engine and a clock that stands still. After each test nothing of it may be left. */
export const contractFixture = () => {
  let server: SpeechServer;
  let user: TestUser;
  let key: string;
  let trouble: Error | null = null;
  const timers = createFakeClock();

  beforeAll(async () => {
    server = await startSpeechServer({
      timers,
      engine: {
        ready: () => (trouble && !(trouble instanceof EngineError) ? Promise.reject(trouble) : Promise.resolve()),
        onOpen: () => {
          if (trouble) throw trouble;
        },
        info: { maxStreams: 10_000, translations: [{ from: 'en', to: 'es' }] },
      },
      limitDefaults: { concurrent_streams: 4, requests_per_minute: 10_000 },
      liveLimits: { maxDurationMs: 120_000, totalBytes: 4 << 20 },
    });
    user = await server.createUser();
    key = await liveKey(server, user, { expires_in_seconds: 3600 });
  });
  afterAll(() => server.close());
  afterEach(async () => {
    trouble = null;
    vi.unstubAllEnvs();
    await eventually(() => expect(server.speech.liveSessions()).toBe(0));
  });

  const sessions = () => server.services.db.selectFrom('live_sessions').select('status').execute();
  const start = (config: object | string = {}): Promise<LiveClient> =>
    begin(server, typeof config === 'string' ? config : { api_key: key, ...config });
  return {
    timers,
    get server() {
      return server;
    },
    get user() {
      return user;
    },
    get key() {
      return key;
    },
    /** What the engine does next instead of opening a stream. */
    set trouble(error: Error | null) {
      trouble = error;
    },
    /** Connects and sends a start request with a good key. */
    start,
    /** A session whose stream is open. */
    async talk(config: object = {}): Promise<{ client: LiveClient; stream: FakeStream }> {
      const before = server.engine.streams.length;
      const admitted = (await sessions()).length;
      const client = await start(config);
      // The stream is open a moment before the session is written down, and runs.
      await eventually(async () =>
        expect({
          streams: server.engine.streams.length,
          admitted: (await sessions()).length,
          answers: client.frames,
        }).toEqual({ streams: before + 1, admitted: admitted + 1, answers: [] }),
      );
      await new Promise(setImmediate);
      return { client, stream: server.engine.streams[before]! };
    },
    /** Lets the engine answer the end, and sees the orderly close. */
    async conclude(client: LiveClient, stream: FakeStream): Promise<void> {
      client.socket.send('');
      await eventually(() => expect(stream.calls.at(-1)).toBe('end'));
      stream.say([], true);
      expect(await client.closed).toBe(1000);
      expect(client.frames.at(-1)).toMatchObject({ tokens: [], finished: true });
    },
    /** The start request is refused with exactly these words. */
    async refused(config: object | string, message: string, type = 'invalid_request'): Promise<void> {
      const before = server.engine.streams.length;
      const client = await start(config);
      expect(await failure(client)).toEqual({
        tokens: [],
        error_code: 400,
        error_type: type,
        error_message: message,
        request_id: expect.any(String),
        more_info: expect.stringMatching(/^https?:\/\/\S+#[a-z-]+$/),
      });
      expect(client.frames).toHaveLength(1);
      expect(server.engine.streams).toHaveLength(before);
    },
    /** Sessions that the database counts. */
    running: async (): Promise<number> => (await sessions()).filter(({ status }) => status === 'running').length,
  };
};
