/** The live socket with its keys and places: what is counted and written down of a stream. */
import { once } from 'node:events';
import { sql } from 'kysely';
import * as v from 'valibot';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import WebSocket from 'ws';
import { LiveResult } from '#contract/live.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { connectLive, liveKey, startSpeechServer, type SpeechServer } from '../harness.ts';
import { createFakeClock } from '../../fake-clock.ts';
import { begin, CONFIG, finish, heard, refusal } from './live-client.ts';

const BAD_TEMPORARY_KEY = '401 unauthenticated: Invalid/expired temporary API key.';
const timers = createFakeClock();
let server: SpeechServer;
let user: TestUser;
beforeAll(async () => {
  server = await startSpeechServer({ engine: { auto: true }, timers, limitDefaults: { concurrent_streams: 2 } });
});
afterAll(() => server.close());
beforeEach(async () => {
  user = await server.createUser();
});
afterEach(() => eventually(() => expect(server.speech.liveSessions()).toBe(0)));

const sessions = () =>
  server.services.db
    .selectFrom('live_sessions')
    .selectAll()
    .where('project_id', '=', user.projectId)
    .orderBy('started_at', 'desc')
    .execute();
const running = async () => (await sessions()).filter(({ status }) => status === 'running');

it('LIV-15: api_key in the first frame, audio at once, finalize, empty text, finished, 1000', async () => {
  const client = await begin(server, {
    api_key: await liveKey(server, user),
    client_reference_id: "not the key's",
    language_hints: ['en'],
    enable_endpoint_detection: true,
  });
  client.socket.send(Buffer.alloc(3200));
  client.socket.send('{"type":"finalize"}');
  client.socket.send(Buffer.alloc(0));
  client.socket.send('{ "type": "keepalive" }');
  await eventually(() => expect(client.frames).toHaveLength(2));
  await finish(client);
  const results = client.frames.map((frame) => v.parse(LiveResult, frame));
  expect(results.map(({ tokens }) => tokens.map(({ text, is_final }) => `${text}${is_final ? '!' : '?'}`))).toEqual([
    [' heard?'],
    [' heard!', '<fin>!'],
    [' done.!'],
    [],
  ]);
  for (const frame of client.frames) expect(Object.keys(frame).filter((key) => key.startsWith('error'))).toEqual([]);
  await eventually(async () =>
    expect(await sessions()).toMatchObject([
      {
        model: 'parlance-rt-1',
        status: 'completed',
        client_reference_id: null,
        audio_ms: 100,
        ended_at: expect.any(Date),
        error_code: null,
      },
    ]),
  );
});

it('LIM-14: a client may start again as soon as it hears of its end, however long that takes to be written', async () => {
  const { db } = server.services;
  await sql`create function linger() returns trigger language plpgsql as $$
    begin perform pg_sleep(0.3); return new; end $$`.execute(db);
  await sql`create trigger linger before update on live_sessions for each row
    when (old.status = 'running' and new.status <> 'running') execute function linger()`.execute(db);
  try {
    const api_key = await liveKey(server, user);
    for (let stream = 0; stream < 4; stream++) await finish(await begin(server, { api_key }));
  } finally {
    await sql`drop function linger cascade`.execute(db);
  }
});

it('a key in a subprotocol is not echoed', async () => {
  const client = await begin(server, {}, { protocols: ['soniox-api-key', await liveKey(server, user)] });
  expect(client.socket.protocol).toBe('soniox-api-key');
  await finish(client);
});

it('a missing key, and a temporary one that was changed: the handshake opens, a frame refuses', async () => {
  const key = await liveKey(server, user);
  const wrong = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`;
  expect(await refusal(await begin(server, { api_key: wrong }))).toBe(BAD_TEMPORARY_KEY);
  for (const config of [{}, { api_key: '' }, { api_key: ' \n' }, { api_key: null }])
    expect(await refusal(await begin(server, config))).toBe('401 unauthenticated: Missing API key.');
});

it('expiry limits opening a stream, not a running one', async () => {
  const api_key = await liveKey(server, user, { expires_in_seconds: 1 });
  const client = await heard(server, { api_key });
  server.advance(2000);
  client.socket.send(Buffer.alloc(320));
  await eventually(() => expect(client.frames).toHaveLength(2));
  await finish(client);
  expect(await refusal(await begin(server, { api_key }))).toBe(BAD_TEMPORARY_KEY);
  server.advance(-2000);
});

it('a single-use key opens one stream; a refused start request does not use it up', async () => {
  const api_key = await liveKey(server, user, { single_use: true, client_reference_id: 'of the key' });
  expect(await refusal(await begin(server, { api_key, audio_format: 'avi' }))).toMatch(/^400 /);
  const client = await heard(server, { api_key, client_reference_id: 'of the request' });
  expect(await refusal(await begin(server, { api_key }))).toBe(BAD_TEMPORARY_KEY);
  await finish(client);
  expect(await sessions()).toMatchObject([{ client_reference_id: 'of the key' }]);
});

it('five starts at once with one single-use key: one stream, four times 401', async () => {
  const before = server.engine.streams.length;
  const api_key = await liveKey(server, user, { single_use: true });
  const clients = Array.from({ length: 5 }, () => connectLive(server));
  await Promise.all(clients.map(({ opened }) => opened));
  for (const { socket } of clients) socket.send(JSON.stringify({ ...CONFIG, api_key }));
  const refused = () => clients.filter(({ frames }) => frames.length > 0);
  await eventually(() => expect(refused()).toHaveLength(4));
  expect(await Promise.all(refused().map(refusal))).toEqual(Array(4).fill(BAD_TEMPORARY_KEY));
  await eventually(() => expect(server.engine.streams).toHaveLength(before + 1));
  expect(await running()).toHaveLength(1);
  for (const { socket } of clients) socket.terminate();
});

it('a key’s own bound on the session → 403', async () => {
  const client = await heard(server, { api_key: await liveKey(server, user, { max_session_duration_seconds: 5 }) });
  timers.advance(5000);
  expect(await refusal(client)).toMatch(/^403 temp_api_key_session_expired: /);
});

it('what a stream is refused for is written down', async () => {
  const idle = await heard(server, { api_key: await liveKey(server, user) });
  timers.advance(20_000);
  expect(await refusal(idle)).toBe('408 request_timeout: Request timeout.');
  await eventually(async () =>
    expect(await sessions()).toMatchObject([
      { status: 'failed', audio_ms: 10, error_code: 408, error_type: 'request_timeout' },
    ]),
  );
});

it('knows no other path, and refuses plain requests there', async () => {
  await once(new WebSocket(`${server.url.replace('http', 'ws')}/other`), 'error');
  expect((await fetch(`${server.url}/transcribe-websocket`)).status).toBe(404);
});

it('ERR-05: a stopping server tells running sessions to start again elsewhere', async () => {
  const stopping = await startSpeechServer({ engine: { auto: true } });
  const client = await heard(stopping, { api_key: await liveKey(stopping, await stopping.createUser()) });
  const closed = stopping.close();
  expect(await refusal(client)).toBe(
    '503 service_unavailable cannot_continue: Cannot continue request (code 1). Please restart the request.',
  );
  await closed;
  expect(stopping.engine.streams[0]?.calls.at(-1)).toBe('abort');
});
