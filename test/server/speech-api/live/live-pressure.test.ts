/** Clients that send too much, read too little, or leave without a word. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, describe } from 'vitest';
import { projectRoot } from '#server/platform/paths.ts';
import type { FakeStream } from '../../fake-engine.ts';
import { eventually } from '../../eventually.ts';
import { createFakeClock } from '../../fake-clock.ts';
import { connectLive, liveKey, startSpeechServer, type LiveClient, type SpeechServer } from '../harness.ts';
import { begin, refusal, talk as talkTo } from './live-client.ts';

const timers = createFakeClock();
let server: SpeechServer;
let key: string;
beforeAll(async () => {
  server = await startSpeechServer({ timers, limitDefaults: { requests_per_minute: 10_000 } });
  key = await liveKey(server, await server.createUser(), { expires_in_seconds: 3600 });
});
afterAll(() => server.close());

// Nothing stays of any of them.
afterEach(async () => {
  const running = server.services.db.selectFrom('live_sessions').select('id').where('status', '=', 'running');
  await eventually(async () => {
    expect(server.speech.liveSessions()).toBe(0);
    expect(await running.execute()).toEqual([]);
  });
  for (const stream of server.engine.streams) expect(['abort', 'end']).toContain(stream.calls.at(-1));
});

const talk = (config: object = {}) => talkTo(server, { api_key: key, ...config });
const conclude = async ({ client, stream }: { client: LiveClient; stream: FakeStream }): Promise<void> => {
  client.socket.send('');
  await eventually(() => {
    timers.advance(1000);
    expect(stream.calls.at(-1)).toBe('end');
  });
  stream.say([], true);
  expect(await client.closed).toBe(1000);
};

describe('a client that sends too much', () => {
  it('thousands of tiny frames: so many a second, all of them in order, and nobody else waits', async () => {
    const noisy = await talk({ audio_format: 's8' });
    const bytes = Buffer.from(Array.from({ length: 30_000 }, (_, n) => n % 251));
    for (const byte of bytes) noisy.client.socket.send(Buffer.from([byte]));
    await eventually(() => expect(noisy.stream.audio.length).toBeGreaterThanOrEqual(1999));
    // What the last piece read from the network held is taken as well, the rest stays outside.
    expect(noisy.stream.audio.length).toBeLessThan(30_000);
    const other = await talk();
    other.client.socket.send(Buffer.alloc(320));
    await eventually(() => expect(other.stream.calls).toEqual([320]));
    await conclude(other);
    await conclude(noisy);
    expect(Buffer.from(Buffer.concat(noisy.stream.audio).filter((_, n) => n % 2 === 1)).equals(bytes)).toBe(true);
  });

  it('a message in thousands of fragments is one message; in too many it is the end', async () => {
    const { client, stream } = await talk();
    // No small frame unfolds into a large one.
    expect(client.socket.extensions).toBe('');
    for (let n = 0; n < 4000; n += 1) client.socket.send(Buffer.alloc(2, n), { fin: n === 3999, binary: true });
    await eventually(() => expect(stream.calls).toEqual([8000]));
    for (let n = 0; n < 20_000; n += 1) client.socket.send(Buffer.alloc(1), { fin: false, binary: true });
    expect(await client.closed).toBe(1008);
    await eventually(() => expect(stream.calls).toEqual([8000, 'abort']));
  });

  it('more than the engine takes: it waits at the client, and arrives whole and in order', async () => {
    const { client, stream } = await talk();
    client.socket.send(Buffer.alloc(2, 255));
    // Taken: filled before it, the stream would take this one and no other.
    await eventually(() => expect(stream.audio).toHaveLength(1));
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
    // Once the system's own buffers are full, its socket cannot get rid of it.
    await eventually(() => {
      sendMore();
      expect(client.socket.bufferedAmount).toBeGreaterThan(0);
    });
    expect(stream.audio).toHaveLength(taken);
    stream.drain();
    await conclude({ client, stream });
    expect(Buffer.concat(stream.audio.slice(1)).equals(Buffer.concat(pieces))).toBe(true);
  });
});

it('a client that does not read is given up, and told so when it reads again', async () => {
  const { client, stream } = await talk();
  client.socket.pause();
  // More than the system's own buffers take.
  for (let n = 0; n < 200; n += 1) stream.say([{ text: 'x'.repeat(100_000), is_final: true }]);
  timers.advance(30_000);
  expect(stream.calls.at(-1)).toBe('abort');
  client.socket.resume();
  expect(await refusal(client)).toBe('408 request_timeout: Results are not read fast enough.');
  expect(client.frames).toHaveLength(201);
});

describe('a client that leaves without a word', () => {
  const leave = async (client: LiveClient): Promise<void> => {
    client.socket.terminate();
    await client.closed;
  };

  it('before the start request, in the middle of its frame, and while its key is looked up', async () => {
    const [silent, cut] = [connectLive(server), connectLive(server)];
    await Promise.all([silent.opened, cut.opened]);
    cut.socket.send('{"api_key":', { fin: false });
    for (const client of [silent, cut, await begin(server, { api_key: key })]) await leave(client);
  });

  it.each<[string, (client: LiveClient) => void, FakeStream['calls']]>([
    ['before any audio', () => {}, []],
    ['in the middle of the audio', ({ socket }) => socket.send(Buffer.alloc(3200)), [3200]],
    ['while a finalize is unanswered', ({ socket }) => socket.send('{"type":"finalize"}'), ['finalize']],
    [
      'in the middle of a fragmented frame',
      ({ socket }) => {
        socket.send(Buffer.alloc(320));
        socket.send(Buffer.alloc(320), { fin: false, binary: true });
      },
      [320],
    ],
    ['after the end, before the last result', ({ socket }) => socket.send(''), ['end']],
  ])('%s', async (_name, send, calls) => {
    const { client, stream } = await talk();
    send(client);
    await eventually(() => expect(stream.calls).toEqual(calls));
    await leave(client);
    await eventually(() => expect(stream.calls).toEqual([...calls, 'abort']));
  });

  it.each(['goes on', 'is given up'])('while the engine is behind: it is noticed when that %s', async (end) => {
    const { client, stream } = await talk();
    stream.fill();
    for (let n = 0; n < 50; n += 1) client.socket.send(Buffer.alloc(60_000));
    await eventually(() => expect(stream.calls.length).toBeGreaterThan(0));
    await leave(client);
    if (end === 'goes on') stream.drain();
    else timers.advance(120_000);
    await eventually(() => expect(stream.calls.at(-1)).toBe('abort'));
  });

  it('while a container is decoded', async () => {
    const { client, stream } = await talk({ audio_format: 'auto' });
    client.socket.send((await readFile(join(projectRoot, 'test/audio/short.wav'))).subarray(0, 60_000));
    await eventually(() => expect(stream.audio.length).toBeGreaterThan(0));
    await leave(client);
    await eventually(() => expect(stream.calls.at(-1)).toBe('abort'));
  });

  it('without answering the close frame', async () => {
    const { client } = await talk();
    client.socket.send('{"type":"nonsense"}');
    await once(client.socket, 'message');
    await leave(client);
  });
});
