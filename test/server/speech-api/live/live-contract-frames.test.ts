/** The live protocol row by row, over real sockets: frames both ways, and every refusal on the way. */
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { LiveResult } from '#contract/live.ts';
import { EngineError } from '#server/engine/port.ts';
import { TEMPORARY_KEY_PREFIX } from '#server/speech-api/temporary-keys/keys.ts';
import { word } from '../../fake-engine.ts';
import { eventually } from '../../eventually.ts';
import { connectLive, liveKey, startSpeechServer } from '../harness.ts';
import { begin, failure, finish } from './live-client.ts';
import { contractFixture } from './live-contract-fixture.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const live = contractFixture();

describe('client to server', () => {
  it('an empty binary frame is an empty piece of audio, an empty text the end', async () => {
    const { client, stream } = await live.talk();
    client.socket.send(Buffer.alloc(0));
    client.socket.send(Buffer.alloc(320));
    client.socket.send(Buffer.alloc(0));
    await eventually(() => expect(stream.calls).toEqual([320]));
    await live.conclude(client, stream);
    expect(stream.calls).toEqual([320, 'end']);
  });

  it('finalize: as often as wanted, with or without trailing silence, answered also when there is nothing', async () => {
    const { client, stream } = await live.talk();
    const finalize = vi.spyOn(stream, 'finalize');
    client.socket.send('{"type":"finalize"}');
    client.socket.send('{ "type" : "finalize", "trailing_silence_ms" : 300, "more": 1 }');
    client.socket.send('{"type":"finalize","trailing_silence_ms":null}');
    await eventually(() => expect(finalize.mock.calls).toEqual([[undefined], [300], [undefined]]));
    stream.say([{ text: '<fin>', is_final: true }]);
    await eventually(() => expect(client.frames).toHaveLength(1));
    expect(client.frames[0]).toEqual({
      tokens: [{ text: '<fin>', is_final: true }],
      final_audio_proc_ms: 0,
      total_audio_proc_ms: 0,
    });
    client.socket.send(Buffer.alloc(2));
    await live.conclude(client, stream);
  });

  it('keepalive has no answer and keeps a silent session alive, however its JSON is spaced', async () => {
    const { client, stream } = await live.talk();
    for (let n = 0; n < 5; n += 1) {
      live.timers.advance(19_000);
      client.socket.send(n % 2 ? '{ "type": "keepalive" }' : '{"type":"keepalive"}\n');
      client.socket.send('{"type":"finalize"}');
      await eventually(() => expect(stream.calls).toHaveLength(n + 1));
    }
    expect(client.frames).toEqual([]);
    await live.conclude(client, stream);
  });

  it('audio as base64 text', async () => {
    const { client, stream } = await live.talk();
    const pcm = Buffer.from(Array.from({ length: 1000 }, (_, n) => n % 256));
    client.socket.send(pcm.toString('base64'));
    await live.conclude(client, stream);
    expect(Buffer.concat(stream.audio).equals(pcm)).toBe(true);
  });

  it.each([
    ['Invalid base64.', 'abc'],
    ['Invalid base64.', 'ab!='],
    ['Invalid base64.', 'a=bc'],
    ['Invalid base64.', '===='],
    ['Invalid base64.', '   '],
    ['Control request is malformed.', '{"type":'],
    ['Control request is malformed.', '{}'],
    ['Control request is malformed.', '[]'],
    ['Control request is malformed.', '"finalize"'],
    ['Control request is malformed.', '{"type":"finalize","trailing_silence_ms":"long"}'],
    ['Control request is malformed.', '{"type":"finalize","trailing_silence_ms":-1}'],
    ['Control request is malformed.', '{"type":7}'],
    ['Control request invalid type.', '{"type":"pause"}'],
    ['Control request invalid type.', '{"type":"FINALIZE"}'],
  ])('%s (%s)', async (message, frame) => {
    const { client, stream } = await live.talk();
    client.socket.send(frame);
    expect(await failure(client)).toMatchObject({
      error_code: 400,
      error_type: 'invalid_request',
      error_message: message,
    });
    expect(stream.calls).toEqual(['abort']);
  });
});

describe('server to client', () => {
  it('no acknowledgement; finals once and first; no error keys; speaker is a string; both counters; finished, then 1000', async () => {
    const { client, stream } = await live.talk({ enable_speaker_diarization: true });
    client.socket.send(Buffer.alloc(32_000));
    await eventually(() => expect(stream.calls).toEqual([32_000]));
    expect(client.frames).toEqual([]);
    stream.say([
      { ...word(' one', 0), speaker: '1' },
      { ...word(' two', 100, false), speaker: '2' },
    ]);
    stream.say([{ ...word(' two', 100), speaker: '2' }]);
    await eventually(() => expect(client.frames).toHaveLength(2));
    await live.conclude(client, stream);
    const results = client.frames.map((frame) => v.parse(LiveResult, frame));
    expect(results.map(({ tokens }) => tokens.map(({ text, is_final, speaker }) => [text, is_final, speaker]))).toEqual(
      [
        [
          [' one', true, '1'],
          [' two', false, '2'],
        ],
        [[' two', true, '2']],
        [],
      ],
    );
    for (const frame of client.frames) {
      expect(Object.keys(frame).filter((name) => name.startsWith('error') || name === 'more_info')).toEqual([]);
      expect(frame).toMatchObject({ final_audio_proc_ms: 1000, total_audio_proc_ms: 1000 });
    }
    expect(client.frames.map((frame) => frame['finished'])).toEqual([undefined, undefined, true]);
  });

  it('audio sent before the start request is answered is neither lost nor reordered', async () => {
    const client = await live.start();
    for (let n = 0; n < 50; n += 1) client.socket.send(Buffer.alloc(100, n));
    await eventually(() => expect(live.server.engine.streams.at(-1)?.audio).toHaveLength(50));
    const stream = live.server.engine.streams.at(-1)!;
    expect(stream.audio.map((chunk) => chunk[0])).toEqual(Array.from({ length: 50 }, (_, n) => n));
    await live.conclude(client, stream);
  });

  it('finish without audio is finished, not refused', async () => {
    const { client, stream } = await live.talk();
    await live.conclude(client, stream);
    expect(client.frames).toEqual([
      {
        tokens: [],
        final_audio_proc_ms: 0,
        total_audio_proc_ms: 0,
        finished: true,
        cost_usd: '0',
        request_id: expect.stringMatching(UUID),
      },
    ]);
  });
});

describe('refusals on the way', () => {
  it('400 Audio is too long.', async () => {
    const { client } = await live.talk({ audio_format: 's8', sample_rate: 8000 });
    client.socket.send(Buffer.alloc(8000 * 120));
    client.socket.send(Buffer.alloc(8000));
    expect(await failure(client)).toMatchObject({ error_code: 400, error_message: 'Audio is too long.' });
  });

  it('400 Received too much audio data in total.', async () => {
    const { client } = await live.talk({ audio_format: 'f64le', sample_rate: 192_000, num_channels: 8 });
    for (let n = 0; n < 5; n += 1) client.socket.send(Buffer.alloc(1 << 20));
    expect(await failure(client)).toMatchObject({
      error_code: 400,
      error_message: 'Received too much audio data in total.',
    });
  });

  it.each([
    ['Missing API key.', undefined],
    ['Missing API key.', ''],
    ['Missing API key.', null],
    ['Invalid API key.', 'demo'],
    ['Invalid/expired temporary API key.', `${TEMPORARY_KEY_PREFIX}wrong`],
  ])('401 %s (%s)', async (message, api_key) => {
    expect(await failure(await live.start({ api_key }))).toMatchObject({
      error_code: 401,
      error_type: 'unauthenticated',
      error_message: message,
    });
  });

  it('401 comes before what else is wrong with the request', async () => {
    expect(await failure(await live.start({ api_key: 'demo', model: 'nope' }))).toMatchObject({ error_code: 401 });
  });

  it('403 the cap of a temporary key’s session', async () => {
    const { client } = await live.talk({
      api_key: await liveKey(live.server, live.user, { max_session_duration_seconds: 3 }),
    });
    live.timers.advance(3000);
    expect(await failure(client)).toMatchObject({ error_code: 403, error_type: 'temp_api_key_session_expired' });
  });

  it('408 Start request timeout', async () => {
    const client = connectLive(live.server);
    await client.opened;
    await eventually(() => expect(live.server.speech.liveSessions()).toBe(1));
    live.timers.advance(10_000);
    expect(await failure(client)).toMatchObject({
      error_code: 408,
      error_type: 'request_timeout',
      error_message: 'Start request timeout',
    });
  });

  it('408 Timed out while waiting for the first audio chunk', async () => {
    const { client } = await live.talk();
    live.timers.advance(20_000);
    expect(await failure(client)).toMatchObject({
      error_code: 408,
      error_message: 'Timed out while waiting for the first audio chunk',
    });
  });

  it('408 Request timeout.', async () => {
    const { client, stream } = await live.talk();
    client.socket.send(Buffer.alloc(2));
    await eventually(() => expect(stream.calls).toHaveLength(1));
    live.timers.advance(20_000);
    expect(await failure(client)).toMatchObject({ error_code: 408, error_message: 'Request timeout.' });
  });

  it('408 Input too slow: a minute of trickling', async () => {
    const { client, stream } = await live.talk();
    for (let n = 1; n <= 6; n += 1) {
      client.socket.send(Buffer.alloc(2));
      await eventually(() => expect(stream.calls).toHaveLength(n));
      live.timers.advance(10_000);
    }
    expect(await failure(client)).toMatchObject({ error_code: 408, error_message: 'Input too slow' });
  });

  it('413 the longest stream, by the clock', async () => {
    const { client, stream } = await live.talk();
    for (let n = 1; n <= 12; n += 1) {
      client.socket.send(Buffer.alloc(3200 * 2));
      await eventually(() => expect(stream.calls).toHaveLength(n));
      live.timers.advance(10_000);
    }
    expect(await failure(client)).toMatchObject({ error_code: 413, error_type: 'max_duration_reached' });
  });

  it('429 too many streams', async () => {
    const open = [await live.talk(), await live.talk(), await live.talk(), await live.talk()];
    expect(await failure(await live.start())).toMatchObject({
      error_code: 429,
      error_type: 'limit_exceeded',
      error_message: 'Your organization has exceeded max number of concurrent requests.',
    });
    for (const { client } of open) client.socket.terminate();
    await eventually(async () => expect(await live.running()).toBe(0));
  });

  it('429 too many streams of an organization; too many starts within a minute', async () => {
    const small = await startSpeechServer({
      engine: { auto: true },
      limitDefaults: { concurrent_streams: 1, requests_per_minute: 3 },
    });
    const owner = await small.createUser();
    const own = await liveKey(small, owner);
    const first = await begin(small, { api_key: own });
    first.socket.send(Buffer.alloc(320));
    await eventually(() => expect(first.frames).toHaveLength(1));
    expect(await failure(await begin(small, { api_key: own }))).toMatchObject({
      error_code: 429,
      error_message: 'Your organization has exceeded max number of concurrent requests.',
    });
    await finish(first);
    await eventually(async () =>
      expect(await small.services.db.selectFrom('live_sessions').select('status').execute()).toEqual([
        { status: 'completed' },
      ]),
    );
    await finish(await begin(small, { api_key: own }));
    expect(await failure(await begin(small, { api_key: own }))).toMatchObject({
      error_code: 429,
      error_message: 'Rate limit for your organization has been exceeded.',
    });
    await small.close();
  });

  it('500 The server had an error processing your request.', async () => {
    live.trouble = new Error('secret');
    const frame = await failure(await live.start());
    expect(frame).toMatchObject({
      error_code: 500,
      error_type: 'internal_error',
      error_message: expect.stringMatching(/^The server had an error processing your request\. Sorry about that!/),
    });
    expect(JSON.stringify(frame)).not.toContain('secret');
  });

  it('503 no room for another stream; a crash on the way cannot continue', async () => {
    live.trouble = new EngineError('overloaded', 'x');
    expect(await failure(await live.start())).toMatchObject({ error_code: 503, error_type: 'service_unavailable' });
    live.trouble = null;
    const { client, stream } = await live.talk();
    stream.fail(new EngineError('worker_crashed', 'x'));
    expect(await failure(client)).toMatchObject({
      error_code: 503,
      error_message: expect.stringMatching(/^Cannot continue request \(code \d+\)\. Please restart the request\.$/),
    });
  });
});
