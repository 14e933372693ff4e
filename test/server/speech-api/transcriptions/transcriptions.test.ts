import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Counts } from '#contract/files.ts';
import { Transcript, Transcription, TranscriptionPage, type TranscriptToken } from '#contract/transcriptions.ts';
import { EngineError, type TranscribeOptions } from '#server/engine/port.ts';
import { SPOKEN } from '../../fake-engine.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { call, refusalOf, startSpeechServer, uploaded, type SpeechServer } from '../harness.ts';
import { deferred } from '../live/live-harness.ts';

let server: SpeechServer;
let user: TestUser;
/** What the engine and the decoder do in the test at hand. */
let transcribe: (options: TranscribeOptions) => Promise<TranscriptToken[]>;
let decoding: (allowed: { maxSeconds: number }) => EngineError | null;
/** What recordings declare, seconds. */
let length: number | undefined;

beforeAll(async () => {
  server = await startSpeechServer({
    engine: { transcribe: (_seconds, options) => transcribe(options) },
    decoding: (allowed) => decoding(allowed),
    length: () => length,
    jobs: { maxAttempts: 3 },
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  transcribe = () => Promise.resolve(SPOKEN);
  decoding = () => null;
  length = undefined;
  user = await server.createUser();
});

const MODEL = 'parlance-async-1';
const get = async (id: string): Promise<Transcription> =>
  v.parse(Transcription, await (await call(server, user, 'GET', `/transcriptions/${id}`)).json());
const create = async (extra: object = {}): Promise<Transcription> => {
  const file = await uploaded(server, user);
  const response = await call(server, user, 'POST', '/transcriptions', { model: MODEL, file_id: file.id, ...extra });
  expect(response.status).toBe(201);
  return v.parse(Transcription, await response.json());
};
const reaches = (id: string, status: string): Promise<Transcription> =>
  eventually(async () => {
    const transcription = await get(id);
    expect(transcription.status).toBe(status);
    return transcription;
  });

describe('the way through', () => {
  it('a file becomes a transcript', async () => {
    const made = await create({
      language_hints: ['en'],
      context: { terms: ['Parlance'] },
      enable_speaker_diarization: true,
      client_reference_id: 'r',
      audio_url: null,
      translation: null,
      webhook_url: null,
    });
    expect(made).toMatchObject({
      status: 'queued',
      model: MODEL,
      filename: 'talk.wav',
      language_hints: ['en'],
      context: { terms: ['Parlance'] },
      enable_speaker_diarization: true,
      enable_language_identification: false,
      client_reference_id: 'r',
      audio_duration_ms: null,
      error_type: null,
    });
    const done = await reaches(made.id, 'completed');
    expect(done.audio_duration_ms).toBe(1000);
    const transcript = v.parse(
      Transcript,
      await (await call(server, user, 'GET', `/transcriptions/${made.id}/transcript`)).json(),
    );
    expect(transcript).toMatchObject({
      id: made.id,
      text: ' Hello world',
      tokens: [
        { text: ' Hello', start_ms: 0 },
        { text: ' world', end_ms: 900 },
      ],
    });
    expect(await server.services.db.selectFrom('jobs').selectAll().where('subject', '=', made.id).execute()).toEqual(
      [],
    );
  });

  it('takes the names that other clients use, and a plain string as context', async () => {
    const made = await create({ model: 'stt-async-v5', context: 'plain words' });
    expect(made).toMatchObject({ model: 'stt-async-v5', context: 'plain words' });
    await reaches(made.id, 'completed');
  });

  it('LIB-01: lists newest first by cursor; counts', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.unshift((await create()).id);
    const page = async (query: string): Promise<TranscriptionPage> =>
      v.parse(TranscriptionPage, await (await call(server, user, 'GET', `/transcriptions?${query}`)).json());
    const first = await page('limit=2&cursor=');
    expect(first.transcriptions.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const second = await page(`limit=2&cursor=${first.next_page_cursor}`);
    expect([second.transcriptions.map(({ id }) => id), second.next_page_cursor]).toEqual([ids.slice(2), null]);
    expect((await refusalOf(await call(server, user, 'GET', '/transcriptions?cursor=x'))).error_type).toBe(
      'invalid_cursor',
    );
    expect(v.parse(Counts, await (await call(server, user, 'GET', '/transcriptions/count')).json())).toEqual({
      total: 3,
      public_api: 0,
      playground: 3,
    });
  });

  it('LIB-03: a deleted one is gone, its file stays', async () => {
    const made = await create();
    await reaches(made.id, 'completed');
    const response = await call(server, user, 'DELETE', `/transcriptions/${made.id}`);
    expect([response.status, await response.text()]).toEqual([204, '']);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/transcript'],
      ['DELETE', ''],
    ] as const) {
      const gone = await call(server, user, method, `/transcriptions/${made.id}${path}`);
      expect(gone.status).toBe(404);
      expect(await refusalOf(gone)).toMatchObject({
        error_type: 'transcription_not_found',
        message: 'Transcription could not be found.',
      });
    }
    expect((await call(server, user, 'GET', `/files/${made.file_id}`)).status).toBe(200);
  });

  it('outlives its file', async () => {
    const made = await create();
    await reaches(made.id, 'completed');
    expect((await call(server, user, 'DELETE', `/files/${made.file_id}`)).status).toBe(204);
    expect(await get(made.id)).toMatchObject({ status: 'completed', file_id: null, filename: 'talk.wav' });
    expect((await call(server, user, 'GET', `/transcriptions/${made.id}/transcript`)).status).toBe(200);
  });

  it.each([
    ['no model', { model: undefined }, 'invalid_request', 'body.payload.model', 'Field required'],
    ['an unknown model', { model: 'nope' }, 'model_not_available', 'body.payload.model', 'Invalid model specified.'],
    [
      'a real-time model',
      { model: 'parlance-rt-1' },
      'model_not_available',
      'body.payload.model',
      'Invalid model specified.',
    ],
    ['no audio', { file_id: null }, 'invalid_request', 'body.payload.file_id', 'Field required'],
    [
      'two audios',
      { audio_url: 'https://example.com/a.wav' },
      'invalid_request',
      'body.payload.audio_url',
      'Specify either file_id or audio_url, not both.',
    ],
    [
      'an address',
      { file_id: undefined, audio_url: 'https://example.com/a.wav' },
      'invalid_request',
      'body.payload.audio_url',
      'audio_url is not enabled on this server.',
    ],
    [
      'a translation',
      { translation: { type: 'two_way', language_a: 'en', language_b: 'de' } },
      'invalid_request',
      'body.payload.translation',
      'Model does not support translations.',
    ],
    [
      'an unknown hint',
      { language_hints: ['de'] },
      'invalid_request',
      'body.payload.language_hints',
      'Invalid language hint.',
    ],
    [
      'hints twice',
      { language_hints: ['en', 'en'] },
      'invalid_request',
      'body.payload.language_hints',
      'Language hints must be unique.',
    ],
    [
      'audio events',
      { enable_audio_event_detection: true },
      'invalid_request',
      'body.payload.enable_audio_event_detection',
      'Model does not support audio event detection.',
    ],
    [
      'a long context',
      { context: 'x'.repeat(10_001) },
      'invalid_request',
      'body.payload.context',
      'Context is too long (max length 10000).',
    ],
  ])('refuses %s', async (_name, change, type, location, message) => {
    const file = await uploaded(server, user);
    const response = await call(server, user, 'POST', '/transcriptions', { model: MODEL, file_id: file.id, ...change });
    expect(response.status).toBe(400);
    expect(await refusalOf(response)).toMatchObject({
      status_code: 400,
      error_type: type,
      validation_errors: [{ location, message }],
      request_id: expect.any(String),
    });
  });

  it('refuses a file that does not exist, and one of another project', async () => {
    const stranger = await server.createUser();
    for (const id of [randomUUID(), (await uploaded(server, stranger)).id]) {
      const response = await call(server, user, 'POST', '/transcriptions', { model: MODEL, file_id: id });
      expect([response.status, (await refusalOf(response)).error_type]).toEqual([404, 'file_not_found']);
    }
  });
});

describe('while it is worked on', () => {
  it('its transcript and its deletion have to wait', async () => {
    const gate = deferred();
    transcribe = async () => (await gate.promise, []);
    const before = server.engine.transcriptions;
    const made = await create();
    await reaches(made.id, 'processing');
    const early = await call(server, user, 'GET', `/transcriptions/${made.id}/transcript`);
    expect(early.status).toBe(409);
    expect(await refusalOf(early)).toMatchObject({
      error_type: 'transcription_invalid_state',
      message: 'Can only get transcript with completed status.',
    });
    const deletion = await call(server, user, 'DELETE', `/transcriptions/${made.id}`);
    expect(deletion.status).toBe(409);
    expect(await refusalOf(deletion)).toMatchObject({
      error_type: 'transcription_invalid_state',
      message: 'Cannot delete transcription with processing status.',
    });
    // The next one waits in the queue of the one worker, and can be deleted.
    const next = await create();
    expect(next.status).toBe('queued');
    expect((await call(server, user, 'DELETE', `/transcriptions/${next.id}`)).status).toBe(204);
    gate.resolve();
    await reaches(made.id, 'completed');
    expect(server.engine.transcriptions - before).toBe(1);
    expect(await (await call(server, user, 'GET', `/transcriptions/${made.id}/transcript`)).json()).toEqual({
      id: made.id,
      text: '',
      tokens: [],
    });
  });
});

describe('CON-25 how far it is', () => {
  it('is told while it is worked on, never for one that waits or has ended', async () => {
    const gate = deferred();
    let tell: (ms: number) => void = () => {};
    transcribe = async ({ onProgress }) => {
      tell = (ms) => onProgress?.(ms);
      await gate.promise;
      return SPOKEN;
    };
    length = 60;
    const made = await create();
    await eventually(async () => expect((await get(made.id)).progress).toEqual({ audio_ms: 0, total_ms: 60_000 }));
    const next = await create();
    expect([next.status, next.progress]).toEqual(['queued', null]);
    tell(31_000);
    await eventually(async () => expect((await get(made.id)).progress).toEqual({ audio_ms: 31_000, total_ms: 60_000 }));
    const list = v.parse(TranscriptionPage, await (await call(server, user, 'GET', '/transcriptions?limit=2')).json());
    expect(list.transcriptions.map(({ progress }) => progress)).toEqual([null, { audio_ms: 31_000, total_ms: 60_000 }]);
    // The file said less than it holds: there is no total any more.
    tell(75_000);
    await eventually(async () => expect((await get(made.id)).progress).toEqual({ audio_ms: 75_000, total_ms: null }));
    gate.resolve();
    expect((await reaches(made.id, 'completed')).progress).toBeNull();
  });

  it('has no total where the recording does not tell its length', async () => {
    const gate = deferred();
    transcribe = async () => (await gate.promise, SPOKEN);
    const made = await create();
    await eventually(async () => expect((await get(made.id)).progress).toEqual({ audio_ms: 0, total_ms: null }));
    gate.resolve();
    await reaches(made.id, 'completed');
  });
});

describe('what goes wrong', () => {
  it.each([
    ['unsupported_format', 'This format cannot be read.'],
    ['invalid_audio', 'The file is damaged.'],
    ['audio_too_long', 'The recording is too long.'],
  ] as const)('a recording with %s fails at once, in words for people', async (code, message) => {
    let tries = 0;
    decoding = () => {
      tries += 1;
      return new EngineError(code, message);
    };
    const made = await create();
    const failed = await reaches(made.id, 'error');
    expect(failed).toMatchObject({ error_type: code, error_message: message, audio_duration_ms: null });
    expect(tries).toBe(1);
    const transcript = await call(server, user, 'GET', `/transcriptions/${made.id}/transcript`);
    expect(transcript.status).toBe(409);
    expect(await refusalOf(transcript)).toMatchObject({
      error_type: 'transcription_invalid_state',
      message: 'File transcription has failed.',
    });
    expect((await call(server, user, 'DELETE', `/transcriptions/${made.id}`)).status).toBe(204);
  });

  it('a recording may have 300 minutes, and not a second more', async () => {
    const lasting =
      (seconds: number) =>
      ({ maxSeconds }: { maxSeconds: number }) =>
        seconds > maxSeconds ? new EngineError('audio_too_long', `Longer than ${maxSeconds} seconds.`) : null;
    decoding = lasting(18_000);
    await reaches((await create()).id, 'completed');
    decoding = lasting(18_001);
    expect(await reaches((await create()).id, 'error')).toMatchObject({
      error_type: 'audio_too_long',
      error_message: 'Longer than 18000 seconds.',
      audio_duration_ms: null,
    });
  });

  it('a crashed worker is tried again', async () => {
    let tries = 0;
    transcribe = () =>
      (tries += 1) < 3 ? Promise.reject(new EngineError('worker_crashed', 'x')) : Promise.resolve([]);
    await reaches((await create()).id, 'completed');
    expect(tries).toBe(3);
  });

  it('an engine that keeps failing is given up, without telling its secrets', async () => {
    const before = server.engine.transcriptions;
    transcribe = () => Promise.reject(new Error('secret detail'));
    const failed = await reaches((await create()).id, 'error');
    expect(failed).toMatchObject({
      error_type: 'engine_failed',
      error_message: 'The recording could not be transcribed. Please try again later.',
    });
    expect(server.engine.transcriptions - before).toBe(3);
    expect(
      await server.services.db
        .selectFrom('jobs')
        .select(['state', 'attempts', 'last_error'])
        .where('subject', '=', failed.id)
        .execute(),
    ).toEqual([{ state: 'dead', attempts: 3, last_error: 'Error: secret detail' }]);
  });

  it('a file that was deleted before its turn', async () => {
    const gate = deferred();
    transcribe = async () => (await gate.promise, []);
    await reaches((await create()).id, 'processing');
    const next = await create();
    await call(server, user, 'DELETE', `/files/${next.file_id}`);
    gate.resolve();
    expect(await reaches(next.id, 'error')).toMatchObject({
      error_type: 'file_not_found',
      error_message: 'The file was deleted before it could be transcribed.',
    });
  });

  it('DAT-09 a file that is deleted while it is transcribed leaves its finished text', async () => {
    const gate = deferred();
    transcribe = async () => (await gate.promise, SPOKEN);
    const made = await create();
    await reaches(made.id, 'processing');
    expect((await call(server, user, 'DELETE', `/files/${made.file_id}`)).status).toBe(204);
    gate.resolve();
    expect(await reaches(made.id, 'completed')).toMatchObject({
      error_type: null,
      file_id: null,
      filename: 'talk.wav',
      audio_duration_ms: 1000,
    });
    expect(
      v.parse(Transcript, await (await call(server, user, 'GET', `/transcriptions/${made.id}/transcript`)).json()).text,
    ).toBe(' Hello world');
    expect(
      await server.services.db
        .selectFrom('usage_rows')
        .select(['status', 'audio_ms'])
        .where('project_id', '=', user.projectId)
        .execute(),
    ).toEqual([{ status: 'completed', audio_ms: 1000 }]);
  });

  it('a crashed worker that crashes every time ends in a name that stays the same', async () => {
    transcribe = () =>
      Promise.reject(new EngineError('worker_crashed', 'A speech process died: out of memory at 0x1234'));
    expect(await reaches((await create()).id, 'error')).toMatchObject({
      error_type: 'engine_failed',
      error_message: 'The recording could not be transcribed. Please try again later.',
    });
  });
});
