import { describe, expect, it } from 'vitest';
import type { Admitting, SessionSummary } from '#server/speech-api/live/ports.ts';
import { word } from '../../fake-engine.ts';
import { eventually } from '../../eventually.ts';
import { deferred, session, START } from './live-harness.ts';

describe('live session: the way through', () => {
  it('LIV-15: start request, audio, empty text, results, finished, close 1000', async () => {
    const s = session();
    const stream = await s.start();
    expect(stream.options).toEqual({
      sampleRate: 16_000,
      channels: 1,
      endpointDetection: false,
      diarization: false,
      languageIdentification: false,
    });
    expect(s.frames).toEqual([]);
    s.live.binary(Buffer.alloc(3200));
    stream.say([word(' Hel', 0, false)]);
    stream.say([word(' Hel', 0), word('lo', 100, false)]);
    s.live.text('');
    expect(stream.calls).toEqual([3200, 'end']);
    stream.say([word('lo', 100)], true);
    expect(s.frames).toEqual([
      { tokens: [word(' Hel', 0, false)], final_audio_proc_ms: 100, total_audio_proc_ms: 100 },
      { tokens: [word(' Hel', 0), word('lo', 100, false)], final_audio_proc_ms: 100, total_audio_proc_ms: 100 },
      { tokens: [word('lo', 100)], final_audio_proc_ms: 100, total_audio_proc_ms: 100 },
      { tokens: [], final_audio_proc_ms: 100, total_audio_proc_ms: 100, finished: true },
    ]);
    expect(s.connection.closed).toEqual([1000]);
    expect(s.released).toEqual([{ status: 'completed', audioMs: 100, refusal: null }]);
    expect(s.ended).toEqual(s.released);
    s.live.gone();
    expect(s.ended).toHaveLength(1);
  });

  it.each(['its end', 'an error'])('LIM-14: %s is told once another stream can have the place', async (what) => {
    const freed = deferred();
    const admission = { maxDurationMs: null, costOf: () => null, isKeepable: false, release: () => freed.promise };
    const admit: Admitting['admit'] = (_request, open) => {
      open();
      return Promise.resolve(admission);
    };
    const s = session({ gate: { authenticate: () => Promise.resolve({ admit }) }, engine: { auto: true } });
    await s.start();
    s.live.text(what === 'an error' ? 'rubbish!' : '');
    await new Promise(setImmediate);
    const isLast = (frame: object): boolean => 'finished' in frame || 'error_code' in frame;
    expect([s.ended.length, s.frames.filter(isLast), s.connection.closed]).toEqual([1, [], []]);
    freed.resolve();
    await eventually(() => expect(s.connection.closed).toEqual([1000]));
    expect(s.frames.filter(isLast)).toEqual([
      expect.objectContaining(what === 'an error' ? { error_code: 400 } : { finished: true }),
    ]);
  });

  it('hands the switches of the start request to the engine, also when others are null', async () => {
    const s = session();
    const stream = await s.start({
      model: null,
      audio_format: 'pcm_s16le',
      num_channels: 2,
      enable_endpoint_detection: true,
      enable_speaker_diarization: true,
      enable_language_identification: true,
      language_hints: ['en'],
      language_hints_strict: true,
      context: 'plain',
      translation: null,
      client_reference_id: null,
      max_endpoint_delay_ms: 900,
    });
    expect(stream.options).toEqual({
      sampleRate: 16_000,
      channels: 2,
      endpointDetection: true,
      diarization: true,
      languageIdentification: true,
      languageHints: ['en'],
      languageHintsStrict: true,
      maxEndpointDelayMs: 900,
      context: 'plain',
    });
  });

  it('LIV-09: finalize reaches the engine in order with the audio; keepalive and empty binary frames do not', async () => {
    const s = session();
    const stream = await s.start();
    s.live.binary(Buffer.alloc(10));
    s.live.text('{"type":"finalize","trailing_silence_ms":300}');
    s.live.text('{ "type": "keepalive" }');
    s.live.binary(Buffer.alloc(0));
    s.live.binary(Buffer.alloc(20));
    s.live.text('{"type":"finalize"}');
    expect(stream.calls).toEqual([10, 'finalize', 20, 'finalize']);
    stream.say([word(' a', 0), { text: '<fin>', is_final: true }]);
    expect(s.frames).toHaveLength(1);
  });

  it('takes audio as base64 text', async () => {
    const s = session();
    const stream = await s.start();
    s.live.text(Buffer.from([1, 2, 3, 4]).toString('base64'));
    expect(stream.audio).toEqual([Buffer.from([1, 2, 3, 4])]);
  });

  it('keeps audio that arrives before the engine is ready, in order, and pauses the socket when that is much', async () => {
    const gate = deferred();
    const s = session({ engine: { ready: () => gate.promise }, limits: { incomingBytes: 300 } });
    s.live.text(JSON.stringify(START));
    s.live.binary(Buffer.alloc(60, 1));
    expect(s.connection.paused).toBe(false);
    s.live.text('{"type":"finalize"}');
    s.live.binary(Buffer.alloc(62, 2));
    expect(s.connection.paused).toBe(true);
    s.live.text('');
    gate.resolve();
    await eventually(() => expect(s.engine.streams[0]?.calls).toEqual([60, 'finalize', 62, 'end']));
    expect(s.connection.paused).toBe(false);
  });

  it('a stream without audio finishes', async () => {
    const s = session({ engine: { auto: true } });
    await s.start();
    s.live.text('');
    expect(s.frames.at(-1)).toMatchObject({ tokens: [], finished: true });
    expect(s.released).toEqual([{ status: 'completed', audioMs: 0, refusal: null }]);
  });

  it('ignores what comes after the end', async () => {
    const s = session();
    const stream = await s.start();
    s.live.text('');
    s.live.binary(Buffer.alloc(5));
    s.live.text('');
    s.live.text('rubbish!');
    expect(stream.calls).toEqual(['end']);
    expect(s.frames).toEqual([]);
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
    early.live.text(JSON.stringify(START));
    early.live.gone();
    loading.resolve();
    await eventually(() => expect(early.released).toHaveLength(1));
    expect(early.engine.streams).toEqual([]);
  });

  it.each(['before', 'after'])(
    'a client that leaves while it is admitted, %s its stream is open, keeps nothing',
    async (when) => {
      const admitting = deferred();
      const released: SessionSummary[] = [];
      const admit: Admitting['admit'] = async (_request, open) => {
        if (when === 'after') open();
        await admitting.promise;
        if (when === 'before') open();
        return {
          maxDurationMs: null,
          costOf: () => null,
          isKeepable: false,
          release: (end) => void released.push(end),
        };
      };
      const s = session({ gate: { authenticate: () => Promise.resolve({ admit }) } });
      s.live.text(JSON.stringify(START));
      await new Promise(setImmediate);
      s.live.gone();
      admitting.resolve();
      await eventually(() => expect(released).toEqual([{ status: 'aborted', audioMs: 0, refusal: null }]));
      expect(s.engine.streams.map(({ calls }) => calls)).toEqual(when === 'after' ? [['abort']] : []);
    },
  );
});

describe('live session: time', () => {
  it('no start request within 10 s → 408', () => {
    const s = session();
    s.clock.advance(9_999);
    expect(s.frames).toEqual([]);
    s.clock.advance(1);
    expect(s.frames).toEqual([expect.objectContaining({ error_code: 408, error_message: 'Start request timeout' })]);
  });

  it('20 s without a sign of life → 408; keepalive, audio and finalize are signs', async () => {
    const s = session();
    await s.start();
    for (const sign of [
      () => s.live.text('{"type":"keepalive"}'),
      () => s.live.binary(Buffer.alloc(2)),
      () => s.live.binary(Buffer.alloc(0)),
      () => s.live.text('{"type":"finalize"}'),
    ]) {
      s.clock.advance(19_999);
      sign();
    }
    s.clock.advance(19_999);
    expect(s.frames).toEqual([]);
    s.clock.advance(1);
    expect(s.frames).toEqual([
      expect.objectContaining({ error_code: 408, error_type: 'request_timeout', error_message: 'Request timeout.' }),
    ]);
  });

  it('no audio at all for 20 s → 408 that says so', async () => {
    const s = session();
    await s.start();
    s.clock.advance(20_000);
    expect(s.frames).toEqual([
      expect.objectContaining({ error_code: 408, error_message: 'Timed out while waiting for the first audio chunk' }),
    ]);
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
    s.clock.advance(20_000);
    expect(s.frames).toHaveLength(1);
  });

  it('ERR-05: the longest session ends with 413 by the clock, with 400 by the audio', async () => {
    const s = session({ limits: { maxDurationMs: 15_000 } });
    await s.start();
    s.clock.advance(15_000);
    expect(s.frames).toEqual([expect.objectContaining({ error_code: 413, error_type: 'max_duration_reached' })]);
    const fast = session({ limits: { maxDurationMs: 1000 } });
    await fast.start();
    fast.live.binary(Buffer.alloc(32_000));
    expect(fast.frames).toEqual([]);
    fast.live.binary(Buffer.alloc(32));
    expect(await fast.failure()).toMatchObject({
      error_code: 400,
      error_type: 'invalid_request',
      error_message: 'Audio is too long.',
    });
  });

  it('a key may bound its session: 403', async () => {
    const s = session({ keyMaxMs: 5000 });
    await s.start();
    s.clock.advance(5000);
    expect(s.frames).toEqual([
      expect.objectContaining({ error_code: 403, error_type: 'temp_api_key_session_expired' }),
    ]);
  });

  it('an engine that does not finish is given up', async () => {
    const s = session();
    await s.start();
    s.live.text('');
    s.clock.advance(60_000);
    expect(s.frames).toEqual([
      expect.objectContaining({ error_code: 503, error_message: expect.stringContaining('Cannot continue request') }),
    ]);
  });
});

describe('live session: an engine that stands still', () => {
  it('is given up after two minutes in which it took nothing, not when it is only slow', async () => {
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
    expect(s.frames).toEqual([]);
    s.clock.advance(120_000);
    expect(await s.failure()).toMatchObject({
      error_code: 503,
      error_message: 'Cannot continue request (code 5). Please restart the request.',
    });
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

  it('stops reading from a client that does not read, goes on when it does', async () => {
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
  });

  it('gives up a client that goes on not reading', async () => {
    const s = session({ limits: { outgoingBytes: 1000 } });
    const stream = await s.start();
    s.connection.pending = 1000;
    stream.say([word(' a', 0)]);
    s.clock.advance(30_000);
    expect(await s.failure()).toMatchObject({ error_code: 408, error_message: 'Results are not read fast enough.' });
    expect(stream.calls).toEqual(['abort']);
  });
});
