/** The live protocol row by row, over real sockets: the start request and the audio formats. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { projectRoot } from '#server/platform/paths.ts';
import { eventually } from '../../eventually.ts';
import { call, connectLive, liveKey, startSpeechServer } from '../harness.ts';
import { begin, CONFIG, failure } from './live-client.ts';
import { contractFixture } from './live-contract-fixture.ts';

const live = contractFixture();

describe('start request', () => {
  it('takes every documented field, and hands on what the engine can use', async () => {
    const { client, stream } = await live.talk({
      model: 'stt-rt-v5',
      audio_format: 'pcm_s16le',
      language_hints: ['en'],
      language_hints_strict: true,
      context: {
        general: [{ key: 'domain', value: 'Healthcare' }],
        text: 'A visit.',
        terms: ['Celebrex'],
        translation_terms: [{ source: 'stroke', target: 'ictus' }],
      },
      enable_speaker_diarization: true,
      enable_language_identification: true,
      enable_endpoint_detection: true,
      max_endpoint_delay_ms: 900,
      endpoint_sensitivity: 0.5,
      endpoint_latency_adjustment_level: 3,
      client_reference_id: 'x'.repeat(256),
      translation: { type: 'one_way', target_language: 'es' },
    });
    expect(stream.options).toMatchObject({
      sampleRate: 16_000,
      channels: 1,
      endpointDetection: true,
      diarization: true,
      languageIdentification: true,
      languageHints: ['en'],
      languageHintsStrict: true,
      context: { terms: ['Celebrex'] },
      translation: { type: 'one_way', target_language: 'es' },
    });
    await live.conclude(client, stream);
  });

  it('hands on the longest delay of an endpoint, as the model says it can', async () => {
    const { models } = await (await call(live.server, live.user, 'GET', '/models')).json();
    expect(models.find(({ id }: { id: string }) => id === 'stt-rt-v5')).toMatchObject({
      supports_max_endpoint_delay: true,
      supports_endpoint_sensitivity: false,
      supports_endpoint_latency_adjustment: false,
    });
    const { client, stream } = await live.talk({ enable_endpoint_detection: true, max_endpoint_delay_ms: 500 });
    expect(stream.options.maxEndpointDelayMs).toBe(500);
    await live.conclude(client, stream);
  });

  it('every optional field may be null, unknown ones are tolerated, also those of older versions', async () => {
    const { client, stream } = await live.talk({
      model: null,
      language_hints: null,
      language_hints_strict: null,
      context: null,
      enable_speaker_diarization: null,
      enable_language_identification: null,
      enable_endpoint_detection: null,
      max_endpoint_delay_ms: null,
      endpoint_sensitivity: null,
      endpoint_latency_adjustment_level: null,
      client_reference_id: null,
      translation: null,
      enable_non_final_tokens: true,
      max_non_final_tokens_duration_ms: 4000,
      future: { deep: [1] },
    });
    expect(stream.options).toEqual({
      sampleRate: 16_000,
      channels: 1,
      endpointDetection: false,
      diarization: false,
      languageIdentification: false,
    });
    await live.conclude(client, stream);
  });

  it.each([
    ['max_endpoint_delay_ms', 500],
    ['max_endpoint_delay_ms', 3000],
    ['endpoint_sensitivity', -1],
    ['endpoint_sensitivity', 1],
    ['endpoint_latency_adjustment_level', 0],
    ['endpoint_latency_adjustment_level', 3],
    ['context', 'x'.repeat(10_000)],
    ['context', {}],
    ['sample_rate', 8000],
    ['num_channels', 8],
  ])('takes %s at its bound', async (field, value) => {
    const { client, stream } = await live.talk({ [field]: value });
    await live.conclude(client, stream);
  });

  it.each([
    ['max_endpoint_delay_ms', 499],
    ['max_endpoint_delay_ms', 3001],
    ['max_endpoint_delay_ms', 900.5],
    ['endpoint_sensitivity', -1.1],
    ['endpoint_sensitivity', 1.1],
    ['endpoint_latency_adjustment_level', -1],
    ['endpoint_latency_adjustment_level', 4],
    ['endpoint_latency_adjustment_level', 1.5],
  ])('refuses %s %d by name', async (field, value) => {
    expect(await failure(await live.start({ [field]: value }))).toMatchObject({
      error_code: 400,
      error_message: expect.stringMatching(
        new RegExp(`^${field} must be a (whole )?number between -?\\d+ and \\d+\\.$`),
      ),
    });
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
    [
      'Missing audio format. Specify a valid audio format (e.g. s16le, f32le, wav, ogg, flac...) or "auto" for auto format detection.',
      { audio_format: null },
    ],
    [
      'Missing audio format. Specify a valid audio format (e.g. s16le, f32le, wav, ogg, flac...) or "auto" for auto format detection.',
      { audio_format: '' },
    ],
    ['Invalid audio data format: avi', { audio_format: 'avi' }],
    ['Invalid audio data format: mp4', { audio_format: 'mp4' }],
    ['Audio data sample rate must be specified for PCM formats', { sample_rate: null }],
    ['Audio data sample rate must be specified for PCM formats', { audio_format: 'mulaw', sample_rate: undefined }],
    ['Audio data channels must be specified for PCM formats', { num_channels: null }],
    ['Invalid language hint.', { language_hints: ['xx'] }],
    ['Invalid language hint.', { language_hints: 'en' }],
    ['Language hints must be unique.', { language_hints: ['en', 'en'] }],
    ['Context is too long (max length 10000).', { context: 'x'.repeat(10_001) }],
    [
      'Context is too long (max length 10000).',
      { context: { terms: Array.from({ length: 1000 }, () => 'lengthy-term') } },
    ],
    ['Client reference ID is too long (max length 256)', { client_reference_id: 'x'.repeat(257) }],
    ['Invalid translation target language.', { translation: { type: 'one_way', target_language: 'fr' } }],
  ])('%s (%j)', async (message, config) => live.refused(config, message));

  it.each(['nope', 'stt-async-v5', 'parlance-async-1', 5])('Invalid model specified. (%j)', async (model) =>
    live.refused({ model }, 'Invalid model specified.', 'model_not_available'),
  );

  it('Model does not support translations.', async () => {
    const plain = await startSpeechServer();
    const owner = await plain.createUser();
    const client = await begin(plain, {
      api_key: await liveKey(plain, owner),
      translation: { type: 'two_way', language_a: 'en', language_b: 'es' },
    });
    expect(await failure(client)).toMatchObject({
      error_code: 400,
      error_message: 'Model does not support translations.',
    });
    await plain.close();
  });

  it('Start request must be a text message.', async () => {
    const binary = connectLive(live.server);
    await binary.opened;
    binary.socket.send(Buffer.from(JSON.stringify({ ...CONFIG, api_key: live.key })));
    expect(await failure(binary)).toMatchObject({
      error_code: 400,
      error_message: 'Start request must be a text message.',
    });
  });
});

describe('audio formats', () => {
  it.each(['s16le', 'pcm_s16le', 's24be', 'pcm_u8', 'pcm_f64be', 'mulaw', 'pcm_alaw'])(
    'raw %s reaches the engine as s16le, whatever the chunks',
    async (audio_format) => {
      const { client, stream } = await live.talk({ audio_format, sample_rate: 8000, num_channels: 2 });
      expect(stream.options).toMatchObject({ sampleRate: 8000, channels: 2 });
      const width = Number(/\d+/.exec(audio_format)?.[0] ?? 8) / 8;
      const bytes = Buffer.alloc(60 * width);
      for (let at = 0; at < bytes.length; at += 7) client.socket.send(bytes.subarray(at, at + 7));
      await live.conclude(client, stream);
      expect(Buffer.concat(stream.audio)).toHaveLength(120);
    },
  );

  it.each(['auto', 'aac', 'aiff', 'amr', 'asf', 'flac', 'mp3', 'ogg', 'wav', 'webm'])(
    '%s needs neither rate nor channels',
    async (audio_format) => {
      const { client, stream } = await live.talk({ audio_format, sample_rate: undefined, num_channels: null });
      expect(stream.options).toMatchObject({ sampleRate: 16_000, channels: 1 });
      await live.conclude(client, stream);
    },
  );

  it('Audio decode error: the format is known, the audio is not in it', async () => {
    const { client, stream } = await live.talk({ audio_format: 'flac' });
    client.socket.send(Buffer.alloc(8192, 'This is a letter. '));
    expect(await failure(client)).toMatchObject({
      error_code: 400,
      error_type: 'invalid_request',
      error_message: 'Audio decode error',
    });
    expect(stream.calls).toEqual(['abort']);
  });

  it('Audio data decode timeout: auto cannot tell headerless samples', async () => {
    const { client } = await live.talk({ audio_format: 'auto' });
    client.socket.send(
      Buffer.from(Int16Array.from({ length: 8192 }, (_, n) => Math.round(Math.sin(n / 9) * 9000)).buffer),
    );
    expect(await failure(client)).toMatchObject({
      error_code: 408,
      error_type: 'request_timeout',
      error_message: 'Audio data decode timeout',
    });
  });

  it('Audio data decode timeout: bytes come, sound does not', async () => {
    const { client } = await live.talk({ audio_format: 'auto' });
    client.socket.send('UklGRg==');
    await eventually(() => {
      live.timers.advance(500);
      expect(client.frames).toHaveLength(1);
    });
    expect(await failure(client)).toMatchObject({ error_code: 408, error_message: 'Audio data decode timeout' });
  });

  it('a format that this machine cannot decode is named', async () => {
    vi.stubEnv('PATH', '');
    vi.stubEnv('FFMPEG_PATH', '');
    const { client } = await live.talk({ audio_format: 'asf' });
    client.socket.send(Buffer.concat([Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex'), Buffer.alloc(8192)]));
    expect(await failure(client)).toMatchObject({
      error_code: 400,
      error_message: expect.stringMatching(/^Windows Media \(wma, asf\) needs ffmpeg: install it/),
    });
  });
});

describe('containers', () => {
  const audio = (name: string): Promise<Buffer> => readFile(join(projectRoot, 'test/audio', name));
  /** What the engine gets of a whole recording. */
  const heard = async (config: object, bytes: Buffer): Promise<Buffer> => {
    const { client, stream } = await live.talk(config);
    expect(stream.options).toMatchObject({ sampleRate: 16_000, channels: 1 });
    client.socket.send(bytes);
    await live.conclude(client, stream);
    return Buffer.concat(stream.audio);
  };

  it('tell their own rate and channels: what is said beside them is ignored', async () => {
    const bytes = (await audio('microphone-44k.wav')).subarray(0, 44 + 44_100);
    const plain = await heard({ audio_format: 'auto', sample_rate: null, num_channels: null }, bytes);
    // Half a second, as 16 kHz mono.
    expect(Math.abs(plain.length - 16_000)).toBeLessThan(100);
    expect((await heard({ audio_format: 'auto', sample_rate: 44_100, num_channels: 2 }, bytes)).equals(plain)).toBe(
      true,
    );
  });

  it('are heard as what they are, also under a wrong name', async () => {
    const mp3 = await audio('short.mp3');
    const right = await heard({ audio_format: 'mp3' }, mp3);
    expect(right.length).toBeGreaterThan(32_000);
    expect((await heard({ audio_format: 'wav' }, mp3)).equals(right)).toBe(true);
  });

  it.each(['auto', 'wav'])('%s: a header and no sound is an error, nothing at all is not', async (audio_format) => {
    const { client, stream } = await live.talk({ audio_format });
    client.socket.send((await audio('short.wav')).subarray(0, 44));
    client.socket.send('');
    expect(await failure(client)).toMatchObject({
      error_code: 400,
      error_type: 'invalid_request',
      error_message: 'Audio decode error',
    });
    expect(client.frames).toHaveLength(1);
    expect(stream.calls).toEqual(['abort']);
    expect(await heard({ audio_format }, Buffer.alloc(0))).toHaveLength(0);
  });
});
