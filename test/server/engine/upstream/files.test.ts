import type { IncomingMessage } from 'node:http';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TranscriptToken } from '#contract/transcriptions.ts';
import { EngineError, type SttEngine, type TranscribeOptions } from '#server/engine/port.ts';
import { systemClock } from '#server/platform/clock.ts';
import { createFakeEngine, SPOKEN, type FakeEngineScript } from '../../fake-engine.ts';
import type { TestServer, TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { deferred } from '../../speech-api/live/live-harness.ts';
import { consoleClient } from '../../speech-api/client.ts';
import { call, projectKey, upload } from '../../speech-api/harness.ts';
import { S16, wav } from '../decode/decode-fixtures.ts';
import { json, refuse, startProvider, startScripted, upstreamOf, type ScriptedUpstream } from './harness.ts';

const KEY = 'key-that-nobody-may-see';
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});
const closing = <T extends { close(): Promise<void> }>(thing: T): T => {
  ends.push(() => thing.close());
  return thing;
};

async function* pcm(seconds = 1): AsyncGenerator<Float32Array> {
  for (let second = 0; second < seconds; second += 1) yield new Float32Array(16_000).fill(0.25);
}

describe('through a server of ours', { timeout: 90_000 }, () => {
  /** What the upstream's engine does next. */
  let script: NonNullable<FakeEngineScript['transcribe']>;
  let upstream: TestServer;
  let user: TestUser;
  let key: string;
  let engine: SttEngine;
  beforeAll(async () => {
    upstream = await startProvider(createFakeEngine({ transcribe: (seconds, options) => script(seconds, options) }));
    user = await upstream.createUser();
    ({ key } = await projectKey(upstream, user));
    engine = upstreamOf(upstream.url, key);
  }, 180_000);
  afterAll(async () => {
    await engine.close();
    await upstream.close();
  });
  beforeEach(() => {
    script = () => Promise.resolve(SPOKEN);
  });
  const left = () =>
    Promise.all(
      ['/files/count', '/transcriptions/count'].map(
        async (path) => (await (await call(upstream, user, 'GET', path)).json()).total,
      ),
    );
  /** One of them runs at the upstream. */
  const processing = () =>
    vi.waitFor(
      async () =>
        expect((await (await call(upstream, user, 'GET', '/transcriptions')).json()).transcriptions).toMatchObject([
          { status: 'processing' },
        ]),
      { timeout: 60_000, interval: 50 },
    );

  it('a recording is transcribed with all its options, and nothing is left there', async () => {
    const heard: { seconds: number; options: TranscribeOptions }[] = [];
    const tokens: TranscriptToken[] = SPOKEN.map((token) => ({ ...token, speaker: '1', language: 'en' }));
    script = (seconds, options) => (heard.push({ seconds, options }), Promise.resolve(tokens));
    const front = closing(await startProvider(upstreamOf(upstream.url, key)));
    const own = await front.createUser();
    const recording = new Uint8Array(wav(S16, new Float32Array(24_000)));
    const file = await (await upload(front, own, recording)).json();
    const { create, get, transcript } = consoleClient(() => ({ server: front, user: own }));
    const { id } = await create({
      file_id: file.id,
      enable_speaker_diarization: true,
      enable_language_identification: true,
    });
    // Two decoders start their threads for this.
    await vi.waitFor(
      async () => expect(await get(id)).toMatchObject({ status: 'completed', audio_duration_ms: 1500 }),
      { timeout: 90_000, interval: 100 },
    );
    expect(await transcript(id)).toMatchObject({ text: ' Hello world', tokens });
    expect(heard).toEqual([
      { seconds: 1.5, options: expect.objectContaining({ diarization: true, languageIdentification: true }) },
    ]);
    await eventually(async () => expect(await left()).toEqual([0, 0]));
  }, 150_000);

  it('a recording that is wrong there is wrong here', async () => {
    script = () => Promise.reject(new EngineError('invalid_audio', 'It is only noise.'));
    await expect(engine.transcribe(pcm())).rejects.toMatchObject({
      code: 'invalid_audio',
      message: 'It is only noise.',
    });
    await eventually(async () => expect(await left()).toEqual([0, 0]));
  });

  it('a cancelled one is deleted there as soon as it can be', async () => {
    const { promise: released, resolve: release } = deferred();
    script = () => released.then(() => SPOKEN);
    const cancel = new AbortController();
    const outcome = Promise.allSettled([engine.transcribe(pcm(), { signal: cancel.signal })]);
    await processing();
    cancel.abort();
    expect(await outcome).toMatchObject([{ status: 'rejected', reason: { code: 'aborted' } }]);
    release();
    await eventually(async () => expect(await left()).toEqual([0, 0]));
  });

  it('a wrong key is told, but not shown', async () => {
    const warn = vi.fn();
    const stranger = closing(upstreamOf(upstream.url, KEY, { log: { info: vi.fn(), warn } }));
    const reason = `The speech service at ${new URL(upstream.url).host} does not accept the key of this server (SPEECH_UPSTREAM_KEY).`;
    await expect(stranger.ready()).rejects.toThrow(reason);
    await expect(stranger.ready()).rejects.toMatchObject({ code: 'not_ready' });
    await expect(stranger.transcribe(pcm())).rejects.toThrow(reason);
    expect(() => stranger.openStream({ sampleRate: 8000, channels: 1 }, { result() {}, error() {} })).toThrow(
      EngineError,
    );
    expect(warn).toHaveBeenCalledWith({ reason }, expect.any(String));
    expect(JSON.stringify(warn.mock.calls)).not.toContain(KEY);
  });

  it('a server that dies meanwhile is an error, not a wait for ever', async () => {
    script = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new EngineError('aborted', 'stopped')));
      });
    const outcome = Promise.allSettled([engine.transcribe(pcm())]);
    await processing();
    await upstream.close();
    expect(await outcome).toMatchObject([
      { status: 'rejected', reason: { code: 'not_ready', message: expect.stringContaining('does not answer') } },
    ]);
  });
});

describe('a service that misbehaves', () => {
  const ID = '3d37a3bd-5078-47ee-a369-b204e3bbedda';
  const transcription = (status: string, extra: object = {}) => ({
    id: ID,
    status,
    created_at: '2026-01-01T00:00:00Z',
    model: 'file-1',
    filename: 'recording.wav',
    enable_speaker_diarization: false,
    enable_language_identification: false,
    ...extra,
  });
  const body = async (request: IncomingMessage): Promise<Buffer> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    return Buffer.concat(parts);
  };
  const good: Parameters<typeof startScripted>[0] = {
    'POST /v1/files': (response, request) =>
      void body(request).then(() =>
        json(response, 201, { id: ID, filename: 'recording.wav', size: 1, created_at: '2026-01-01T00:00:00Z' }),
      ),
    'POST /v1/transcriptions': (response) => json(response, 201, transcription('queued')),
    [`GET /v1/transcriptions/${ID}`]: (response) => json(response, 200, transcription('completed')),
    [`GET /v1/transcriptions/${ID}/transcript`]: (response) =>
      json(response, 200, { id: ID, text: ' Hello', tokens: SPOKEN }),
    [`DELETE /v1/transcriptions/${ID}`]: (response) => void response.writeHead(204).end(),
    [`DELETE /v1/files/${ID}`]: (response) => void response.writeHead(204).end(),
  };
  const scripted = async (
    routes: Parameters<typeof startScripted>[0] = {},
    options: Parameters<typeof upstreamOf>[2] = {},
  ): Promise<{ upstream: ScriptedUpstream; engine: SttEngine }> => {
    const upstream = closing(await startScripted({ ...good, ...routes }));
    return { upstream, engine: closing(upstreamOf(upstream.url, KEY, options)) };
  };

  it('gets a WAV of 16 kHz, 16 bit, and the options as it names them', async () => {
    const got: Buffer[] = [];
    let asked = '';
    const { engine, upstream } = await scripted({
      'POST /v1/files': (response, request) =>
        void body(request).then(
          (whole) => (
            got.push(whole),
            json(response, 201, { id: ID, filename: 'x', size: 1, created_at: '2026-01-01T00:00:00Z' })
          ),
        ),
      'POST /v1/transcriptions': (response, request) =>
        void body(request).then((whole) => ((asked = whole.toString()), json(response, 201, transcription('queued')))),
    });
    const onProgress = vi.fn();
    expect(
      await engine.transcribe(pcm(2), {
        onProgress,
        diarization: true,
        languageHints: ['en'],
        languageHintsStrict: true,
        context: { terms: ['a'] },
        translation: { type: 'one_way', target_language: 'de' },
      }),
    ).toEqual({ tokens: SPOKEN, durationMs: 2000 });
    expect(onProgress).toHaveBeenLastCalledWith(2000);
    const sent = got[0]!.subarray(got[0]!.indexOf('RIFF'));
    expect([
      sent.readUInt16LE(20),
      sent.readUInt16LE(22),
      sent.readUInt32LE(24),
      sent.readUInt16LE(34),
      sent.readInt16LE(44),
    ]).toEqual([1, 1, 16_000, 16, 8192]);
    expect(JSON.parse(asked)).toEqual({
      model: 'file-1',
      file_id: ID,
      enable_speaker_diarization: true,
      enable_language_identification: false,
      language_hints: ['en'],
      language_hints_strict: true,
      context: { terms: ['a'] },
      translation: { type: 'one_way', target_language: 'de' },
    });
    await eventually(() =>
      expect(upstream.calls.slice(-2)).toEqual([`DELETE /v1/transcriptions/${ID}`, `DELETE /v1/files/${ID}`]),
    );
  });

  it('the log names what it does not delete', async () => {
    const warn = vi.fn();
    const { engine } = await scripted(
      {
        [`DELETE /v1/transcriptions/${ID}`]: (response) => refuse(response, 500, `no ${KEY}`),
        [`DELETE /v1/files/${ID}`]: (response) => refuse(response, 409, 'still in use'),
      },
      { log: { info: vi.fn(), warn }, clock: { ...systemClock, after: (_ms, run) => systemClock.after(0, run) } },
    );
    expect((await engine.transcribe(pcm())).tokens).toEqual(SPOKEN);
    await eventually(() => expect(warn).toHaveBeenCalledTimes(2));
    expect(warn.mock.calls.map(([details]) => details)).toEqual([
      { path: `/transcriptions/${ID}`, reason: expect.stringMatching(/with 500\. It says: no \[key\]$/) },
      { path: `/files/${ID}`, reason: 'It is still being worked on.' },
    ]);
  });

  it('is asked for nothing when there is no sound', async () => {
    const { engine, upstream } = await scripted();
    expect(await engine.transcribe(pcm(0))).toEqual({ tokens: [], durationMs: 0 });
    expect(upstream.calls).toEqual(['GET /v1/models']);
  });

  it('LIM-15: is asked to recognize nothing where the length of the recording is refused', async () => {
    const { engine, upstream } = await scripted();
    const lengths: number[] = [];
    const onLength = (ms: number): Promise<never> => {
      lengths.push(ms);
      return Promise.reject(new Error('no room'));
    };
    await expect(engine.transcribe(pcm(2), { onLength })).rejects.toThrow('no room');
    expect(lengths).toEqual([2000]);
    await engine.close();
    expect(upstream.calls.filter((call) => call.includes('transcriptions'))).toEqual([]);
    await eventually(() => expect(upstream.calls.at(-1)).toBe(`DELETE /v1/files/${ID}`));
  });

  it('may stumble while it is looked at, but not for ever', async () => {
    let looks = 0;
    const { engine } = await scripted({
      [`GET /v1/transcriptions/${ID}`]: (response) => {
        looks += 1;
        if (looks < 3) refuse(response, 503, 'later');
        else if (looks < 5) json(response, 200, transcription(looks === 3 ? 'queued' : 'processing'));
        else json(response, 200, transcription('completed'));
      },
    });
    expect((await engine.transcribe(pcm())).tokens).toEqual(SPOKEN);
    expect(looks).toBe(5);
    const { engine: hopeless } = await scripted({
      [`GET /v1/transcriptions/${ID}`]: (response) => refuse(response, 500, `no ${KEY}`),
    });
    await expect(hopeless.transcribe(pcm())).rejects.toMatchObject({
      code: 'worker_crashed',
      message: expect.stringMatching(/refused a request with 500\. It says: no \[key\]$/),
    });
  });

  it.each([
    ['too many', { 'POST /v1/transcriptions': (response) => refuse(response, 429, 'slow down') }, 'overloaded'],
    ['no money', { 'POST /v1/transcriptions': (response) => refuse(response, 402, 'pay') }, 'not_ready'],
    [
      'its model is gone',
      {
        'POST /v1/transcriptions': (response) => refuse(response, 400, 'No.', { error_type: 'model_not_available' }),
      },
      'model_missing',
    ],
    [
      'words about its model and the audio',
      { 'POST /v1/transcriptions': (response) => refuse(response, 400, 'No audio file for the model specified.') },
      'worker_crashed',
    ],
    [
      'a page instead of JSON',
      { [`GET /v1/transcriptions/${ID}/transcript`]: (response) => void response.end('<html>') },
      'worker_crashed',
    ],
    [
      'other JSON',
      { [`GET /v1/transcriptions/${ID}/transcript`]: (response) => json(response, 200, { tokens: 'none' }) },
      'worker_crashed',
    ],
    [
      'another place',
      {
        'POST /v1/transcriptions': (response) =>
          void response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
      },
      'not_ready',
    ],
    ['it hangs up', { 'POST /v1/transcriptions': (response) => void response.destroy() }, 'not_ready'],
    [
      'its job fails',
      {
        [`GET /v1/transcriptions/${ID}`]: (response) =>
          json(response, 200, transcription('error', { error_type: 'odd', error_message: `because of ${KEY}` })),
      },
      'worker_crashed',
    ],
  ] satisfies [string, Parameters<typeof startScripted>[0], string][])(
    '%s: a failure with a code, without the key, and its file is deleted',
    async (_, routes, code) => {
      const { engine, upstream } = await scripted(routes);
      const [outcome] = await Promise.allSettled([engine.transcribe(pcm())]);
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'EngineError', code } });
      expect(inspect(outcome, { depth: 9 })).not.toContain(KEY);
      await eventually(() => expect(upstream.calls.at(-1)).toBe(`DELETE /v1/files/${ID}`));
    },
  );

  it.each([
    ['refuses an upload before it has all of it', 429, 'overloaded'],
    ['finds it too large', 413, 'audio_too_long'],
    ['refuses the file', 400, 'invalid_audio', { location: 'file.file' }],
    ['refuses something else', 400, 'worker_crashed', { location: 'client_reference_id' }],
  ])('%s', async (_, status, code, at?: { location: string }) => {
    const validation_errors = at ? [{ ...at, error_type: 'x', message: 'no' }] : [];
    const { engine } = await scripted({
      'POST /v1/files': (response) => refuse(response, status, 'no', { validation_errors }),
    });
    let left = false;
    const endless = async function* endless(): AsyncGenerator<Float32Array> {
      try {
        for (;;) {
          yield new Float32Array(16_000);
          await new Promise(setImmediate);
        }
      } finally {
        left = true;
      }
    };
    await expect(engine.transcribe(endless())).rejects.toMatchObject({ code });
    await eventually(() => expect(left).toBe(true));
  });

  it.each([
    { validation_errors: null },
    { validation_errors: [{ error_type: 'x', message: 'no' }] },
    { message: ['no'] },
  ])('a field of a wrong type does not hide the others of a refusal: %j', async (wrong) => {
    const { engine } = await scripted({
      'POST /v1/transcriptions': (response) =>
        json(response, 400, { error_type: 'model_not_available', message: 'no', validation_errors: [], ...wrong }),
    });
    await expect(engine.transcribe(pcm())).rejects.toMatchObject({ code: 'model_missing' });
  });

  it('is not blamed for a recording that cannot be read, nor for a cancelled upload', async () => {
    const { engine } = await scripted();
    const broken = async function* broken(): AsyncGenerator<Float32Array> {
      yield new Float32Array(16);
      throw new EngineError('unsupported_format', 'What is this?');
    };
    await expect(engine.transcribe(broken())).rejects.toMatchObject({
      code: 'unsupported_format',
      message: 'What is this?',
    });
    const cancel = new AbortController();
    const cancelled = async function* cancelled(): AsyncGenerator<Float32Array> {
      yield new Float32Array(16);
      cancel.abort();
      for (;;) {
        await new Promise(setImmediate);
        yield new Float32Array(16_000);
      }
    };
    await expect(engine.transcribe(cancelled(), { signal: cancel.signal })).rejects.toMatchObject({ code: 'aborted' });
  });

  it('may come up later, and is then asked again by itself', async () => {
    const early = await startScripted();
    const { port } = new URL(early.url);
    await early.close();
    const engine = closing(upstreamOf(early.url, KEY));
    expect(engine.info()).toMatchObject({ runtime: 'upstream', languages: [], ready: false });
    await expect(engine.ready()).rejects.toMatchObject({
      code: 'not_ready',
      message: `The speech service at 127.0.0.1:${port} does not answer.`,
    });
    closing(await startScripted({}, Number(port)));
    await eventually(() => expect(engine.info().ready).toBe(true));
    await engine.ready();
  });

  it('does with the models that the settings name; a wrong name is told', async () => {
    const { upstream, engine } = await scripted();
    await engine.ready();
    expect(engine.info()).toMatchObject({
      languages: ['en', 'de'],
      abilities: {
        async: { languages: [{ code: 'en' }], one_way_translation: 'all_languages' },
        real_time: { supports_max_endpoint_delay: true, supports_audio_event_detection: false },
      },
    });
    await closing(upstreamOf(upstream.url, KEY, { liveModel: 'live-old', fileModel: 'file-1' })).ready();
    await expect(closing(upstreamOf(upstream.url, KEY, { liveModel: 'file-1' })).ready()).rejects.toMatchObject({
      code: 'model_missing',
      message: expect.stringMatching(/has no live model file-1\.$/),
    });
  });

  it('is left in peace after close', async () => {
    const { engine } = await scripted();
    await engine.ready();
    await engine.close();
    expect(engine.info().ready).toBe(false);
    await expect(engine.transcribe(pcm())).rejects.toMatchObject({ code: 'not_ready' });
    await expect(engine.ready()).rejects.toMatchObject({ code: 'not_ready' });
  });
});
