import { sql } from 'kysely';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { LiveResult } from '#contract/live.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { call, connectLive, liveKey, startSpeechServer, type LiveClient, type SpeechServer } from '../harness.ts';
import { createFakeClock, type FakeClock } from '../../fake-clock.ts';
import { begin as connectTo, CONFIG, failure, finish } from './live-client.ts';

let server: SpeechServer;
let user: TestUser;
let timers: FakeClock;
beforeAll(async () => {
  timers = createFakeClock();
  server = await startSpeechServer({ engine: { auto: true }, timers, limitDefaults: { concurrent_streams: 2 } });
  user = await server.createUser();
});
afterAll(() => server.close());

const sessions = () =>
  server.services.db.selectFrom('live_sessions').selectAll().orderBy('started_at', 'desc').execute();

const begin = (config: object, options?: Parameters<typeof connectLive>[1]): Promise<LiveClient> =>
  connectTo(server, config, options);

describe('live socket', () => {
  it('LIV-15: api_key in the first frame, audio at once, finalize, empty text, finished, 1000', async () => {
    const client = await begin({
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
      expect((await sessions())[0]).toMatchObject({
        project_id: user.projectId,
        model: 'parlance-rt-1',
        status: 'completed',
        client_reference_id: null,
        audio_ms: 100,
        ended_at: expect.any(Date),
        error_code: null,
      }),
    );
  });

  it('the key on the upgrade: Authorization, or a subprotocol that is echoed without the key', async () => {
    const header = await begin({}, { headers: { authorization: `Bearer ${await liveKey(server, user)}` } });
    await finish(header);
    const key = await liveKey(server, user);
    const subprotocol = await begin({}, { protocols: ['soniox-api-key', key] });
    expect(subprotocol.socket.protocol).toBe('soniox-api-key');
    await finish(subprotocol);
    const same = await begin({ api_key: key }, { protocols: ['soniox-api-key', key] });
    await finish(same);
  });

  it('LIM-14: a client may start again as soon as it hears of its end, however long that takes to be written', async () => {
    const { db } = server.services;
    await sql`create function linger() returns trigger language plpgsql as $$
      begin perform pg_sleep(0.3); return new; end $$`.execute(db);
    await sql`create trigger linger before update on live_sessions for each row
      when (old.status = 'running' and new.status <> 'running') execute function linger()`.execute(db);
    try {
      const key = await liveKey(server, user);
      for (let stream = 0; stream < 4; stream++) await finish(await begin({ api_key: key }));
    } finally {
      await sql`drop function linger cascade`.execute(db);
    }
  });

  it('LIV-04: stop before any audio finishes as well', async () => {
    const client = await begin({ api_key: await liveKey(server, user) });
    await finish(client);
    expect(client.frames).toHaveLength(2);
  });

  it('the console’s placeholder, bad, missing and doubled keys: the handshake opens, a frame refuses', async () => {
    const key = await liveKey(server, user);
    const wrong = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`;
    const cases: [object, Parameters<typeof connectLive>[1], number, string][] = [
      [{ api_key: 'demo' }, {}, 401, 'Invalid API key.'],
      [{ api_key: wrong }, {}, 401, 'Invalid/expired temporary API key.'],
      [{}, {}, 401, 'Missing API key.'],
      [{ api_key: '' }, {}, 401, 'Missing API key.'],
      [{}, { headers: { authorization: 'Bearer nope' } }, 401, 'Invalid API key.'],
      [{}, { protocols: ['soniox-api-key', wrong] }, 401, 'Invalid/expired temporary API key.'],
      [
        {},
        { protocols: ['soniox-api-key', key], headers: { authorization: `Bearer ${wrong}` } },
        400,
        'The API key must be given in one way only.',
      ],
      [
        { api_key: wrong },
        { headers: { authorization: `Bearer ${key}` } },
        400,
        'The API key must be given in one way only.',
      ],
    ];
    for (const [config, options, code, message] of cases)
      expect(await failure(await begin(config, options))).toMatchObject({
        error_code: code,
        error_type: code === 401 ? 'unauthenticated' : 'invalid_request',
        error_message: message,
      });
  });

  it('expiry limits opening a stream, not a running one', async () => {
    const key = await liveKey(server, user, { expires_in_seconds: 1 });
    const client = await begin({ api_key: key });
    client.socket.send(Buffer.alloc(320));
    await eventually(() => expect(client.frames).toHaveLength(1));
    server.advance(2000);
    client.socket.send(Buffer.alloc(320));
    await eventually(() => expect(client.frames).toHaveLength(2));
    await finish(client);
    expect(await failure(await begin({ api_key: key }))).toMatchObject({
      error_code: 401,
      error_message: 'Invalid/expired temporary API key.',
    });
    server.advance(-2000);
  });

  it('a single-use key opens one stream; a refused start request does not use it up', async () => {
    const key = await liveKey(server, user, { single_use: true, client_reference_id: 'of the key' });
    expect(await failure(await begin({ api_key: key, audio_format: 'avi' }))).toMatchObject({ error_code: 400 });
    const client = await begin({ api_key: key, client_reference_id: 'of the request' });
    client.socket.send(Buffer.alloc(320));
    await eventually(() => expect(client.frames).toHaveLength(1));
    expect(await failure(await begin({ api_key: key }))).toMatchObject({
      error_code: 401,
      error_message: 'Invalid/expired temporary API key.',
    });
    await finish(client);
    expect(await sessions()).toEqual(
      expect.arrayContaining([expect.objectContaining({ client_reference_id: 'of the key' })]),
    );
  });

  it('a key’s own bound on the session → 403', async () => {
    const client = await begin({ api_key: await liveKey(server, user, { max_session_duration_seconds: 5 }) });
    client.socket.send(Buffer.alloc(320));
    await eventually(() => expect(client.frames).toHaveLength(1));
    timers.advance(5000);
    expect(await failure(client)).toMatchObject({ error_code: 403, error_type: 'temp_api_key_session_expired' });
  });

  it('ERR-05: one stream too many → 429; a place is free again when one ends', async () => {
    const owner = await server.createUser();
    const key = await liveKey(server, owner);
    const running: LiveClient[] = [];
    for (let n = 0; n < 2; n += 1) {
      const client = await begin({ api_key: key });
      client.socket.send(Buffer.alloc(320));
      await eventually(() => expect(client.frames).toHaveLength(1));
      running.push(client);
    }
    expect(await failure(await begin({ api_key: key }))).toMatchObject({
      error_code: 429,
      error_type: 'limit_exceeded',
      error_message: 'Your organization has exceeded max number of concurrent requests.',
    });
    running[0]?.socket.terminate();
    await eventually(async () =>
      expect(
        (await sessions()).filter(({ project_id, status }) => project_id === owner.projectId && status === 'aborted'),
      ).toHaveLength(1),
    );
    await finish(await begin({ api_key: key }));
    for (const client of running.slice(1)) await finish(client);
  });

  it('start request and idle time-outs → 408', async () => {
    const silent = connectLive(server);
    await silent.opened;
    const idle = await begin({ api_key: await liveKey(server, user) });
    idle.socket.send(Buffer.alloc(320));
    await eventually(() => expect(idle.frames).toHaveLength(1));
    timers.advance(10_000);
    expect(await failure(silent)).toMatchObject({ error_code: 408, error_message: 'Start request timeout' });
    timers.advance(10_000);
    expect(await failure(idle)).toMatchObject({
      error_code: 408,
      error_type: 'request_timeout',
      error_message: 'Request timeout.',
    });
    await eventually(async () =>
      expect((await sessions())[0]).toMatchObject({
        status: 'failed',
        audio_ms: 10,
        error_code: 408,
        error_type: 'request_timeout',
      }),
    );
  });

  it('a frame that is too long closes the socket and harms nobody else', async () => {
    const client = await begin({ api_key: await liveKey(server, user) });
    client.socket.send(Buffer.alloc((1 << 20) + 1));
    expect(await client.closed).toBe(1009);
    await finish(await begin({ api_key: await liveKey(server, user) }));
  });

  it('the audio arrives whole and in order while the engine is behind', async () => {
    const before = server.engine.streams.length;
    const client = await begin({ api_key: await liveKey(server, user) });
    client.socket.send(Buffer.alloc(2, 255));
    // Taken: filled before it, the stream would take this one and no other.
    await eventually(() => expect(server.engine.streams[before]?.audio).toHaveLength(1));
    const stream = server.engine.streams[before]!;
    stream.fill();
    const pieces: Buffer[] = [];
    const sendMore = () => {
      for (let n = 0; n < 50; n += 1) {
        const piece = Buffer.alloc(20_000, pieces.length);
        pieces.push(piece);
        client.socket.send(piece);
      }
    };
    sendMore();
    await eventually(() => expect(stream.audio.length).toBeGreaterThan(1));
    const taken = stream.audio.length;
    // What is not taken stays with the client: once the system's own buffers are full, its socket cannot get rid of it.
    await eventually(() => {
      sendMore();
      expect(client.socket.bufferedAmount).toBeGreaterThan(0);
    });
    expect(stream.audio).toHaveLength(taken);
    stream.drain();
    await finish(client);
    expect(Buffer.concat(stream.audio.slice(1)).equals(Buffer.concat(pieces))).toBe(true);
  });

  it('a client that does not read is given up, and told so when it reads again', async () => {
    const before = server.engine.streams.length;
    const client = await begin({ api_key: await liveKey(server, user) });
    client.socket.send(Buffer.alloc(320));
    await eventually(() => expect(client.frames).toHaveLength(1));
    const stream = server.engine.streams[before]!;
    client.socket.pause();
    // More than the system's own buffers take.
    for (let n = 0; n < 200; n += 1) stream.say([{ text: 'x'.repeat(100_000), is_final: true }]);
    timers.advance(30_000);
    expect(stream.calls.at(-1)).toBe('abort');
    client.socket.resume();
    expect(await failure(client)).toMatchObject({
      error_code: 408,
      error_message: 'Results are not read fast enough.',
    });
    expect(client.frames).toHaveLength(202);
  });

  it('knows no other path, and refuses plain requests there', async () => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/other`);
    await new Promise<void>((resolve) => socket.once('error', () => resolve()));
    expect((await fetch(`${server.url}/transcribe-websocket`)).status).toBe(404);
  });

  it('ERR-05: a stopping server tells running sessions to start again elsewhere', async () => {
    const stopping = await startSpeechServer({ engine: { auto: true } });
    const owner = await stopping.createUser();
    const key = (
      await (
        await call(stopping, owner, 'POST', '/auth/temporary-api-key', {
          usage_type: 'transcribe_websocket',
          expires_in_seconds: 60,
        })
      ).json()
    ).api_key;
    const client = connectLive(stopping);
    await client.opened;
    client.socket.send(JSON.stringify({ ...CONFIG, api_key: key }));
    client.socket.send(Buffer.alloc(320));
    await eventually(() => expect(client.frames).toHaveLength(1));
    const closed = stopping.close();
    expect(await failure(client)).toMatchObject({
      error_code: 503,
      error_type: 'service_unavailable',
      error_message: 'Cannot continue request (code 1). Please restart the request.',
    });
    await closed;
    expect(stopping.engine.streams[0]?.calls.at(-1)).toBe('abort');
  });
});
