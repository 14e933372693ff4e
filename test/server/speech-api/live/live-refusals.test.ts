import { describe, expect, it, vi } from 'vitest';
import { LimitReached } from '#server/money/limits/errors.ts';
import { refusal } from '#server/speech-api/live/refusal.ts';
import { EngineError } from '#server/engine/port.ts';
import { word } from '../../fake-engine.ts';
import { session, turn, type SessionOptions } from './live-harness.ts';

const LONG = 'x'.repeat(10_001);
const each = (field: string, values: readonly unknown[]) => values.map((value) => ({ [field]: value }));
const refusedAll = async (requests: readonly (object | string)[], refused: string): Promise<void> => {
  for (const request of requests) {
    const s = session({ translations: [{ from: 'en', to: 'es' }] });
    s.begin(request);
    expect([request, await s.refusal(), s.engine.streams]).toEqual([request, refused, []]);
  }
};

describe('live session: refused start requests', () => {
  it.each<[string, (object | string)[]]>([
    ['Start request is malformed.', ['{', '{"api_key"', '', 'null', '[]', '[{}]']],
    ['Start request is malformed.', [{ api_key: 1 }, { audio_format: 7 }, { client_reference_id: 5 }]],
    ['Start request is malformed.', [{ language_hints_strict: 'yes' }, { enable_endpoint_detection: 1 }]],
    ['Start request is malformed.', [{ translation: { type: 'one_way' } }, { translation: { type: 'three_way' } }]],
    ['Invalid audio data format: avi', [{ audio_format: 'avi' }]],
    ['Invalid audio data format: mp4', [{ audio_format: 'mp4' }]],
    ['Invalid audio data format: s16', [{ audio_format: 's16' }]],
    [
      'Missing audio format. Specify a valid audio format (e.g. s16le, f32le, wav, ogg, flac...) or "auto" for auto format detection.',
      [{ audio_format: undefined }, { audio_format: null }, { audio_format: '' }],
    ],
    [
      'Audio data sample rate must be specified for PCM formats',
      [{ sample_rate: null }, { audio_format: 'mulaw', sample_rate: undefined }],
    ],
    ['Audio data channels must be specified for PCM formats', [{ num_channels: null }]],
    ['Audio data sample rate must be a whole number between 8000 and 192000.', each('sample_rate', [1, 7999, 192_001])],
    ['Audio data channels must be a whole number between 1 and 8.', each('num_channels', [0, 9])],
    [
      'max_endpoint_delay_ms must be a whole number between 500 and 3000.',
      each('max_endpoint_delay_ms', [499, 3001, 900.5]),
    ],
    ['endpoint_sensitivity must be a number between -1 and 1.', each('endpoint_sensitivity', [-1.1, 1.1])],
    [
      'endpoint_latency_adjustment_level must be a whole number between 0 and 3.',
      each('endpoint_latency_adjustment_level', [-1, 4, 1.5]),
    ],
    ['Invalid language hint.', each('language_hints', [['xx'], 'en', [5]])],
    ['Language hints must be unique.', each('language_hints', [['en', 'en']])],
    ['Client reference ID is too long (max length 256)', each('client_reference_id', ['x'.repeat(257)])],
    ['Invalid translation target language.', [{ translation: { type: 'one_way', target_language: 'fr' } }]],
    ['Model does not support audio event detection.', [{ enable_audio_event_detection: true }]],
  ])('400 invalid_request: %s', (message, requests) => refusedAll(requests, `400 invalid_request: ${message}`));

  it.each([
    ['Start request is malformed.', [5, [], { terms: 'x' }]],
    [
      'Context is too long (max length 10000).',
      [LONG, { text: LONG }, { terms: Array.from({ length: 1000 }, () => 'lengthy-term') }],
    ],
  ])('LIV-17: a refused context is named, with the words: %s', (message, contexts) =>
    refusedAll(each('context', contexts), `400 invalid_request context: ${message}`),
  );

  it('400 model_not_available', () =>
    refusedAll(
      each('model', ['nope', 'parlance-async-1', 'stt-async-v5', 5]),
      '400 model_not_available: Invalid model specified.',
    ));

  it.each([
    { type: 'one_way', target_language: 'de' },
    { type: 'two_way', language_a: 'en', language_b: 'es' },
  ])('400 invalid_request: Model does not support translations. (%j)', async (translation) => {
    const s = session();
    s.begin({ translation });
    expect(await s.refusal()).toBe('400 invalid_request: Model does not support translations.');
  });

  it('400 invalid_request: Start request must be a text message.', async () => {
    const s = session();
    s.live.binary(Buffer.alloc(4));
    expect(await s.refusal()).toBe('400 invalid_request: Start request must be a text message.');
  });

  it('401 comes before what else is wrong with the request, and with what follows it at once', async () => {
    const s = session({ authenticate: () => Promise.reject(refusal.invalidKey('Incorrect API key provided.')) });
    s.begin({ model: 'nope' });
    s.live.binary(Buffer.from('{ "type": "keepalive" }'));
    s.live.text('no control request');
    expect(await s.refusal()).toBe('401 unauthenticated: Incorrect API key provided.');
  });

  it.each<[string, SessionOptions]>([
    [
      '429 limit_exceeded: Your project has exceeded max number of concurrent requests.',
      {
        admit: () => Promise.reject(new LimitReached('concurrent_streams', 'project', 10)),
      },
    ],
    [
      '500 internal_error: The server had an error processing your request. Sorry about that! Please try again.',
      { engine: { ready: () => Promise.reject(new Error('secret detail')) } },
    ],
    [
      '503 service_unavailable: The server is at its limit of concurrent streams. Please try again later.',
      { engine: { info: { maxStreams: 0 } } },
    ],
    [
      '503 service_unavailable: The speech engine is not available. Please try again later.',
      { engine: { ready: () => Promise.reject(new EngineError('model_missing', 'x')) } },
    ],
  ])('%s', async (refused, options) => {
    const s = session(options);
    s.begin();
    expect(await s.refusal()).toBe(refused);
    expect(s.engine.streams).toEqual([]);
  });
});

describe('live session: what goes wrong on the way', () => {
  it.each([
    [
      '400 invalid_audio: Invalid base64. A text frame is audio in base64, or a control request in JSON.',
      ['abc', 'ab!=', 'a=bc', '====', '   ', 'not base64!', '<html><body>404</body></html>'],
    ],
    [
      '400 invalid_request: Control request is malformed.',
      [
        '{"type":',
        '{}',
        '[]',
        '"finalize"',
        '{"type":7}',
        '{"type":"finalize","trailing_silence_ms":"long"}',
        '{"type":"finalize","trailing_silence_ms":-1}',
      ],
    ],
    ['400 invalid_request: Control request invalid type.', ['{"type":"pause"}', '{"type":"FINALIZE"}']],
  ])('a text frame: %s', async (message, texts) => {
    for (const frame of texts) {
      const s = session();
      const stream = await s.start();
      s.live.text(frame);
      expect([frame, await s.refusal()]).toEqual([frame, message]);
      expect(stream.calls).toEqual(['abort']);
      expect(s.released).toEqual([{ status: 'failed', audioMs: 0, refusal: expect.objectContaining({ code: 400 }) }]);
    }
  });

  it.each([
    [
      'overloaded',
      '503 service_unavailable: The server is at its limit of concurrent streams. Please try again later.',
    ],
    ['not_ready', '503 service_unavailable: The speech engine is not available. Please try again later.'],
    [
      'worker_crashed',
      '503 service_unavailable cannot_continue: Cannot continue request (code 3). Please restart the request.',
    ],
    ['invalid_audio', '400 invalid_audio: Audio decode error'],
    ['audio_too_long', '400 invalid_request too_much_audio: Audio is too long.'],
  ] as const)('an engine that fails with %s: %s', async (code, refused) => {
    const s = session();
    const stream = await s.start();
    stream.fail(new EngineError(code, 'x'));
    stream.fail(new EngineError(code, 'again'));
    expect(await s.refusal()).toBe(refused);
    expect(s.frames).toHaveLength(1);
  });

  it('MET-05: what an engine that fails has told nothing of is not charged', async () => {
    const s = session();
    const stream = await s.start();
    s.live.binary(Buffer.alloc(3200));
    stream.say([word('heard', 0)]);
    s.live.binary(Buffer.alloc(32_000));
    stream.fail(new EngineError('worker_crashed', 'x'));
    expect(s.released).toMatchObject([{ status: 'failed', audioMs: 100 }]);
  });

  it('more audio than a session may have', async () => {
    const s = session({ limits: { totalBytes: 100 } });
    await s.start();
    s.live.binary(Buffer.alloc(100));
    s.live.binary(Buffer.alloc(1));
    expect(await s.refusal()).toBe('400 invalid_request too_much_audio: Received too much audio data in total.');
  });

  it.each(['s16le', 'webm'])('%s: a binary frame that is JSON, between others, too', async (audio_format) => {
    const s = session();
    const stream = await s.start({ audio_format });
    for (const noJson of ['[]', '{"a":1}', '{"open": "object', '[1,2,3,4,5,6,7,8'])
      if (audio_format === 's16le') s.live.binary(Buffer.from(noJson));
    expect(s.frames).toEqual([]);
    s.live.binary(Buffer.from('{ "type": "keepalive" }\n'));
    expect(await s.refusal()).toBe(
      '400 invalid_audio: The stream is not audio: it looks like JSON. Control requests are text frames.',
    );
    expect(stream.calls.at(-1)).toBe('abort');
  });

  const TEXT = Buffer.from('<p>Grüße, this is a page in place of samples.</p>\n'.repeat(8));
  const raw = async (audio_format: string, sent: Buffer) => {
    const s = session();
    await s.start({ audio_format });
    for (let at = 0; at < sent.length; at += 3) s.live.binary(sent.subarray(at, at + 3));
    return s;
  };

  it.each([
    ['s16le', TEXT],
    ['f32le', Buffer.from(TEXT.toString('base64'))],
  ])('ERR-12: %s: text, however it is cut', async (audio_format, sent) => {
    const s = await raw(audio_format, sent);
    expect(await s.refusal()).toBe('400 invalid_audio: The stream is not audio: it looks like text.');
  });

  it.each([
    ['mulaw', TEXT],
    ['s16le', TEXT.subarray(0, 200)],
    // No byte of it is a control character.
    ['s16le', Buffer.alloc(512, Uint8Array.of(0x41, 0x20, 0xff, 0x7e))],
  ])('ERR-12: %s: samples that look like letters are none', async (audio_format, sent) => {
    expect((await raw(audio_format, sent)).frames).toEqual([]);
  });

  it('few letters, and no more: not a time-out, but what they are', async () => {
    const s = session();
    await s.start({ audio_format: 'mp3' });
    s.live.binary(Buffer.from('Good morning'));
    await turn();
    expect(await s.refusalAfter(15_000)).toBe('400 invalid_audio: The stream is not audio: it looks like text.');
  });

  const LETTER = Buffer.alloc(8192, 'This is a letter. ');
  const NOISE = Buffer.alloc(70_000, 0x81);
  const WINDOWS_MEDIA = Buffer.concat([Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex'), Buffer.alloc(8192)]);
  it.each([
    ['the format is named, the audio is not in it', 'flac', NOISE, /^400 invalid_audio: Audio decode error$/],
    ['a letter', 'auto', LETTER.subarray(0, 90), /^400 invalid_audio: The stream is not audio: it looks like text\.$/],
    [
      'a letter of Windows',
      'auto',
      Buffer.from(`\uFEFF${LETTER.toString()}`, 'utf16le'),
      /400 .* it looks like text\.$/,
    ],
    [
      'a letter without its mark',
      'auto',
      Buffer.from(LETTER.toString(), 'utf16le').swap16(),
      /400 .* it looks like text\.$/,
    ],
    ['a letter of before', 'auto', Buffer.alloc(8192, 'Größe äöü ß ', 'latin1'), /400 .* it looks like text\.$/],
    [
      'a format that this machine cannot decode is named',
      'asf',
      WINDOWS_MEDIA,
      /^400 invalid_request: Windows Media \(wma, asf\) needs ffmpeg: install it/,
    ],
  ])('a container: %s', async (_what, audio_format, bytes, refused) => {
    vi.stubEnv('PATH', '');
    vi.stubEnv('FFMPEG_PATH', '');
    const s = session();
    const stream = await s.start({ audio_format });
    s.live.binary(bytes);
    expect(await s.refusal()).toMatch(refused);
    expect(stream.calls).toEqual(['abort']);
  });
});
