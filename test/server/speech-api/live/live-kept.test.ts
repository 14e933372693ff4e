import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SAVED_SESSION_MAX_BYTES, Transcription, TranscriptionPage } from '#contract/transcriptions.ts';
import { LiveResult } from '#contract/live.ts';
import { abortLiveSessions, endLiveSession } from '#server/money/usage/record.ts';
import type { Db } from '#server/platform/db/database.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { heard, finish } from './live-client.ts';
import { consoleClient } from '../client.ts';
import { liveKey, refusalOf, startSpeechServer, type SpeechServer } from '../harness.ts';
import { forgetUsage } from '../../usage.ts';

let server: SpeechServer;
let user: TestUser;
beforeAll(async () => {
  server = await startSpeechServer({
    engine: { auto: true },
    storedItemLimits: { transcriptions: 3 },
    server: { env: { SPEECH_PRICES: 'async=0.36,live=0.72' } },
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  user = await server.createUser();
});

const HEARD = [
  { text: 'Good', start_ms: 0, end_ms: 300, confidence: 0.9, speaker: '1', language: 'en' },
  { text: '<end>' },
  { text: ' day.', start_ms: 300, end_ms: 600, confidence: 0.8, speaker: '1', language: 'en' },
];
const SESSION = {
  model: 'parlance-rt-1',
  filename: ' Microphone ',
  audio_duration_ms: 900,
  enable_speaker_diarization: true,
  context: { text: 'A greeting' },
  tokens: HEARD,
};
const { call, create, reaches, read, statusOf, transcript } = consoleClient(() => ({ server, user }));
const keep = (changes: object = {}): Promise<Response> =>
  call('POST', '/transcriptions/live', { ...SESSION, ...changes });
const kept = async (changes: object = {}): Promise<Transcription> => {
  const answer = await keep(changes);
  expect(answer.status).toBe(201);
  return v.parse(Transcription, await answer.json());
};
const listed = async (): Promise<Transcription[]> => (await read(TranscriptionPage, '/transcriptions')).transcriptions;

describe('LVP-06: a live session that is kept', () => {
  it('is a completed transcription with its words and times, without markers, bills and runs nothing, and can be deleted', async () => {
    const transcription = await kept();
    const { id } = transcription;
    expect(transcription).toMatchObject({
      status: 'completed',
      model: 'parlance-rt-1',
      filename: 'Microphone',
      audio_duration_ms: 900,
      file_id: null,
      audio_url: null,
      enable_speaker_diarization: true,
      enable_language_identification: false,
      context: { text: 'A greeting' },
      cost_usd: null,
    });
    expect(await listed()).toEqual([transcription]);
    expect(await transcript(id)).toEqual({ id, text: 'Good day.', tokens: [HEARD[0], HEARD[2]] });
    const { db } = server.services;
    const used = await db.selectFrom('usage_rows').select('id').where('project_id', '=', user.projectId).execute();
    const jobs = await db.selectFrom('jobs').select('id').where('subject', '=', id).execute();
    expect([used, jobs]).toEqual([[], []]);
    expect(await statusOf('DELETE', `/transcriptions/${id}`)).toBe(204);
    expect(await listed()).toEqual([]);
  });

  it.each([
    ['without words', { tokens: [] }, 'invalid_request', 'tokens'],
    ['with times that are none', { tokens: [{ text: 'a', start_ms: -1 }] }, 'invalid_request', 'tokens.0.start_ms'],
    ['with a name of blanks', { filename: '  ' }, 'invalid_request', 'filename'],
    ['with a text that no database takes', { tokens: [{ text: 'a\0' }] }, 'invalid_request', 'tokens.0.text'],
    ['of a model for files', { model: 'parlance-async-1' }, 'model_not_available', 'model'],
    ['in a language that the model does not know', { language_hints: ['xx'] }, 'invalid_request', 'language_hints'],
  ])('is refused %s, and leaves nothing', async (_, changes, type, field) => {
    const answer = await keep(changes);
    expect(answer.status).toBe(400);
    const { error_type, validation_errors } = await refusalOf(answer);
    expect(error_type).toBe(type);
    expect(validation_errors.map(({ location }) => location)).toContain(`body.payload.${field}`);
    expect(await listed()).toEqual([]);
  });

  it('may be far longer than other bodies, but not without end', async () => {
    const word = { text: ' word', start_ms: 80_000_000, end_ms: 80_000_400, confidence: 0.9 };
    await kept({ tokens: Array.from({ length: 16_000 }, () => word) });
    const text = 'x'.repeat(1000);
    const tooLong = await keep({ tokens: Array.from({ length: SAVED_SESSION_MAX_BYTES / 1000 }, () => ({ text })) });
    expect(tooLong.status).toBe(413);
  });

  it('counts among the transcriptions of a project, also where many are kept at once', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => keep()));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 201, 429, 429]);
    expect(await listed()).toHaveLength(3);
  });
});

describe('LVP-08: a session that the server knows', () => {
  /** What the last frame of a session tells. */
  const ended = async (): Promise<{ request_id: string; cost_usd: string }> => {
    const client = await heard(server, { api_key: await liveKey(server, user) });
    await finish(client);
    const { request_id = '', cost_usd = '' } = v.parse(LiveResult, client.frames.at(-1));
    expect([request_id.length, Number(cost_usd) > 0]).toEqual([36, true]);
    return { request_id, cost_usd: String(cost_usd) };
  };

  it('is kept once, however often that is asked for, also where all ask at once', async () => {
    const { request_id } = await ended();
    const all = await Promise.all(Array.from({ length: 5 }, () => kept({ request_id })));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect((await listed()).map(({ id }) => id)).toEqual([all[0]?.id]);
  });

  it('tells what it cost, as its usage log tells it, also where it is kept before that is written', async () => {
    const { request_id, cost_usd } = await ended();
    const { id } = await kept({ request_id });
    await eventually(async () => expect(await listed()).toMatchObject([{ id, cost_usd }]));
  });

  it.each<[string, (db: Db, id: string) => Promise<void>]>([
    [
      'that is written late',
      (db, id) =>
        endLiveSession(db, id, {
          status: 'completed',
          audioMs: 10,
          outputTokens: 2,
          latencyMs: null,
          finalsMs: null,
          errorCode: null,
          errorType: null,
          errorMessage: null,
          settings: null,
          at: new Date(),
        }),
    ],
    ['by the last heartbeat', (db) => abortLiveSessions(db, new Date(), 'all')],
  ])('waits for an end %s', async (_what, end) => {
    const { request_id, cost_usd } = await ended();
    const { db } = server.services;
    const { id } = await eventually(() =>
      db
        .selectFrom('live_sessions')
        .select('id')
        .where('request_id', '=', request_id)
        .where('status', '=', 'completed')
        .executeTakeFirstOrThrow(),
    );
    // As it stood before its end was written.
    await forgetUsage(db, request_id);
    await db.updateTable('live_sessions').set({ status: 'running' }).where('id', '=', id).execute();
    expect((await kept({ request_id })).cost_usd).toBeNull();
    await end(db, id);
    expect(await listed()).toMatchObject([{ cost_usd }]);
  });

  it('is another’s in another project: it has no cost there, and is kept in both', async () => {
    const { request_id } = await ended();
    await kept({ request_id });
    user = await server.createUser();
    expect((await kept({ request_id })).cost_usd).toBeNull();
  });
});

it('UXP-56: what a transcription cost is told once it has ended, as its usage log tells it', async () => {
  const { cost_usd, audio_duration_ms } = await reaches((await create()).id, 'completed');
  // 0.36 USD an hour are 0.1 micro-USD a millisecond.
  expect(Number(cost_usd)).toBeCloseTo((audio_duration_ms ?? 0) / 10_000_000, 6);
  expect(Number(cost_usd)).toBeGreaterThan(0);
});
