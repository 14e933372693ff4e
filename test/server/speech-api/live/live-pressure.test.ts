/** Clients that send too much, read too little, or leave without a word. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { projectRoot } from '#server/platform/paths.ts';
import type { FakeStream } from '../../fake-engine.ts';
import { eventually } from '../../eventually.ts';
import { createFakeClock, type FakeClock } from '../../fake-clock.ts';
import { connectLive, liveKey, startSpeechServer, type LiveClient, type SpeechServer } from '../harness.ts';
import { begin, failure } from './live-client.ts';
import { deferred, session } from './live-harness.ts';

let server: SpeechServer;
let key: string;
let timers: FakeClock;
let loaded = deferred();
beforeAll(async () => {
  timers = createFakeClock();
  server = await startSpeechServer({
    timers,
    engine: { ready: () => loaded.promise },
    limitDefaults: { requests_per_minute: 10_000 },
  });
  key = await liveKey(server, await server.createUser(), { expires_in_seconds: 3600 });
});
beforeEach(() => {
  loaded = deferred();
  loaded.resolve();
});
afterAll(() => server.close());

const running = (): Promise<unknown[]> =>
  server.services.db.selectFrom('live_sessions').select('id').where('status', '=', 'running').execute();
// Nothing stays of any of them.
afterEach(async () => {
  await eventually(async () => {
    expect(server.speech.liveSessions()).toBe(0);
    expect(await running()).toEqual([]);
  });
  for (const stream of server.engine.streams) expect(['abort', 'end']).toContain(stream.calls.at(-1));
});

const talk = async (config: object = {}): Promise<{ client: LiveClient; stream: FakeStream }> => {
  const before = server.engine.streams.length;
  const client = await begin(server, { api_key: key, ...config });
  await eventually(() => expect(server.engine.streams).toHaveLength(before + 1));
  return { client, stream: server.engine.streams[before]! };
};
const conclude = async (client: LiveClient, stream: FakeStream): Promise<void> => {
  client.socket.send('');
  await eventually(() => {
    timers.advance(1000);
    expect(stream.calls.at(-1)).toBe('end');
  });
  stream.say([], true);
  expect(await client.closed).toBe(1000);
};

describe('a client that sends too much', () => {
  it('finalizes faster than they are answered: few reach the engine at a time, none is lost', async () => {
    const { client, stream } = await talk();
    for (let n = 0; n < 300; n += 1) client.socket.send('{"type":"finalize"}');
    const asked = (): number => stream.calls.filter((call) => call === 'finalize').length;
    await eventually(() => expect(asked()).toBe(8));
    for (let answered = 0; answered < 300; answered += 1) {
      expect(asked()).toBeLessThanOrEqual(answered + 8);
      stream.say([{ text: '<fin>', is_final: true }]);
      await eventually(() => expect(asked()).toBeGreaterThanOrEqual(Math.min(300, answered + 1)));
    }
    await conclude(client, stream);
    expect(asked()).toBe(300);
    expect(client.frames).toHaveLength(301);
  });

  it('thousands of tiny frames: so many a second, all of them in order', async () => {
    const { client, stream } = await talk({ audio_format: 's8' });
    const bytes = Buffer.from(Array.from({ length: 30_000 }, (_, n) => n % 251));
    for (const byte of bytes) client.socket.send(Buffer.from([byte]));
    await eventually(() => expect(stream.audio.length).toBeGreaterThanOrEqual(1999));
    // What the last piece read from the network held is taken as well, the rest stays outside.
    expect(stream.audio.length).toBeLessThan(30_000);
    await conclude(client, stream);
    expect(Buffer.from(Buffer.concat(stream.audio).filter((_, n) => n % 2 === 1)).equals(bytes)).toBe(true);
  });

  it('keepalives without end cost a client its speed, nobody else’s', async () => {
    const noisy = await talk();
    for (let n = 0; n < 20_000; n += 1) noisy.client.socket.send('{"type":"keepalive"}');
    const other = await talk();
    other.client.socket.send(Buffer.alloc(320));
    await eventually(() => expect(other.stream.calls).toEqual([320]));
    await conclude(other.client, other.stream);
    await conclude(noisy.client, noisy.stream);
  });

  it('the session pauses the socket for the rest of the second, and is not idle meanwhile', async () => {
    const s = session({ limits: { framesPerSecond: 10 } });
    await s.start();
    for (let n = 0; n < 9; n += 1) s.live.text('{"type":"keepalive"}');
    expect(s.connection.paused).toBe(true);
    s.clock.advance(999);
    expect(s.connection.paused).toBe(true);
    s.clock.advance(1);
    expect(s.connection.paused).toBe(false);
    s.clock.advance(19_999);
    expect(s.frames).toEqual([]);
  });

  it('small inputs count against what is held for an engine that is not ready', async () => {
    const gate = deferred();
    const s = session({
      engine: { ready: () => gate.promise },
      limits: { incomingBytes: 6400, framesPerSecond: Infinity },
    });
    s.live.text(JSON.stringify({ api_key: 'k', audio_format: 's16le', sample_rate: 8000, num_channels: 1 }));
    for (let n = 0; n < 99; n += 1) s.live.text('{"type":"finalize"}');
    expect(s.connection.paused).toBe(false);
    s.live.text('{"type":"finalize"}');
    expect(s.connection.paused).toBe(true);
    s.live.gone();
    gate.resolve();
    await eventually(() => expect(s.released).toHaveLength(1));
  });

  it('a message in thousands of fragments is one message; in too many it is the end', async () => {
    const { client, stream } = await talk();
    for (let n = 0; n < 4000; n += 1) client.socket.send(Buffer.alloc(2, n), { fin: n === 3999, binary: true });
    await eventually(() => expect(stream.calls).toEqual([8000]));
    for (let n = 0; n < 20_000; n += 1) client.socket.send(Buffer.alloc(1), { fin: false, binary: true });
    expect(await client.closed).toBe(1008);
    await eventually(() => expect(stream.calls).toEqual([8000, 'abort']));
  });

  it('a frame longer than a megabyte is answered with 1009', async () => {
    const { client, stream } = await talk();
    client.socket.send(Buffer.alloc((1 << 20) + 1));
    expect(await client.closed).toBe(1009);
    await eventually(() => expect(stream.calls).toEqual(['abort']));
  });

  it('compression is not offered: no small frame unfolds into a large one', async () => {
    const { client, stream } = await talk();
    expect(client.socket.extensions).toBe('');
    await conclude(client, stream);
  });
});

describe('a client that does not read', () => {
  it('is paused, then given up with 408; the results that wait for it are bounded', async () => {
    const { client, stream } = await talk();
    client.socket.pause();
    // No more audio is read once a megabyte of answers waits.
    vi.spyOn(stream, 'write').mockImplementation((pcm) => {
      stream.audio.push(Buffer.from(pcm));
      stream.say([{ text: 'x'.repeat(200_000), is_final: false }]);
      return true;
    });
    for (let n = 0; n < 400; n += 1) client.socket.send(Buffer.alloc(20_000));
    await eventually(() => {
      timers.advance(200);
      expect(stream.calls.at(-1)).toBe('abort');
    });
    expect(stream.audio.length).toBeLessThan(400);
    client.socket.resume();
    expect(await failure(client)).toMatchObject({
      error_code: 408,
      error_message: 'Results are not read fast enough.',
    });
  });
});

describe('a client that leaves without a word', () => {
  const leave = async (client: LiveClient): Promise<void> => {
    client.socket.terminate();
    await client.closed;
  };

  it('before the start request, and in the middle of its frame', async () => {
    const client = connectLive(server);
    await client.opened;
    await leave(client);
    const cut = connectLive(server);
    await cut.opened;
    cut.socket.send('{"api_key":', { fin: false });
    await leave(cut);
  });

  it('while its key is looked up, and while the engine loads', async () => {
    await leave(await begin(server, { api_key: key }));
    loaded = deferred();
    const client = await begin(server, { api_key: key });
    client.socket.send(Buffer.alloc(3200));
    await eventually(async () => expect(await running()).toHaveLength(1));
    const before = server.engine.streams.length;
    await leave(client);
    await eventually(async () => expect(await running()).toEqual([]));
    loaded.resolve();
    await eventually(() => expect(server.speech.liveSessions()).toBe(0));
    expect(server.engine.streams).toHaveLength(before);
  });

  it.each<[string, (client: LiveClient, stream: FakeStream) => Promise<void>]>([
    ['before any audio', () => Promise.resolve()],
    [
      'in the middle of the audio',
      async (client, stream) => {
        client.socket.send(Buffer.alloc(3200));
        await eventually(() => expect(stream.calls).toHaveLength(1));
      },
    ],
    [
      'while a finalize is unanswered',
      async (client, stream) => {
        client.socket.send('{"type":"finalize"}');
        await eventually(() => expect(stream.calls).toEqual(['finalize']));
      },
    ],
    [
      'in the middle of a fragmented frame',
      async (client, stream) => {
        client.socket.send(Buffer.alloc(320));
        client.socket.send(Buffer.alloc(320), { fin: false, binary: true });
        await eventually(() => expect(stream.calls).toHaveLength(1));
      },
    ],
  ])('%s', async (_name, until) => {
    const { client, stream } = await talk();
    await until(client, stream);
    await leave(client);
    await eventually(() => expect(stream.calls.at(-1)).toBe('abort'));
  });

  it('while the engine is behind: it is noticed when the engine goes on, or is given up', async () => {
    for (const end of ['goes on', 'given up']) {
      const { client, stream } = await talk();
      stream.fill();
      for (let n = 0; n < 50; n += 1) client.socket.send(Buffer.alloc(60_000));
      await eventually(() => expect(stream.calls.length).toBeGreaterThan(0));
      await leave(client);
      if (end === 'goes on') stream.drain();
      else timers.advance(120_000);
      await eventually(() => expect(stream.calls.at(-1)).toBe('abort'));
    }
  });

  it('while a container is decoded', async () => {
    const { client, stream } = await talk({ audio_format: 'auto' });
    client.socket.send((await readFile(join(projectRoot, 'test/audio/short.wav'))).subarray(0, 60_000));
    await eventually(() => expect(stream.audio.length).toBeGreaterThan(0));
    await leave(client);
    await eventually(() => expect(stream.calls.at(-1)).toBe('abort'));
  });

  it('after the end, before the last result', async () => {
    const { client, stream } = await talk();
    client.socket.send('');
    await eventually(() => expect(stream.calls).toEqual(['end']));
    await leave(client);
    await eventually(() => expect(stream.calls).toEqual(['end', 'abort']));
  });

  it('without answering the close frame', async () => {
    const { client } = await talk();
    client.socket.send('{"type":"nonsense"}');
    await once(client.socket, 'message');
    await leave(client);
  });
});
