/** The live protocol row by row, over real sockets: requests, formats, frames both ways, every refusal with its exact words. */
import * as v from 'valibot';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { LiveResult } from '#contract/live.ts';
import { EngineError } from '#server/speech/port.ts';
import { TEMPORARY_KEY_PREFIX } from '#server/temporary-keys/keys.ts';
import { word, type FakeStream } from '../fake-engine.ts';
import type { TestUser } from '../harness.ts';
import { eventually } from './eventually.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { connectLive, liveKey, startSpeechServer, type LiveClient, type SpeechServer } from './harness.ts';
import { begin, CONFIG, failure, finish } from './live-client.ts';

let server: SpeechServer;
let user: TestUser;
let key: string;
let timers: FakeClock;
/** What the engine does next instead of opening a stream. */
let trouble: Error | null = null;

beforeAll(async () => {
  timers = createFakeClock();
  server = await startSpeechServer({
    timers,
    engine: {
      ready: () => (trouble && !(trouble instanceof EngineError) ? Promise.reject(trouble) : Promise.resolve()),
      onOpen: () => {
        if (trouble) throw trouble;
      },
      info: { maxStreams: 10_000, translations: [{ from: 'en', to: 'es' }] },
    },
    liveLimits: { concurrentStreams: 4, startsPerMinute: 10_000, maxDurationMs: 120_000, totalBytes: 4 << 20 },
  });
  user = await server.createUser();
  key = await liveKey(server, user, { expires_in_seconds: 3600 });
});
afterAll(() => server.close());
// Whatever a test did, nothing of it stays.
afterEach(async () => {
  trouble = null;
  vi.unstubAllEnvs();
  await eventually(() => expect(server.speech.liveSessions()).toBe(0));
});

const start = (config: object | string = {}): Promise<LiveClient> => begin(server, typeof config === 'string' ? config : { api_key: key, ...config });

/** A session whose stream is open. */
const talk = async (config: object = {}): Promise<{ client: LiveClient; stream: FakeStream }> => {
  const before = server.engine.streams.length;
  const client = await start(config);
  await eventually(() => expect(server.engine.streams).toHaveLength(before + 1));
  return { client, stream: server.engine.streams[before]! };
};

/** Lets the engine answer the end, and sees the orderly close. */
const conclude = async (client: LiveClient, stream: FakeStream): Promise<void> => {
  client.socket.send('');
  await eventually(() => expect(stream.calls.at(-1)).toBe('end'));
  stream.say([], true);
  expect(await client.closed).toBe(1000);
  expect(client.frames.at(-1)).toMatchObject({ tokens: [], finished: true });
};

const refused = async (config: object | string, message: string, type = 'invalid_request'): Promise<void> => {
  const before = server.engine.streams.length;
  const client = await start(config);
  expect(await failure(client)).toEqual({ tokens: [], error_code: 400, error_type: type, error_message: message, request_id: expect.any(String), more_info: expect.stringMatching(/^https?:\/\/\S+#[a-z-]+$/) });
  expect(client.frames).toHaveLength(1);
  expect(server.engine.streams).toHaveLength(before);
};

describe('start request', () => {
  it('takes every documented field, and hands on what the engine can use', async () => {
    const { client, stream } = await talk({
      model: 'stt-rt-v5', audio_format: 'pcm_s16le', language_hints: ['en'], language_hints_strict: true,
      context: { general: [{ key: 'domain', value: 'Healthcare' }], text: 'A visit.', terms: ['Celebrex'], translation_terms: [{ source: 'stroke', target: 'ictus' }] },
      enable_speaker_diarization: true, enable_language_identification: true, enable_endpoint_detection: true,
      max_endpoint_delay_ms: 900, endpoint_sensitivity: 0.5, endpoint_latency_adjustment_level: 3,
      client_reference_id: 'x'.repeat(256), translation: { type: 'one_way', target_language: 'es' },
    });
    expect(stream.options).toMatchObject({
      sampleRate: 16_000, channels: 1, endpointDetection: true, diarization: true, languageIdentification: true, languageHints: ['en'],
      context: { terms: ['Celebrex'] }, translation: { type: 'one_way', target_language: 'es' },
    });
    await conclude(client, stream);
  });

  it('hands on the longest delay of an endpoint exactly where the model says it supports that', async () => {
    const supported = server.speech.models.resolve('stt-rt-v5', 'real_time')?.supports_max_endpoint_delay;
    const { client, stream } = await talk({ enable_endpoint_detection: true, max_endpoint_delay_ms: 500 });
    expect(stream.options.maxEndpointDelayMs).toBe(supported ? 500 : undefined);
    await conclude(client, stream);
  });

  it('every optional field may be null, unknown ones are tolerated, also those of older versions', async () => {
    const { client, stream } = await talk({
      model: null, language_hints: null, language_hints_strict: null, context: null, enable_speaker_diarization: null, enable_language_identification: null,
      enable_endpoint_detection: null, max_endpoint_delay_ms: null, endpoint_sensitivity: null, endpoint_latency_adjustment_level: null, client_reference_id: null,
      translation: null, enable_non_final_tokens: true, max_non_final_tokens_duration_ms: 4000, future: { deep: [1] },
    });
    expect(stream.options).toEqual({ sampleRate: 16_000, channels: 1, endpointDetection: false, diarization: false, languageIdentification: false });
    await conclude(client, stream);
  });

  it.each([
    ['max_endpoint_delay_ms', 500], ['max_endpoint_delay_ms', 3000], ['endpoint_sensitivity', -1], ['endpoint_sensitivity', 1],
    ['endpoint_latency_adjustment_level', 0], ['endpoint_latency_adjustment_level', 3], ['context', 'x'.repeat(10_000)], ['context', {}],
    ['sample_rate', 8000], ['num_channels', 8],
  ])('takes %s at its bound', async (field, value) => {
    const { client, stream } = await talk({ [field]: value });
    await conclude(client, stream);
  });

  it.each([
    ['max_endpoint_delay_ms', 499], ['max_endpoint_delay_ms', 3001], ['max_endpoint_delay_ms', 900.5], ['endpoint_sensitivity', -1.1], ['endpoint_sensitivity', 1.1],
    ['endpoint_latency_adjustment_level', -1], ['endpoint_latency_adjustment_level', 4], ['endpoint_latency_adjustment_level', 1.5],
  ])('refuses %s %d by name', async (field, value) => {
    expect(await failure(await start({ [field]: value }))).toMatchObject({ error_code: 400, error_message: expect.stringMatching(new RegExp(`^${field} must be a (whole )?number between -?\\d+ and \\d+\\.$`)) });
  });

  it.each<[string, object | string]>([
    ['Start request is malformed.', '{"api_key"'],
    ['Start request is malformed.', ''],
    ['Start request is malformed.', 'null'],
    ['Start request is malformed.', '[{}]'],
    ['Start request is malformed.', { language_hints_strict: 'yes' }],
    ['Start request is malformed.', { enable_endpoint_detection: 1 }],
    ['Start request is malformed.', { context: 5 }],
    ['Start request is malformed.', { context: [] }],
    ['Start request is malformed.', { context: { terms: 'x' } }],
    ['Start request is malformed.', { translation: { type: 'one_way' } }],
    ['Start request is malformed.', { translation: { type: 'three_way' } }],
    ['Start request is malformed.', { client_reference_id: 5 }],
    ['Start request is malformed.', { audio_format: 7 }],
    ['Missing audio format. Specify a valid audio format (e.g. s16le, f32le, wav, ogg, flac...) or "auto" for auto format detection.', { audio_format: null }],
    ['Missing audio format. Specify a valid audio format (e.g. s16le, f32le, wav, ogg, flac...) or "auto" for auto format detection.', { audio_format: '' }],
    ['Invalid audio data format: avi', { audio_format: 'avi' }],
    ['Invalid audio data format: mp4', { audio_format: 'mp4' }],
    ['Audio data sample rate must be specified for PCM formats', { sample_rate: null }],
    ['Audio data sample rate must be specified for PCM formats', { audio_format: 'mulaw', sample_rate: undefined }],
    ['Audio data channels must be specified for PCM formats', { num_channels: null }],
    ['Invalid language hint.', { language_hints: ['xx'] }],
    ['Invalid language hint.', { language_hints: 'en' }],
    ['Language hints must be unique.', { language_hints: ['en', 'en'] }],
    ['Context is too long (max length 10000).', { context: 'x'.repeat(10_001) }],
    ['Context is too long (max length 10000).', { context: { terms: Array.from({ length: 1000 }, () => 'lengthy-term') } }],
    ['Client reference ID is too long (max length 256)', { client_reference_id: 'x'.repeat(257) }],
    ['Invalid translation target language.', { translation: { type: 'one_way', target_language: 'fr' } }],
  ])('%s (%j)', async (message, config) => refused(config, message));

  it.each(['nope', 'stt-async-v5', 'parlance-async-1', 5])('Invalid model specified. (%j)', async (model) => refused({ model }, 'Invalid model specified.', 'model_not_available'));

  it('Model does not support translations.', async () => {
    const plain = await startSpeechServer();
    const owner = await plain.createUser();
    const client = await begin(plain, { api_key: await liveKey(plain, owner), translation: { type: 'two_way', language_a: 'en', language_b: 'es' } });
    expect(await failure(client)).toMatchObject({ error_code: 400, error_message: 'Model does not support translations.' });
    await plain.close();
  });

  it('Start request must be a text message.', async () => {
    const binary = connectLive(server);
    await binary.opened;
    binary.socket.send(Buffer.from(JSON.stringify({ ...CONFIG, api_key: key })));
    expect(await failure(binary)).toMatchObject({ error_code: 400, error_message: 'Start request must be a text message.' });
  });
});

describe('audio formats', () => {
  it.each(['s16le', 'pcm_s16le', 's24be', 'pcm_u8', 'pcm_f64be', 'mulaw', 'pcm_alaw'])('raw %s reaches the engine as s16le, whatever the chunks', async (audio_format) => {
    const { client, stream } = await talk({ audio_format, sample_rate: 8000, num_channels: 2 });
    expect(stream.options).toMatchObject({ sampleRate: 8000, channels: 2 });
    const width = Number(/\d+/.exec(audio_format)?.[0] ?? 8) / 8;
    const bytes = Buffer.alloc(60 * width);
    for (let at = 0; at < bytes.length; at += 7) client.socket.send(bytes.subarray(at, at + 7));
    await conclude(client, stream);
    expect(Buffer.concat(stream.audio)).toHaveLength(120);
  });

  it.each(['auto', 'aac', 'aiff', 'amr', 'asf', 'flac', 'mp3', 'ogg', 'wav', 'webm'])('%s needs neither rate nor channels, and any are ignored', async (audio_format) => {
    const { client, stream } = await talk({ audio_format, sample_rate: undefined, num_channels: null });
    expect(stream.options).toMatchObject({ sampleRate: 16_000, channels: 1 });
    await conclude(client, stream);
  });

  it('Audio decode error: the format is known, the audio is not in it', async () => {
    const { client, stream } = await talk({ audio_format: 'flac' });
    client.socket.send(Buffer.alloc(8192, 'This is a letter. '));
    expect(await failure(client)).toMatchObject({ error_code: 400, error_type: 'invalid_request', error_message: 'Audio decode error' });
    expect(stream.calls).toEqual(['abort']);
  });

  it('Audio data decode timeout: auto cannot tell headerless samples', async () => {
    const { client } = await talk({ audio_format: 'auto' });
    client.socket.send(Buffer.from(Int16Array.from({ length: 8192 }, (_, n) => Math.round(Math.sin(n / 9) * 9000)).buffer));
    expect(await failure(client)).toMatchObject({ error_code: 408, error_type: 'request_timeout', error_message: 'Audio data decode timeout' });
  });

  it('Audio data decode timeout: bytes come, sound does not', async () => {
    const { client } = await talk({ audio_format: 'auto' });
    client.socket.send('UklGRg==');
    await eventually(() => {
      timers.advance(500);
      expect(client.frames).toHaveLength(1);
    });
    expect(await failure(client)).toMatchObject({ error_code: 408, error_message: 'Audio data decode timeout' });
  });

  it('a format that this machine cannot decode is named', async () => {
    vi.stubEnv('PATH', '');
    const { client } = await talk({ audio_format: 'asf' });
    client.socket.send(Buffer.concat([Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex'), Buffer.alloc(8192)]));
    expect(await failure(client)).toMatchObject({ error_code: 400, error_message: expect.stringMatching(/ffmpeg/) });
  });
});

describe('client to server', () => {
  it('an empty binary frame is an empty piece of audio, an empty text the end', async () => {
    const { client, stream } = await talk();
    client.socket.send(Buffer.alloc(0));
    client.socket.send(Buffer.alloc(320));
    client.socket.send(Buffer.alloc(0));
    await eventually(() => expect(stream.calls).toEqual([320]));
    await conclude(client, stream);
    expect(stream.calls).toEqual([320, 'end']);
  });

  it('finalize: as often as wanted, with or without trailing silence, answered also when there is nothing', async () => {
    const { client, stream } = await talk();
    const finalize = vi.spyOn(stream, 'finalize');
    client.socket.send('{"type":"finalize"}');
    client.socket.send('{ "type" : "finalize", "trailing_silence_ms" : 300, "more": 1 }');
    client.socket.send('{"type":"finalize","trailing_silence_ms":null}');
    await eventually(() => expect(finalize.mock.calls).toEqual([[undefined], [300], [undefined]]));
    stream.say([{ text: '<fin>', is_final: true }]);
    await eventually(() => expect(client.frames).toHaveLength(1));
    expect(client.frames[0]).toEqual({ tokens: [{ text: '<fin>', is_final: true }], final_audio_proc_ms: 0, total_audio_proc_ms: 0 });
    client.socket.send(Buffer.alloc(2));
    await conclude(client, stream);
  });

  it('keepalive has no answer and keeps a silent session alive, however its JSON is spaced', async () => {
    const { client, stream } = await talk();
    for (let n = 0; n < 5; n += 1) {
      timers.advance(19_000);
      client.socket.send(n % 2 ? '{ "type": "keepalive" }' : '{"type":"keepalive"}\n');
      client.socket.send('{"type":"finalize"}');
      await eventually(() => expect(stream.calls).toHaveLength(n + 1));
    }
    expect(client.frames).toEqual([]);
    await conclude(client, stream);
  });

  it('audio as base64 text', async () => {
    const { client, stream } = await talk();
    const pcm = Buffer.from(Array.from({ length: 1000 }, (_, n) => n % 256));
    client.socket.send(pcm.toString('base64'));
    await conclude(client, stream);
    expect(Buffer.concat(stream.audio).equals(pcm)).toBe(true);
  });

  it.each([
    ['Invalid base64.', 'abc'], ['Invalid base64.', 'ab!='], ['Invalid base64.', 'a=bc'], ['Invalid base64.', '===='], ['Invalid base64.', '   '],
    ['Control request is malformed.', '{"type":'], ['Control request is malformed.', '{}'], ['Control request is malformed.', '[]'], ['Control request is malformed.', '"finalize"'],
    ['Control request is malformed.', '{"type":"finalize","trailing_silence_ms":"long"}'], ['Control request is malformed.', '{"type":"finalize","trailing_silence_ms":-1}'], ['Control request is malformed.', '{"type":7}'],
    ['Control request invalid type.', '{"type":"pause"}'], ['Control request invalid type.', '{"type":"FINALIZE"}'],
  ])('%s (%s)', async (message, frame) => {
    const { client, stream } = await talk();
    client.socket.send(frame);
    expect(await failure(client)).toMatchObject({ error_code: 400, error_type: 'invalid_request', error_message: message });
    expect(stream.calls).toEqual(['abort']);
  });
});

describe('server to client', () => {
  it('no acknowledgement; finals once and first; no error keys; speaker is a string; both counters; finished, then 1000', async () => {
    const { client, stream } = await talk({ enable_speaker_diarization: true });
    client.socket.send(Buffer.alloc(32_000));
    await eventually(() => expect(stream.calls).toEqual([32_000]));
    expect(client.frames).toEqual([]);
    stream.say([{ ...word(' one', 0), speaker: '1' }, { ...word(' two', 100, false), speaker: '2' }]);
    stream.say([{ ...word(' two', 100), speaker: '2' }]);
    await eventually(() => expect(client.frames).toHaveLength(2));
    await conclude(client, stream);
    const results = client.frames.map((frame) => v.parse(LiveResult, frame));
    expect(results.map(({ tokens }) => tokens.map(({ text, is_final, speaker }) => [text, is_final, speaker]))).toEqual([[[' one', true, '1'], [' two', false, '2']], [[' two', true, '2']], []]);
    for (const frame of client.frames) {
      expect(Object.keys(frame).filter((name) => name.startsWith('error') || name === 'more_info')).toEqual([]);
      expect(frame).toMatchObject({ final_audio_proc_ms: 1000, total_audio_proc_ms: 1000 });
    }
    expect(client.frames.map((frame) => frame['finished'])).toEqual([undefined, undefined, true]);
  });

  it('audio sent before the start request is answered is neither lost nor reordered', async () => {
    const client = await start();
    for (let n = 0; n < 50; n += 1) client.socket.send(Buffer.alloc(100, n));
    await eventually(() => expect(server.engine.streams.at(-1)?.audio).toHaveLength(50));
    const stream = server.engine.streams.at(-1)!;
    expect(stream.audio.map((chunk) => chunk[0])).toEqual(Array.from({ length: 50 }, (_, n) => n));
    await conclude(client, stream);
  });

  it('finish without audio is finished, not refused', async () => {
    const { client, stream } = await talk();
    await conclude(client, stream);
    expect(client.frames).toEqual([{ tokens: [], final_audio_proc_ms: 0, total_audio_proc_ms: 0, finished: true }]);
  });
});

describe('refusals on the way', () => {
  it('400 Audio is too long.', async () => {
    const { client } = await talk({ audio_format: 's8', sample_rate: 8000 });
    client.socket.send(Buffer.alloc(8000 * 120));
    client.socket.send(Buffer.alloc(8000));
    expect(await failure(client)).toMatchObject({ error_code: 400, error_message: 'Audio is too long.' });
  });

  it('400 Received too much audio data in total.', async () => {
    const { client } = await talk({ audio_format: 'f64le', sample_rate: 192_000, num_channels: 8 });
    for (let n = 0; n < 5; n += 1) client.socket.send(Buffer.alloc(1 << 20));
    expect(await failure(client)).toMatchObject({ error_code: 400, error_message: 'Received too much audio data in total.' });
  });

  it.each([
    ['Missing API key.', undefined], ['Missing API key.', ''], ['Missing API key.', null], ['Invalid API key.', 'demo'], ['Invalid/expired temporary API key.', `${TEMPORARY_KEY_PREFIX}wrong`],
  ])('401 %s (%s)', async (message, api_key) => {
    expect(await failure(await start({ api_key }))).toMatchObject({ error_code: 401, error_type: 'unauthenticated', error_message: message });
  });

  it('401 comes before what else is wrong with the request', async () => {
    expect(await failure(await start({ api_key: 'demo', model: 'nope' }))).toMatchObject({ error_code: 401 });
  });

  it('403 the cap of a temporary key’s session', async () => {
    const { client } = await talk({ api_key: await liveKey(server, user, { max_session_duration_seconds: 3 }) });
    timers.advance(3000);
    expect(await failure(client)).toMatchObject({ error_code: 403, error_type: 'temp_api_key_session_expired' });
  });

  it('408 Start request timeout', async () => {
    const client = connectLive(server);
    await client.opened;
    await eventually(() => expect(server.speech.liveSessions()).toBe(1));
    timers.advance(10_000);
    expect(await failure(client)).toMatchObject({ error_code: 408, error_type: 'request_timeout', error_message: 'Start request timeout' });
  });

  it('408 Timed out while waiting for the first audio chunk', async () => {
    const { client } = await talk();
    timers.advance(20_000);
    expect(await failure(client)).toMatchObject({ error_code: 408, error_message: 'Timed out while waiting for the first audio chunk' });
  });

  it('408 Request timeout.', async () => {
    const { client, stream } = await talk();
    client.socket.send(Buffer.alloc(2));
    await eventually(() => expect(stream.calls).toHaveLength(1));
    timers.advance(20_000);
    expect(await failure(client)).toMatchObject({ error_code: 408, error_message: 'Request timeout.' });
  });

  it('408 Input too slow: a minute of trickling', async () => {
    const { client, stream } = await talk();
    for (let n = 1; n <= 6; n += 1) {
      client.socket.send(Buffer.alloc(2));
      await eventually(() => expect(stream.calls).toHaveLength(n));
      timers.advance(10_000);
    }
    expect(await failure(client)).toMatchObject({ error_code: 408, error_message: 'Input too slow' });
  });

  it('413 the longest stream, by the clock', async () => {
    const { client, stream } = await talk();
    for (let n = 1; n <= 12; n += 1) {
      client.socket.send(Buffer.alloc(3200 * 2));
      await eventually(() => expect(stream.calls).toHaveLength(n));
      timers.advance(10_000);
    }
    expect(await failure(client)).toMatchObject({ error_code: 413, error_type: 'max_duration_reached' });
  });

  it('429 too many streams of a project', async () => {
    const open = await Promise.all(Array.from({ length: 4 }, () => talkOnly()));
    expect(await failure(await start())).toMatchObject({ error_code: 429, error_type: 'limit_exceeded', error_message: 'Your project has exceeded max number of concurrent requests.' });
    for (const client of open) client.socket.terminate();
    await eventually(async () => expect(await running()).toBe(0));
  });

  it('429 too many streams of an organization; too many starts within a minute', async () => {
    const small = await startSpeechServer({ engine: { auto: true }, liveLimits: { organizationStreams: 1, startsPerMinute: 2 } });
    const owner = await small.createUser();
    const own = await liveKey(small, owner);
    const first = await begin(small, { api_key: own });
    first.socket.send(Buffer.alloc(320));
    await eventually(() => expect(first.frames).toHaveLength(1));
    expect(await failure(await begin(small, { api_key: own }))).toMatchObject({ error_code: 429, error_message: 'Your organization has exceeded max number of concurrent requests.' });
    await finish(first);
    await eventually(async () => expect(await small.services.db.selectFrom('live_sessions').select('status').execute()).toEqual([{ status: 'completed' }]));
    await finish(await begin(small, { api_key: own }));
    expect(await failure(await begin(small, { api_key: own }))).toMatchObject({ error_code: 429, error_message: 'Rate limit for your project has been exceeded.' });
    await small.close();
  });

  it('500 The server had an error processing your request.', async () => {
    trouble = new Error('secret');
    const frame = await failure(await start());
    expect(frame).toMatchObject({ error_code: 500, error_type: 'internal_error', error_message: expect.stringMatching(/^The server had an error processing your request\. Sorry about that!/) });
    expect(JSON.stringify(frame)).not.toContain('secret');
  });

  it('503 no room for another stream; a crash on the way cannot continue', async () => {
    trouble = new EngineError('overloaded', 'x');
    expect(await failure(await start())).toMatchObject({ error_code: 503, error_type: 'service_unavailable' });
    trouble = null;
    const { client, stream } = await talk();
    stream.fail(new EngineError('worker_crashed', 'x'));
    expect(await failure(client)).toMatchObject({ error_code: 503, error_message: expect.stringMatching(/^Cannot continue request \(code \d+\)\. Please restart the request\.$/) });
  });
});

const running = async (): Promise<number> => (await server.services.db.selectFrom('live_sessions').select('id').where('status', '=', 'running').execute()).length;
const talkOnly = async (): Promise<LiveClient> => {
  const client = await start();
  const before = client.frames.length;
  client.socket.send('{"type":"keepalive"}');
  await eventually(async () => expect(await running()).toBeGreaterThan(0));
  expect(client.frames).toHaveLength(before);
  return client;
};
