import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '#server/platform/log.ts';
import type { EngineError, StreamResult, SttStream } from '#server/engine/port.ts';
import type { UpstreamEngine } from '#server/engine/upstream/engine.ts';
import { createFakeEngine, word, type FakeEngine } from '../../fake-engine.ts';
import type { TestServer, TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { createFakeClock, type FakeClock } from '../../fake-clock.ts';
import { connectLive, liveKey, projectKey, type LiveClient } from '../../speech-api/harness.ts';
import { refuse, startProvider, startScripted, upstreamOf, type ScriptedUpstream } from './harness.ts';

const KEY = 'key-that-nobody-may-see';
const START = { model: 'stt-rt-v5', audio_format: 's16le', sample_rate: 16_000, num_channels: 1 };
const OPTIONS = { sampleRate: 16_000, channels: 1 };

describe('through two servers of ours', { timeout: 60_000 }, () => {
  let heard: FakeEngine;
  let upstream: TestServer;
  let front: TestServer;
  let user: TestUser;
  let key: string;
  const logged: string[] = [];
  beforeAll(async () => {
    heard = createFakeEngine({ auto: true, info: { maxStreams: 1000 } });
    upstream = await startProvider(heard);
    ({ key } = await projectKey(upstream, await upstream.createUser()));
    const log = createLog('debug', { write: (line) => void logged.push(line) });
    front = await startProvider(upstreamOf(upstream.url, key, { log }), { overrides: { log } });
    user = await front.createUser();
  }, 180_000);
  afterAll(async () => {
    await front.close();
    await upstream.close();
  });
  const begin = async (config: object = {}): Promise<LiveClient> => {
    const client = connectLive(front);
    await client.opened;
    client.socket.send(JSON.stringify({ ...START, api_key: await liveKey(front, user), ...config }));
    return client;
  };
  const texts = ({ frames }: LiveClient) =>
    frames.map((frame) =>
      Array.isArray(frame['tokens']) ? frame['tokens'].map(({ text }: { text: string }) => text) : frame,
    );

  it('audio, finalize and the end go up; tokens come down as they are', async () => {
    const client = await begin({
      enable_endpoint_detection: true,
      enable_speaker_diarization: true,
      enable_language_identification: true,
    });
    client.socket.send(Buffer.alloc(3200));
    client.socket.send('{"type":"finalize"}');
    await eventually(() => expect(texts(client)).toEqual([[' heard'], [' heard', '<fin>']]));
    const stream = heard.streams.at(-1)!;
    expect(stream.options).toMatchObject({
      sampleRate: 16_000,
      channels: 1,
      endpointDetection: true,
      diarization: true,
      languageIdentification: true,
    });
    stream.say([{ ...word(' wörd', 5), speaker: '2', language: 'en' }]);
    await eventually(() =>
      expect(client.frames.at(-1)).toEqual({
        tokens: [{ ...word(' wörd', 5), speaker: '2', language: 'en' }],
        final_audio_proc_ms: 100,
        total_audio_proc_ms: 100,
      }),
    );
    client.socket.send('');
    expect(await client.closed).toBe(1000);
    expect(texts(client).slice(-2)).toEqual([[' done.'], []]);
    expect(client.frames.at(-1)).toEqual({
      tokens: [],
      final_audio_proc_ms: 100,
      total_audio_proc_ms: 100,
      finished: true,
      cost_usd: '0.000003',
      request_id: expect.stringMatching(/^[\da-f-]{36}$/),
    });
    expect(stream.calls).toEqual([3200, 'finalize', 'end']);
  });

  it('a client that leaves frees the stream at the upstream', async () => {
    const client = await begin();
    client.socket.send(Buffer.alloc(320));
    await eventually(() => expect(client.frames).toHaveLength(1));
    const stream = heard.streams.at(-1)!;
    client.socket.terminate();
    await eventually(() => expect(stream.calls).toEqual([320, 'abort']));
  });

  it('an upstream that stops in the middle is an error frame, and the key is in no log', async () => {
    const client = await begin();
    client.socket.send(Buffer.alloc(320));
    await eventually(() => expect(client.frames).toHaveLength(1));
    await upstream.close();
    expect(await client.closed).toBe(1000);
    expect(client.frames.at(-1)).toMatchObject({ tokens: [], error_code: 503, error_type: 'service_unavailable' });
    const late = await begin();
    expect(await late.closed).toBe(1000);
    expect(late.frames).toMatchObject([{ error_code: 503 }]);
    expect(logged.join('')).toContain('upstream live stream failed');
    expect(logged.join('')).not.toContain(key);
    expect(JSON.stringify([client.frames, late.frames])).not.toContain(key);
  });
});

describe('a live service that misbehaves', () => {
  let upstream: ScriptedUpstream;
  let clock: FakeClock;
  let engine: UpstreamEngine;
  let results: StreamResult[];
  let errors: EngineError[];
  beforeEach(async () => {
    [results, errors] = [[], []];
    upstream = await startScripted();
    clock = createFakeClock();
    engine = upstreamOf(upstream.url, KEY, { clock });
    await engine.ready();
  });
  afterEach(async () => {
    await engine.close();
    await upstream.close();
  });
  const events = {
    result: (result: StreamResult) => void results.push(result),
    error: (error: EngineError) => void errors.push(error),
  };
  const open = async (options: Parameters<UpstreamEngine['openStream']>[0] = OPTIONS) => {
    const stream = engine.openStream(options, events);
    await eventually(() => expect(upstream.sockets.at(-1)?.heard.length).toBeGreaterThan(0));
    return { stream, ...upstream.sockets.at(-1)! };
  };
  const failure = () =>
    eventually(() => {
      expect(errors).toHaveLength(1);
      return errors[0]!;
    });

  it('gets the key by header only, the request in its own names, and all audio since the start', async () => {
    const stream = engine.openStream(
      {
        ...OPTIONS,
        maxEndpointDelayMs: 900,
        languageHints: ['de'],
        languageHintsStrict: true,
        context: 'c',
        translation: { type: 'one_way', target_language: 'de' },
      },
      events,
    );
    stream.write(new Uint8Array(10));
    stream.write(new Uint8Array(0));
    stream.write(new Uint8Array(7));
    stream.finalize(250);
    stream.end();
    stream.write(new Uint8Array(1));
    stream.end();
    await eventually(() => expect(upstream.sockets[0]?.heard).toHaveLength(5));
    const [request, ...rest] = upstream.sockets[0]!.heard;
    expect(JSON.parse(String(request))).toEqual({
      model: 'live-1',
      audio_format: 'pcm_s16le',
      sample_rate: 16_000,
      num_channels: 1,
      enable_endpoint_detection: false,
      enable_speaker_diarization: false,
      enable_language_identification: false,
      max_endpoint_delay_ms: 900,
      language_hints: ['de'],
      language_hints_strict: true,
      context: 'c',
      translation: { type: 'one_way', target_language: 'de' },
    });
    expect(rest).toEqual([10, 7, '{"type":"finalize","trailing_silence_ms":250}', '']);
    expect(upstream.sockets[0]?.authorization).toBe(`Bearer ${KEY}`);
  });

  it('is kept alive while nobody speaks, and not after the end', async () => {
    const { stream, heard } = await open();
    clock.advance(10_000);
    await eventually(() => expect(heard.slice(1)).toEqual(['{"type":"keepalive"}', '{"type":"keepalive"}']));
    stream.end();
    clock.advance(60_000);
    stream.abort();
    await eventually(() => expect(upstream.sockets[0]?.socket.readyState).toBe(3));
    expect(heard.slice(3)).toEqual(['']);
  });

  it('counts never go back, and nothing comes after finished', async () => {
    const { socket } = await open();
    socket.send(JSON.stringify({ tokens: [word('a', 0)], final_audio_proc_ms: 100, total_audio_proc_ms: 200 }));
    socket.send(JSON.stringify({ tokens: [] }));
    socket.send(JSON.stringify({ tokens: [], final_audio_proc_ms: 300, total_audio_proc_ms: 300, finished: true }));
    socket.send(JSON.stringify({ tokens: [word('b', 0)] }));
    await eventually(() => expect(socket.readyState).toBe(3));
    expect(results).toEqual([
      { tokens: [word('a', 0)], finalAudioMs: 100, totalAudioMs: 200, finished: false },
      { tokens: [], finalAudioMs: 100, totalAudioMs: 200, finished: false },
      { tokens: [], finalAudioMs: 300, totalAudioMs: 300, finished: true },
    ]);
    expect(errors).toEqual([]);
  });

  it.each([
    [401, 'not_ready', /does not accept the key/],
    [402, 'not_ready', /no balance/],
    [429, 'overloaded', /limit/],
    [413, 'audio_too_long', /too long/],
    [400, 'invalid_audio', /refused a request with 400\. It says: reason \[key\]$/],
    [503, 'worker_crashed', /refused a request with 503\. It says: reason \[key\]$/],
  ])('its error %i is %s', async (error_code, code, message) => {
    const { socket } = await open();
    socket.send(JSON.stringify({ tokens: [], error_code, error_type: 'x', error_message: `reason ${KEY}` }));
    socket.close(1000);
    expect(await failure()).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(results).toEqual([]);
  });

  it.each([
    [{ error_code: 400, error_type: 'model_not_available' }, 'model_missing'],
    [{ error_code: 400, error_type: 'invalid_audio' }, 'invalid_audio'],
    [{ error_code: 400, error_type: 'invalid_request', reason: 'too_much_audio' }, 'audio_too_long'],
    [{ error_code: 400, error_type: 'invalid_request', reason: 'context' }, 'invalid_context'],
    [{ error_code: 400, error_type: 'invalid_request' }, 'invalid_audio'],
    [{ error_code: 400 }, 'invalid_audio'],
  ])('its error %j is %s, whatever its words', async (frame, code) => {
    const { socket } = await open();
    const error_message = 'The audio of this file is too long for the model specified.';
    socket.send(JSON.stringify({ tokens: [], ...frame, error_message }));
    expect(await failure()).toMatchObject({ code });
  });

  it.each([
    ['text that is no JSON', 'hello'],
    ['JSON that is no frame', '{"tokens":"none"}'],
    ['a token without text', '{"tokens":[{"is_final":true}]}'],
    ['a binary frame', Buffer.from('{"tokens":[]}')],
  ])('%s ends the stream', async (_, frame) => {
    const { socket } = await open();
    socket.send(frame);
    expect(await failure()).toMatchObject({
      code: 'worker_crashed',
      message: expect.stringContaining('not of the speech API'),
    });
    await eventually(() => expect(socket.readyState).toBe(3));
  });

  it.each([
    ['breaks the connection', ({ socket }: ScriptedUpstream['sockets'][number]) => socket.terminate()],
    ['says goodbye too early', ({ socket }: ScriptedUpstream['sockets'][number]) => socket.close(1000)],
  ])('%s: one error, no second try', async (_, leave) => {
    const opened = await open();
    leave(opened);
    expect(await failure()).toMatchObject({ code: 'worker_crashed', message: expect.stringMatching(/broke off\.$/) });
    expect(opened.stream.write(new Uint8Array(2))).toBe(true);
    await opened.stream.drained();
    expect(upstream.sockets).toHaveLength(1);
  });

  it('is not there, or is something else', async () => {
    const elsewhere = await startScripted({ [`GET /other`]: (response) => refuse(response, 502, 'bad gateway') });
    const wrong = upstreamOf(upstream.url, KEY, {
      clock,
      streamingUrl: `${elsewhere.url.replace('http', 'ws')}/other`,
    });
    await wrong.ready();
    wrong.openStream(OPTIONS, events);
    expect(await failure()).toMatchObject({ code: 'worker_crashed' });
    await elsewhere.close();
    errors.length = 0;
    wrong.openStream(OPTIONS, events);
    expect(await failure()).toMatchObject({ code: 'not_ready', message: expect.stringContaining('does not answer') });
    await wrong.close();
  });

  it('slows its caller down while it reads slowly, and is given up when it does not read at all', async () => {
    const { stream, socket } = await open();
    const fill = (to: SttStream): void => {
      for (let count = 0; count < 2000; count += 1) if (!to.write(new Uint8Array(64_000))) return;
      throw new Error('took everything');
    };
    socket.pause();
    fill(stream);
    let drained = false;
    const waiting = stream.drained().then(() => {
      drained = true;
    });
    await new Promise(setImmediate);
    expect(drained).toBe(false);
    socket.resume();
    await waiting;
    clock.advance(31_000);
    expect(errors).toEqual([]);
    socket.pause();
    fill(stream);
    clock.advance(31_000);
    expect(await failure()).toMatchObject({ code: 'worker_crashed', message: expect.stringMatching(/broke off\.$/) });
    await stream.drained();
  });

  it('is told when the server here ends', async () => {
    await open();
    const gone = new Promise((resolve) => upstream.sockets[0]?.socket.once('close', resolve));
    await engine.close();
    await gone;
    expect(errors).toMatchObject([{ code: 'not_ready' }]);
    expect(() => engine.openStream(OPTIONS, events)).toThrow('closed');
  });

  it('has a bound on its streams', () => {
    const streams = Array.from({ length: engine.info().maxStreams }, () => engine.openStream(OPTIONS, events));
    expect(() => engine.openStream(OPTIONS, events)).toThrow(expect.objectContaining({ code: 'overloaded' }));
    streams[0]?.abort();
    expect(() => engine.openStream(OPTIONS, events)).not.toThrow();
    expect(errors).toEqual([]);
  });
});
