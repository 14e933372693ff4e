import { describe, expect, it } from 'vitest';
import { LimitReached } from '#server/money/limits/admission.ts';
import { refusal } from '#server/speech-api/live/refusal.ts';
import { EngineError } from '#server/engine/port.ts';
import { session, START } from './live-harness.ts';

describe('live session: refused start requests', () => {
  it.each([
    ['a broken one', '{', 'Start request is malformed.'],
    ['an empty one', '', 'Start request is malformed.'],
    ['a list', '[]', 'Start request is malformed.'],
    ['a number as key', { api_key: 1 }, 'Start request is malformed.'],
    ['an unknown model', { model: 'nope' }, 'Invalid model specified.'],
    ['an async model', { model: 'parlance-async-1' }, 'Invalid model specified.'],
    ['a number as model', { model: 5 }, 'Invalid model specified.'],
    [
      'no format',
      { audio_format: undefined },
      'Missing audio format. Specify a valid audio format (e.g. s16le, f32le, wav, ogg, flac...) or "auto" for auto format detection.',
    ],
    ['an unknown format', { audio_format: 'avi' }, 'Invalid audio data format: avi'],
    ['a format without its byte order', { audio_format: 's16' }, 'Invalid audio data format: s16'],
    ['no rate', { sample_rate: undefined }, 'Audio data sample rate must be specified for PCM formats'],
    ['no channels', { num_channels: null }, 'Audio data channels must be specified for PCM formats'],
    ['a silly rate', { sample_rate: 1 }, 'Audio data sample rate must be a whole number between 8000 and 192000.'],
    ['nine channels', { num_channels: 9 }, 'Audio data channels must be a whole number between 1 and 8.'],
    ['an unknown hint', { language_hints: ['xx'] }, 'Invalid language hint.'],
    ['hints of the wrong type', { language_hints: [5] }, 'Invalid language hint.'],
    ['hints twice', { language_hints: ['en', 'en'] }, 'Language hints must be unique.'],
    [
      'a translation',
      { translation: { type: 'one_way', target_language: 'de' } },
      'Model does not support translations.',
    ],
    ['audio events', { enable_audio_event_detection: true }, 'Model does not support audio event detection.'],
    ['a long context', { context: 'x'.repeat(10_001) }, 'Context is too long (max length 10000).'],
    ['a long structured context', { context: { text: 'x'.repeat(10_001) } }, 'Context is too long (max length 10000).'],
    ['a long reference', { client_reference_id: 'x'.repeat(257) }, 'Client reference ID is too long (max length 256)'],
  ])('%s', async (_name, change, message) => {
    const s = session();
    s.live.text(typeof change === 'string' ? change : JSON.stringify({ ...START, ...change }));
    const frame = await s.failure();
    expect(frame).toEqual({
      tokens: [],
      error_code: 400,
      error_type: expect.stringMatching(/^(invalid_request|model_not_available)$/),
      error_message: message,
      request_id: 'r-1',
      more_info: `https://errors.test/${String(frame['error_type'])}`,
    });
    expect(s.engine.streams).toEqual([]);
  });

  it('a binary first frame', async () => {
    const s = session();
    s.live.binary(Buffer.alloc(4));
    expect(await s.failure()).toMatchObject({
      error_code: 400,
      error_message: 'Start request must be a text message.',
    });
  });

  it('what the gate refuses', async () => {
    const s = session({ gate: { authenticate: () => Promise.reject(refusal.invalidKey()) } });
    s.live.text(JSON.stringify(START));
    expect(await s.failure()).toMatchObject({
      error_code: 401,
      error_type: 'unauthenticated',
      error_message: 'Invalid API key.',
    });
    const full = session({
      gate: {
        authenticate: () =>
          Promise.resolve({
            admit: () => Promise.reject(refusal.limitReached(new LimitReached('concurrent_streams', 'project', 10))),
          }),
      },
    });
    full.live.text(JSON.stringify(START));
    expect(await full.failure()).toMatchObject({ error_code: 429, error_type: 'limit_exceeded' });
  });
});

describe('live session: what goes wrong on the way', () => {
  it.each([
    ['{"type":"pause"}', 'Control request invalid type.'],
    ['{"type":', 'Control request is malformed.'],
    ['{}', 'Control request is malformed.'],
    ['{"type":"finalize","trailing_silence_ms":"x"}', 'Control request is malformed.'],
    ['not base64!', 'Invalid base64.'],
  ])('control frame %s', async (frame, message) => {
    const s = session();
    const stream = await s.start();
    s.live.text(frame);
    expect(await s.failure()).toMatchObject({ error_code: 400, error_type: 'invalid_request', error_message: message });
    expect(stream.calls).toEqual(['abort']);
    expect(s.released).toEqual([{ status: 'failed', audioMs: 0, refusal: expect.objectContaining({ code: 400 }) }]);
  });

  it.each([
    ['overloaded', 503, 'service_unavailable'],
    ['not_ready', 503, 'service_unavailable'],
    ['worker_crashed', 503, 'service_unavailable'],
    ['invalid_audio', 400, 'invalid_request'],
    ['audio_too_long', 400, 'invalid_request'],
  ] as const)('engine failure %s → %i', async (code, status, type) => {
    const s = session();
    const stream = await s.start();
    stream.fail(new EngineError(code, 'x'));
    stream.fail(new EngineError(code, 'again'));
    expect(await s.failure()).toMatchObject({ error_code: status, error_type: type });
    expect(s.frames).toHaveLength(1);
  });

  it('an engine that admits no more, and one whose model is missing', async () => {
    const s = session({ engine: { info: { maxStreams: 0 } } });
    s.live.text(JSON.stringify(START));
    expect(await s.failure()).toMatchObject({ error_code: 503 });
    expect(s.released).toEqual([]);
    const none = session({ engine: { ready: () => Promise.reject(new EngineError('model_missing', 'x')) } });
    none.live.text(JSON.stringify(START));
    expect(await none.failure()).toMatchObject({
      error_code: 503,
      error_message: 'The speech engine is not available. Please try again later.',
    });
  });

  it('a bug is a 500 without its text', async () => {
    const s = session({ engine: { ready: () => Promise.reject(new Error('secret detail')) } });
    s.live.text(JSON.stringify(START));
    expect(await s.failure()).toMatchObject({ error_code: 500, error_message: expect.not.stringContaining('secret') });
  });

  it('ERR-05: a stopping server says that the request cannot be continued', async () => {
    const s = session();
    await s.start();
    s.live.shutdown();
    expect(await s.failure()).toMatchObject({
      error_code: 503,
      error_type: 'service_unavailable',
      error_message: 'Cannot continue request (code 1). Please restart the request.',
    });
  });
});
