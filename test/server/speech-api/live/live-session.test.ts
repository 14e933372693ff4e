import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { projectRoot } from '#server/platform/paths.ts';
import { LiveConfig } from '#contract/live.ts';
import { LIVE_LIMITS } from '#server/speech-api/live/limits.ts';
import { createCatalogue } from '#server/speech-api/models/catalogue.ts';
import { word } from '../../fake-engine.ts';
import { eventually } from '../../eventually.ts';
import { deferred, session, START, turn, type SessionOptions } from './live-harness.ts';

const FINALIZE = '{"type":"finalize"}';
const KEEPALIVE = '{"type":"keepalive"}';
/** What the engine is asked for by a start request without switches. */
const PLAIN = {
  sampleRate: 16_000,
  channels: 1,
  endpointDetection: false,
  diarization: false,
  languageIdentification: false,
};
const CONTEXT = {
  general: [{ key: 'domain', value: 'Healthcare' }],
  text: 'A visit.',
  terms: ['Celebrex'],
  translation_terms: [{ source: 'stroke', target: 'ictus' }],
};
const TRANSLATION = { type: 'one_way', target_language: 'es' };
const OPTIONAL = ['model', ...Object.keys(LiveConfig.entries).filter((field) => !(field in START))];

describe('live session: the way through', () => {
  it('LIV-15: start request, audio, empty text, results, finished, close 1000', async () => {
    const s = session();
    const stream = await s.start();
    expect(stream.options).toEqual(PLAIN);
    const [first, second] = [
      { ...word(' Hel', 0), speaker: '1' },
      { ...word('lo', 100), speaker: '2' },
    ];
    s.live.binary(Buffer.alloc(3200));
    stream.say([{ ...first, is_final: false }]);
    stream.say([first, { ...second, is_final: false }]);
    s.live.text('');
    expect(stream.calls).toEqual([3200, 'end']);
    stream.say([second], true);
    const progress = { final_audio_proc_ms: 100, total_audio_proc_ms: 100 };
    expect(s.frames).toEqual([
      { tokens: [{ ...first, is_final: false }], ...progress },
      { tokens: [first, { ...second, is_final: false }], ...progress },
      { tokens: [second], ...progress },
      { tokens: [], ...progress, finished: true },
    ]);
    expect(s.connection.closed).toEqual([1000]);
    expect(s.released).toEqual([{ status: 'completed', audioMs: 100, refusal: null }]);
    s.live.gone();
    expect(s.ended).toEqual(s.released);
  });

  it.each(['its end', 'an error'])('LIM-14: %s is told once another stream can have the place', async (what) => {
    const freed = deferred();
    const s = session({ admission: { release: () => freed.promise }, engine: { auto: true } });
    await s.start();
    s.live.text(what === 'an error' ? 'rubbish!' : '');
    await turn();
    const last = (): object[] => s.frames.filter((frame) => 'finished' in frame || 'error_code' in frame);
    expect([s.ended.length, last(), s.connection.closed]).toEqual([1, [], []]);
    freed.resolve();
    await eventually(() => expect(s.connection.closed).toEqual([1000]));
    expect(last()).toEqual([expect.objectContaining(what === 'an error' ? { error_code: 400 } : { finished: true })]);
  });

  it.each<[string, object, object]>([
    [
      'every documented field',
      {
        model: 'stt-rt-v5',
        audio_format: 'pcm_s16le',
        num_channels: 2,
        client_reference_id: 'x'.repeat(256),
        enable_speaker_diarization: true,
        enable_language_identification: true,
        enable_endpoint_detection: true,
        max_endpoint_delay_ms: 900,
        endpoint_sensitivity: 0.5,
        endpoint_latency_adjustment_level: 3,
        language_hints: ['en'],
        language_hints_strict: true,
        context: CONTEXT,
        translation: TRANSLATION,
      },
      {
        sampleRate: 16_000,
        channels: 2,
        diarization: true,
        languageIdentification: true,
        endpointDetection: true,
        maxEndpointDelayMs: 900,
        languageHints: ['en'],
        languageHintsStrict: true,
        context: CONTEXT,
        translation: TRANSLATION,
      },
    ],
    ['null wherever it may stand', Object.fromEntries(OPTIONAL.map((field) => [field, null])), PLAIN],
    [
      'fields of older and of later versions',
      { enable_non_final_tokens: true, max_non_final_tokens_duration_ms: 4000, future: { deep: [1] } },
      PLAIN,
    ],
  ])('a start request with %s: the engine gets what it can use', async (_what, request, options) => {
    const stream = await session({ translations: [{ from: 'en', to: 'es' }] }).start(request);
    expect(stream.options).toEqual(options);
  });

  it('the model says what it can be told about the end of an utterance: the longest delay alone', () => {
    expect(createCatalogue(['en']).resolve('stt-rt-v5', 'real_time')).toMatchObject({
      supports_max_endpoint_delay: true,
      supports_endpoint_sensitivity: false,
      supports_endpoint_latency_adjustment: false,
    });
  });

  it.each([
    ['max_endpoint_delay_ms', [500, 3000]],
    ['endpoint_sensitivity', [-1, 1]],
    ['endpoint_latency_adjustment_level', [0, 3]],
    ['context', [{}, 'x'.repeat(10_000)]],
    ['sample_rate', [8000, 192_000]],
    ['num_channels', [1, 8]],
  ])('takes %s at its bounds', async (field, bounds) => {
    for (const value of bounds) await session().start({ [field]: value });
  });

  it('LIV-09: finalize and audio reach the engine in order; keepalive and empty frames do not, and get no answer', async () => {
    const s = session();
    const stream = await s.start();
    const finalize = vi.spyOn(stream, 'finalize');
    s.live.binary(Buffer.alloc(10));
    s.live.text('{ "type" : "finalize", "trailing_silence_ms" : 300, "more": 1 }');
    s.live.text('{ "type": "keepalive" }\n');
    s.live.binary(Buffer.alloc(0));
    s.live.binary(Buffer.alloc(20));
    s.live.text('{"type":"finalize","trailing_silence_ms":null}');
    s.live.text(FINALIZE);
    expect(stream.calls).toEqual([10, 'finalize', 20, 'finalize', 'finalize']);
    expect(finalize.mock.calls).toEqual([[300], [undefined], [undefined]]);
    expect(s.frames).toEqual([]);
    stream.say([{ text: '<fin>', is_final: true }]);
    expect(s.frames).toMatchObject([{ tokens: [{ text: '<fin>', is_final: true }] }]);
  });

  it('keeps audio that arrives before the engine is ready, in order, and pauses the socket when that is much', async () => {
    const ready = deferred();
    const s = session({ engine: { ready: () => ready.promise }, limits: { incomingBytes: 300 } });
    s.begin();
    s.live.binary(Buffer.alloc(60, 1));
    expect(s.connection.paused).toBe(false);
    s.live.text(FINALIZE);
    s.live.binary(Buffer.alloc(62, 2));
    expect(s.connection.paused).toBe(true);
    s.live.text('');
    ready.resolve();
    await eventually(() => expect(s.engine.streams[0]?.calls).toEqual([60, 'finalize', 62, 'end']));
    expect(s.engine.streams[0]?.audio).toEqual([Buffer.alloc(60, 1), Buffer.alloc(62, 2)]);
    expect(s.connection.paused).toBe(false);
  });

  it('small inputs count against what is held for an engine that is not ready', async () => {
    const ready = deferred();
    const s = session({
      engine: { ready: () => ready.promise },
      limits: { incomingBytes: 6400, framesPerSecond: Infinity },
    });
    s.begin();
    for (let n = 0; n < 99; n += 1) s.live.text(FINALIZE);
    expect(s.connection.paused).toBe(false);
    s.live.text(FINALIZE);
    expect(s.connection.paused).toBe(true);
    s.live.gone();
    ready.resolve();
    await eventually(() => expect(s.released).toHaveLength(1));
  });

  it('a stream without audio finishes; what comes after the end is ignored', async () => {
    const s = session();
    const stream = await s.start();
    s.live.text('');
    s.live.binary(Buffer.alloc(5));
    s.live.text('');
    s.live.text('rubbish!');
    expect([stream.calls, s.frames]).toEqual([['end'], []]);
    stream.say([], true);
    expect(s.frames).toEqual([{ tokens: [], final_audio_proc_ms: 0, total_audio_proc_ms: 0, finished: true }]);
    expect(s.released).toEqual([{ status: 'completed', audioMs: 0, refusal: null }]);
  });

  it('a client that leaves frees the engine at once, also while the engine loads', async () => {
    const s = session();
    const stream = await s.start();
    s.live.binary(Buffer.alloc(3200));
    s.live.gone();
    expect(stream.calls).toEqual([3200, 'abort']);
    expect(s.released).toEqual([{ status: 'aborted', audioMs: 100, refusal: null }]);
    stream.say([word(' late', 0)]);
    expect(s.frames).toEqual([]);

    const loading = deferred();
    const early = session({ engine: { ready: () => loading.promise } });
    early.begin();
    early.live.gone();
    loading.resolve();
    await eventually(() => expect(early.released).toHaveLength(1));
    expect(early.engine.streams).toEqual([]);
  });

  it.each(['before', 'after'])(
    'a client that leaves while it is admitted, %s its stream is open, keeps nothing',
    async (when) => {
      const admitting = deferred();
      const s = session({
        admit: async (open) => {
          if (when === 'after') open();
          await admitting.promise;
          if (when === 'before') open();
        },
      });
      s.begin();
      await turn();
      s.live.gone();
      admitting.resolve();
      await eventually(() => expect(s.released).toEqual([{ status: 'aborted', audioMs: 0, refusal: null }]));
      expect(s.engine.streams.map(({ calls }) => calls)).toEqual(when === 'after' ? [['abort']] : []);
    },
  );
});

describe('live session: audio', () => {
  it('is taken as base64 text', async () => {
    const s = session();
    const stream = await s.start();
    const pcm = Buffer.from(Array.from({ length: 1000 }, (_, n) => n % 256));
    s.live.text(pcm.toString('base64'));
    expect(stream.audio).toEqual([pcm]);
  });

  it.each(['s16le', 'pcm_s16le', 's24be', 'pcm_u8', 'pcm_f64be', 'mulaw', 'pcm_alaw'])(
    'raw %s reaches the engine as s16le, whatever the chunks, and counts as such',
    async (audio_format) => {
      const s = session();
      const stream = await s.start({ audio_format, sample_rate: 8000, num_channels: 2 });
      expect(stream.options).toMatchObject({ sampleRate: 8000, channels: 2 });
      const width = Number(/\d+/.exec(audio_format)?.[0] ?? 8) / 8;
      const bytes = Buffer.alloc(800 * 2 * width);
      for (let at = 0; at < bytes.length; at += 7) s.live.binary(bytes.subarray(at, at + 7));
      expect(Buffer.concat(stream.audio)).toHaveLength(3200);
      expect(s.live.heardMs).toBe(100);
    },
  );

  it.each(['auto', 'aac', 'aiff', 'amr', 'asf', 'flac', 'mp3', 'ogg', 'wav', 'webm'])(
    '%s needs neither rate nor channels',
    async (audio_format) => {
      const stream = await session().start({ audio_format, sample_rate: undefined, num_channels: null });
      expect(stream.options).toEqual(PLAIN);
    },
  );

  const recording = (name: string): Promise<Buffer> => readFile(join(projectRoot, 'test/audio', name));
  /** What the engine gets of a whole recording. */
  const heard = async (config: object, bytes: Buffer): Promise<Buffer> => {
    const s = session();
    const stream = await s.start(config);
    expect(stream.options).toEqual(PLAIN);
    s.live.binary(bytes);
    s.live.text('');
    await eventually(() => expect(stream.calls.at(-1)).toBe('end'));
    return Buffer.concat(stream.audio);
  };

  it('in a container tells its own rate and channels: what is said beside them is ignored', async () => {
    const bytes = (await recording('microphone-44k.wav')).subarray(0, 44 + 44_100);
    const plain = await heard({ audio_format: 'auto', sample_rate: null, num_channels: null }, bytes);
    // Half a second, as 16 kHz mono.
    expect(Math.abs(plain.length - 16_000)).toBeLessThan(100);
    const told = await heard({ audio_format: 'auto', sample_rate: 44_100, num_channels: 2 }, bytes);
    expect(told.equals(plain)).toBe(true);
  });

  it('AUD-07: in a container ends with what was done with the recording', async () => {
    const bytes = await recording('short.wav');
    const s = session();
    const stream = await s.start({ audio_format: 'auto' });
    s.live.binary(Buffer.concat([bytes, bytes]));
    s.live.text('');
    await eventually(() => expect(stream.calls.at(-1)).toBe('end'));
    stream.say([], true);
    expect(s.frames.at(-1)).toMatchObject({ finished: true, audio_notes: [{ type: 'parts_joined', count: 2 }] });
  });

  it.each(['auto', 'wav'])('%s: a header and no sound is an error, nothing at all is not', async (audio_format) => {
    const s = session();
    const stream = await s.start({ audio_format });
    s.live.binary((await recording('short.wav')).subarray(0, 44));
    s.live.text('');
    expect(await s.refusal()).toBe('400 invalid_audio: Audio decode error');
    expect([s.frames.length, stream.calls]).toEqual([1, ['abort']]);
    expect(await heard({ audio_format }, Buffer.alloc(0))).toHaveLength(0);
  });
});

describe('live session: time', () => {
  const restart = (code: number) =>
    `503 service_unavailable cannot_continue: Cannot continue request (code ${code}). Please restart the request.`;
  it('no start request', async () => {
    expect(await session().refusalAfter(10_000)).toBe('408 request_timeout: Start request timeout');
  });

  it.each<[what: string, ms: number, refusal: string, options?: SessionOptions & { sent?: string; request?: object }]>([
    ['no audio at all', 20_000, '408 request_timeout: Timed out while waiting for the first audio chunk'],
    [
      'ERR-05: the longest session',
      15_000,
      '413 max_duration_reached: Maximum stream duration reached.',
      { limits: { maxDurationMs: 15_000 } },
    ],
    [
      'the longest session of a key',
      5000,
      '403 temp_api_key_session_expired: Temporary API key session has reached its maximum duration.',
      { admission: { maxDurationMs: 5000 } },
    ],
    ['an engine that does not finish', 60_000, restart(2), { sent: '' }],
    [
      'bytes of a container, but no sound',
      15_000,
      '408 request_timeout: Audio data decode timeout',
      { request: { audio_format: 'auto' }, sent: 'UklGRgAAAAA=' },
    ],
  ])('%s', async (_what, ms, refusal, { sent, request, ...options } = {}) => {
    const s = session(options);
    const stream = await s.start(request);
    if (sent !== undefined) s.live.text(sent);
    expect(await s.refusalAfter(ms)).toBe(refusal);
    expect(stream.calls.at(-1)).toBe('abort');
  });

  it('ERR-05 LIM-16: the longest session has five hours, of audio as well, however fast that comes', async () => {
    expect(LIVE_LIMITS.maxDurationMs).toBe(18_000_000);
    const s = session({ limits: { maxDurationMs: 1000 } });
    const stream = await s.start();
    s.live.binary(Buffer.alloc(32_000));
    expect(s.frames).toEqual([]);
    s.live.binary(Buffer.alloc(32));
    expect(await s.refusal()).toBe('400 invalid_request too_much_audio: Audio is too long.');
    // What nobody heard is not charged.
    expect([stream.audioMs, s.released]).toMatchObject([1000, [{ audioMs: 1000 }]]);
  });

  it('20 s without a sign of life; keepalive, audio and finalize are signs', async () => {
    const s = session();
    await s.start();
    for (const sign of [
      () => s.live.text(KEEPALIVE),
      () => s.live.binary(Buffer.alloc(2)),
      () => s.live.binary(Buffer.alloc(0)),
      () => s.live.text(FINALIZE),
    ]) {
      s.clock.advance(19_999);
      sign();
    }
    expect(await s.refusalAfter(20_000)).toBe('408 request_timeout: Request timeout.');
  });

  it.each(['binary', 'base64'])(
    'a minute in which %s audio trickles, after one with little, but enough',
    async (form) => {
      const s = session();
      await s.start();
      const send = (bytes: number): void =>
        form === 'binary' ? s.live.binary(Buffer.alloc(bytes)) : s.live.text(Buffer.alloc(bytes).toString('base64'));
      for (const bytes of [...Array(6).fill(6400), ...Array(5).fill(2)]) {
        send(bytes);
        s.clock.advance(10_000);
      }
      send(2);
      expect(await s.refusalAfter(10_000)).toBe('408 request_timeout: Input too slow');
    },
  );

  it('a client that has ended its audio before the stream is open is not too slow', async () => {
    const ready = deferred();
    const s = session({ engine: { ready: () => ready.promise } });
    s.begin();
    s.live.binary(Buffer.alloc(320));
    s.live.text('');
    ready.resolve();
    await eventually(() => expect(s.engine.streams[0]?.calls).toEqual([320, 'end']));
    for (let n = 0; n < 3; n += 1) {
      s.clock.advance(50_000);
      s.engine.streams[0]?.say([]);
    }
    expect(s.frames).toEqual(Array(3).fill(expect.not.objectContaining({ error_code: expect.anything() })));
  });

  it('a client that is held back is not idle', async () => {
    const s = session();
    const stream = await s.start();
    stream.fill();
    s.live.binary(Buffer.alloc(2));
    s.clock.advance(60_000);
    expect(s.frames).toEqual([]);
    stream.drain();
    await eventually(() => expect(s.connection.paused).toBe(false));
    expect(await s.refusalAfter(20_000)).toBe('408 request_timeout: Request timeout.');
  });

  it('an engine that stands still is given up after two minutes in which it took nothing, not when it is only slow', async () => {
    const s = session();
    const stream = await s.start();
    stream.fill();
    for (let n = 0; n < 4; n += 1) s.live.binary(Buffer.alloc(2));
    for (let n = 1; n < 4; n += 1) {
      expect(stream.calls).toHaveLength(n);
      s.clock.advance(119_999);
      stream.drain();
      stream.fill();
      await eventually(() => expect(stream.calls).toHaveLength(n + 1));
    }
    expect(await s.refusalAfter(120_000)).toBe(restart(5));
  });

  it.each([0, 300])(
    'an engine that is not ready two minutes after the end is given up, after %d s of waiting',
    async (lead) => {
      const s = session({ engine: { ready: () => new Promise(() => {}) } });
      s.begin();
      await turn();
      s.live.binary(Buffer.alloc(3200));
      for (let passed = 0; passed < lead; passed += 10) {
        s.live.text(KEEPALIVE);
        s.clock.advance(10_000);
      }
      s.live.text('');
      expect(await s.refusalAfter(120_000)).toBe(
        '503 service_unavailable: The speech engine is not available. Please try again later.',
      );
      expect(s.released).toMatchObject([{ status: 'failed', audioMs: 0 }]);
    },
  );

  it.each([
    ['does not finish', 60_000, 2],
    ['stands still', 120_000, 5],
  ])('MET-05: what an engine that %s has told nothing of is not charged', async (_what, ms, code) => {
    const s = session();
    const stream = await s.start();
    s.live.binary(Buffer.alloc(3200));
    stream.say([]);
    if (code === 5) stream.fill();
    s.live.binary(Buffer.alloc(32_000));
    if (code === 2) s.live.text('');
    expect(await s.refusalAfter(ms)).toBe(restart(code));
    expect(s.released).toMatchObject([{ status: 'failed', audioMs: 100 }]);
  });
});

describe('live session: backpressure', () => {
  it('pauses the socket while the engine is behind and loses nothing', async () => {
    const s = session();
    const stream = await s.start();
    stream.fill();
    s.live.binary(Buffer.alloc(10));
    expect(s.connection.paused).toBe(true);
    s.live.binary(Buffer.alloc(20));
    s.live.text('');
    expect(stream.calls).toEqual([10]);
    stream.drain();
    await eventually(() => expect(stream.calls).toEqual([10, 20, 'end']));
    expect(s.connection.paused).toBe(false);
  });

  it('finalizes faster than they are answered: few reach the engine at a time, none is lost', async () => {
    const s = session();
    const stream = await s.start();
    for (let n = 0; n < 300; n += 1) s.live.text(FINALIZE);
    for (let answered = 0; answered < 300; answered += 1) {
      expect([stream.calls.length, s.connection.paused]).toEqual([Math.min(300, answered + 8), answered <= 292]);
      stream.say([{ text: '<fin>', is_final: true }]);
    }
    expect([stream.calls.length, s.frames.length]).toEqual([300, 300]);
  });

  it('pauses the socket for the rest of a second with too many frames, which is not idle meanwhile', async () => {
    const s = session({ limits: { framesPerSecond: 10 } });
    await s.start();
    for (let n = 0; n < 9; n += 1) s.live.text(KEEPALIVE);
    expect(s.connection.paused).toBe(true);
    s.clock.advance(999);
    expect(s.connection.paused).toBe(true);
    s.clock.advance(1);
    expect(s.connection.paused).toBe(false);
    s.clock.advance(19_999);
    expect(s.frames).toEqual([]);
  });

  it('stops reading from a client that does not read, goes on when it does, and gives it up after half a minute', async () => {
    const s = session({ limits: { outgoingBytes: 1000 } });
    const stream = await s.start();
    s.live.binary(Buffer.alloc(2));
    s.connection.pending = 1000;
    stream.say([word(' a', 0)]);
    expect(s.connection.paused).toBe(true);
    s.clock.advance(29_999);
    s.connection.read();
    expect(s.connection.paused).toBe(false);
    s.clock.advance(10_000);
    expect(s.frames).toHaveLength(1);
    s.connection.pending = 1000;
    stream.say([word(' b', 0)]);
    expect(await s.refusalAfter(30_000)).toBe('408 request_timeout: Results are not read fast enough.');
    expect(stream.calls).toEqual([2, 'abort']);
  });
});
