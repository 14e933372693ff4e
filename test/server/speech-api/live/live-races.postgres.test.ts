/** What must hold when much comes at once: audio before the engine is ready, many starts for few places. Over real sockets. */
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LIVE_LIMITS } from '#server/speech-api/live/limits.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { connectLive, liveKey, startSpeechServer, type LiveClient, type SpeechServer } from '../harness.ts';
import { begin, CONFIG, failure } from './live-client.ts';
import { deferred } from './live-harness.ts';

let server: SpeechServer;
let user: TestUser;
/** What the engine waits for before it is ready. */
let loaded = Promise.resolve();
beforeAll(async () => {
  server = await startSpeechServer({ engine: { ready: () => loaded }, limitDefaults: { concurrent_streams: 2 } });
  user = await server.createUser();
});
afterAll(() => server.close());
afterEach(async () => {
  await eventually(async () => {
    expect(server.speech.liveSessions()).toBe(0);
    expect(await running()).toEqual([]);
  });
});

const running = () =>
  server.services.db
    .selectFrom('live_sessions')
    .select('client_reference_id')
    .where('status', '=', 'running')
    .execute();

/** So many sockets that send the same start request in one go. */
const startTogether = async (count: number, config: object): Promise<LiveClient[]> => {
  const clients = Array.from({ length: count }, () => connectLive(server));
  await Promise.all(clients.map(({ opened }) => opened));
  for (const { socket } of clients) socket.send(JSON.stringify({ ...CONFIG, ...config }));
  return clients;
};
/** Waits until so many are refused. @returns those that are not */
const admitted = async (clients: readonly LiveClient[], refused: number): Promise<LiveClient[]> => {
  const isRefused = ({ frames }: LiveClient): boolean => frames.length > 0;
  await eventually(() => expect(clients.filter(isRefused)).toHaveLength(refused));
  return clients.filter((client) => !isRefused(client));
};
/** The words of every refusal. */
const refusals = (clients: readonly LiveClient[]): Promise<string[]> =>
  Promise.all(
    clients.map(async (client) => {
      const { error_code, error_type, error_message } = await failure(client);
      expect(client.frames).toHaveLength(1);
      return `${error_code} ${error_type}: ${error_message}`;
    }),
  );

it('the limits are those of the public API', () => {
  expect(LIVE_LIMITS).toMatchObject({
    maxDurationMs: 18_000_000,
    idleTimeoutMs: 20_000,
  });
});

it('what is sent before the engine is ready waits for it, whole and in order', async () => {
  const loading = deferred();
  loaded = loading.promise;
  const client = await begin(server, { api_key: await liveKey(server, user) });
  const chunks = Array.from({ length: 100 }, (_, n) => Buffer.alloc(2 * (n + 1), n));
  for (const chunk of chunks.slice(0, 50)) client.socket.send(chunk);
  client.socket.send('{"type":"finalize"}');
  for (const chunk of chunks.slice(50)) client.socket.send(chunk);
  // Answered in turn: with the answer, the server has read all that came before.
  client.socket.ping();
  await once(client.socket, 'pong');
  await eventually(async () => expect(await running()).toHaveLength(1));
  const before = server.engine.streams.length;
  expect(client.frames).toEqual([]);
  loading.resolve();
  const stream = await eventually(() => {
    expect(server.engine.streams).toHaveLength(before + 1);
    return server.engine.streams[before]!;
  });
  client.socket.send('');
  await eventually(() => expect(stream.calls.at(-1)).toBe('end'));
  const bytes = chunks.map(({ length }) => length);
  expect(stream.calls).toEqual([...bytes.slice(0, 50), 'finalize', ...bytes.slice(50), 'end']);
  expect(Buffer.concat(stream.audio).equals(Buffer.concat(chunks))).toBe(true);
  stream.say([], true);
  expect(await client.closed).toBe(1000);
});

describe('many starts at once', () => {
  it('five with one single-use key: one stream, four times 401', async () => {
    const before = server.engine.streams.length;
    const clients = await startTogether(5, {
      api_key: await liveKey(server, user, { single_use: true, client_reference_id: 'once' }),
    });
    const lucky = await admitted(clients, 4);
    expect(await refusals(clients.filter((client) => !lucky.includes(client)))).toEqual(
      Array(4).fill('401 unauthenticated: Invalid/expired temporary API key.'),
    );
    await eventually(() => expect(server.engine.streams).toHaveLength(before + 1));
    expect(await running()).toEqual([{ client_reference_id: 'once' }]);
    for (const { socket } of lucky) socket.terminate();
  });

  it('six for two places: two streams, four times 429', async () => {
    const owner = await server.createUser();
    const before = server.engine.streams.length;
    const clients = await startTogether(6, { api_key: await liveKey(server, owner) });
    const lucky = await admitted(clients, 4);
    expect(await refusals(clients.filter((client) => !lucky.includes(client)))).toEqual(
      Array(4).fill('429 limit_exceeded: Your organization has exceeded max number of concurrent requests.'),
    );
    await eventually(() => expect(server.engine.streams).toHaveLength(before + 2));
    expect(await running()).toHaveLength(2);
    for (const { socket } of lucky) socket.terminate();
  });
});
