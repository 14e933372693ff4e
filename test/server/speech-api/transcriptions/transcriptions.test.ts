import { describe, expect, it } from 'vitest';
import { Counts } from '#contract/files.ts';
import { TranscriptionPage } from '#contract/transcriptions.ts';
import { EngineError } from '#server/engine/port.ts';
import { SPOKEN } from '../../fake-engine.ts';
import { eventually } from '../../eventually.ts';
import { consoleClient, faultsOf, refusal } from '../client.ts';
import { deferred } from '../live/live-harness.ts';
import { transcriptionFixture } from './fixture.ts';

const on = transcriptionFixture({ jobs: { maxAttempts: 3 } });
const { create, get, post, reaches, read, statusOf, transcript } = consoleClient(() => on);

describe('the way through', () => {
  it('LIB-03: a deleted one is gone, its file stays; another outlives its file', async () => {
    const { id, file_id } = await create();
    const other = await create({ file_id });
    await reaches(other.id, 'completed');
    expect(await read(Counts, '/transcriptions/count')).toEqual({ total: 2, public_api: 0, playground: 2 });
    expect(await statusOf('DELETE', `/transcriptions/${id}`)).toBe(204);
    expect(await statusOf('GET', `/transcriptions/${id}`)).toBe(404);
    expect(await statusOf('GET', `/files/${file_id}`)).toBe(200);
    expect(await statusOf('DELETE', `/files/${file_id}`)).toBe(204);
    expect(await get(other.id)).toMatchObject({ status: 'completed', file_id: null, filename: 'talk.wav' });
    expect((await transcript(other.id)).text).toBe(' Hello world');
  });

  it('refuses a translation where the engine makes none', async () => {
    const refused = await post({ translation: { type: 'two_way', language_a: 'en', language_b: 'de' } });
    expect(await faultsOf(refused.clone())).toEqual(['body.payload.translation: Model does not support translations.']);
    expect(await refusal(refused)).toEqual([400, 'invalid_request', 'Model does not support translations.']);
  });
});

it('AUD-07: what was done with the recording is told once it is completed', async () => {
  const gate = on.closeGate();
  const made = await create();
  expect(made.audio_notes).toBeNull();
  gate.open();
  const notes = [{ type: 'tracks_mixed', count: 2 }];
  expect((await reaches(made.id, 'completed')).audio_notes).toEqual(notes);
  expect((await read(TranscriptionPage, '/transcriptions')).transcriptions[0]?.audio_notes).toEqual(notes);
});

describe('CON-25 how far it is', () => {
  it('is told while it is worked on, never for one that waits or has ended', async () => {
    const gate = deferred();
    let tell: (ms: number) => void = () => {};
    on.transcribe = async ({ onProgress }) => {
      tell = (ms) => onProgress?.(ms);
      await gate.promise;
      return SPOKEN;
    };
    on.length = 60;
    const made = await create();
    const progress = (told: unknown): Promise<void> =>
      eventually(async () => expect((await get(made.id)).progress).toEqual(told));
    await progress({ audio_ms: 0, total_ms: 60_000 });
    const next = await create();
    expect([next.status, next.progress]).toEqual(['queued', null]);
    tell(31_000);
    await progress({ audio_ms: 31_000, total_ms: 60_000 });
    const list = await read(TranscriptionPage, '/transcriptions?limit=2');
    expect(list.transcriptions.map((each) => each.progress)).toEqual([null, { audio_ms: 31_000, total_ms: 60_000 }]);
    // The file said less than it holds: there is no total any more.
    tell(75_000);
    await progress({ audio_ms: 75_000, total_ms: null });
    gate.resolve();
    expect((await reaches(made.id, 'completed')).progress).toBeNull();
  });

  it('has no total where the recording does not tell its length', async () => {
    const gate = on.closeGate();
    const made = await create();
    await eventually(async () => expect((await get(made.id)).progress).toEqual({ audio_ms: 0, total_ms: null }));
    gate.open();
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
    on.decoding = () => {
      tries += 1;
      return new EngineError(code, message);
    };
    const failed = await reaches((await create()).id, 'error');
    expect(failed).toMatchObject({ error_type: code, error_message: message, audio_duration_ms: null });
    expect(tries).toBe(1);
  });

  it('a recording may have 300 minutes, and not a second more', async () => {
    const lasting =
      (seconds: number): typeof on.decoding =>
      ({ maxSeconds }) =>
        seconds > maxSeconds ? new EngineError('audio_too_long', `Longer than ${maxSeconds} seconds.`) : null;
    on.decoding = lasting(18_000);
    await reaches((await create()).id, 'completed');
    on.decoding = lasting(18_001);
    expect((await reaches((await create()).id, 'error')).error_message).toBe('Longer than 18000 seconds.');
  });

  it('a crashed worker is tried again', async () => {
    let tries = 0;
    on.transcribe = () =>
      (tries += 1) < 3 ? Promise.reject(new EngineError('worker_crashed', 'x')) : Promise.resolve([]);
    await reaches((await create()).id, 'completed');
    expect(tries).toBe(3);
  });

  it.each([
    ['fails', new Error('secret detail')],
    ['crashes', new EngineError('worker_crashed', 'A speech process died: out of memory at 0x1234')],
  ])(
    'an engine that %s every time is given up, in words that stay the same and tell no secrets',
    async (_how, error) => {
      const before = on.server.engine.transcriptions;
      on.transcribe = () => Promise.reject(error);
      const failed = await reaches((await create()).id, 'error');
      expect(failed).toMatchObject({
        error_type: 'engine_failed',
        error_message: 'The recording could not be transcribed. Please try again later.',
      });
      expect(on.server.engine.transcriptions - before).toBe(3);
      expect(await on.jobsOf(failed.id)).toMatchObject([
        { state: 'dead', attempts: 3, last_error: expect.stringContaining(error.message) },
      ]);
    },
  );

  it('DAT-09 a file that is deleted while it is transcribed leaves its finished text; one that waits for its turn fails', async () => {
    const gate = on.closeGate();
    const made = await create();
    await reaches(made.id, 'processing');
    const next = await create();
    for (const { file_id } of [made, next]) expect(await statusOf('DELETE', `/files/${file_id}`)).toBe(204);
    gate.open();
    expect(await reaches(made.id, 'completed')).toMatchObject({
      error_type: null,
      file_id: null,
      filename: 'talk.wav',
      audio_duration_ms: 1000,
    });
    expect((await transcript(made.id)).text).toBe(' Hello world');
    expect(await reaches(next.id, 'error')).toMatchObject({
      error_type: 'file_not_found',
      error_message: 'The file was deleted before it could be transcribed.',
    });
    const usage = on.server.services.db.selectFrom('usage_rows').select(['status', 'audio_ms']).orderBy('position');
    expect(await usage.where('project_id', '=', on.user.projectId).execute()).toEqual([
      { status: 'completed', audio_ms: 1000 },
      { status: 'failed', audio_ms: 0 },
    ]);
  });
});
