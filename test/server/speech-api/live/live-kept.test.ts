import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KEPT_MAX_BYTES, Transcript, Transcription, TranscriptionPage } from '#contract/transcriptions.ts';
import { LiveResult } from '#contract/live.ts';
import { endLiveSession } from '#server/money/usage/record.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { begin } from './live-client.ts';
import { call, liveKey, refusalOf, startSpeechServer, uploaded, type SpeechServer } from '../harness.ts';
import { forgetUsage } from '../../usage.ts';

const PRICE_LIST = 'async=0.36,live=0.72';

let server: SpeechServer;
let user: TestUser;
beforeAll(async () => {
  server = await startSpeechServer({
    restLimits: { transcriptions: 3 },
    server: { env: { SPEECH_PRICES: PRICE_LIST } },
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
const keep = (changes: object = {}): Promise<Response> =>
  call(server, user, 'POST', '/transcriptions/live', { ...SESSION, ...changes });
const kept = async (): Promise<Transcription> => {
  const answer = await keep();
  expect(answer.status).toBe(201);
  return v.parse(Transcription, await answer.json());
};
const listed = async (): Promise<Transcription[]> =>
  v.parse(TranscriptionPage, await (await call(server, user, 'GET', '/transcriptions')).json()).transcriptions;

describe('LVP-06: a live session that is kept', () => {
  it('is a completed transcription with its words and times, without markers, and can be deleted', async () => {
    const transcription = await kept();
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
    const { id } = transcription;
    const transcript = await call(server, user, 'GET', `/transcriptions/${id}/transcript`);
    expect(v.parse(Transcript, await transcript.json())).toEqual({
      id,
      text: 'Good day.',
      tokens: [HEARD[0], HEARD[2]],
    });
    expect((await call(server, user, 'DELETE', `/transcriptions/${id}`)).status).toBe(204);
    expect(await listed()).toEqual([]);
  });

  it('is billed no second time, and runs nothing', async () => {
    const { id } = await kept();
    const { db } = server.services;
    const used = await db.selectFrom('usage_rows').select('id').where('project_id', '=', user.projectId).execute();
    const jobs = await db.selectFrom('jobs').select('id').where('subject', '=', id).execute();
    expect([used, jobs]).toEqual([[], []]);
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
    const long = await keep({ tokens: Array.from({ length: 30_000 }, () => word) });
    expect(long.status).toBe(201);
    const text = 'x'.repeat(1000);
    const tooLong = await keep({ tokens: Array.from({ length: KEPT_MAX_BYTES / 1000 }, () => ({ text })) });
    expect(tooLong.status).toBe(413);
  });

  it('counts among the transcriptions of a project, also where many are kept at once', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => keep()));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 201, 429, 429]);
    expect(await listed()).toHaveLength(3);
  });
});

describe('LVP-08: a session that the server knows', () => {
  const HEARD_MS = 500;
  /** What the last frame of a session tells. */
  const ended = async () => {
    const before = server.engine.streams.length;
    const client = await begin(server, { api_key: await liveKey(server, user) });
    client.socket.send(Buffer.alloc(HEARD_MS * 32));
    client.socket.send('');
    await eventually(() => expect(server.engine.streams[before]?.calls.at(-1)).toBe('end'));
    server.engine.streams[before]!.say([], true);
    expect(await client.closed).toBe(1000);
    return v.parse(LiveResult, client.frames.at(-1));
  };

  it('is kept once, however often that is asked for, also where all ask at once', async () => {
    const { request_id } = await ended();
    expect(request_id).toBeDefined();
    const answers = await Promise.all(Array.from({ length: 5 }, () => keep({ request_id })));
    const all = await Promise.all(answers.map(async (answer) => v.parse(Transcription, await answer.json())));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect((await listed()).map(({ id }) => id)).toEqual([all[0]?.id]);
  });

  it('tells what it cost, as its usage log tells it, also where it is kept before that is written', async () => {
    const { request_id, cost_usd } = await ended();
    expect(Number(cost_usd)).toBeGreaterThan(0);
    const { id } = v.parse(Transcription, await (await keep({ request_id })).json());
    await eventually(async () => {
      expect((await listed()).map((one) => [one.id, one.cost_usd])).toEqual([[id, cost_usd]]);
    });
  });

  it('waits for an end that is being written', async () => {
    const { request_id, cost_usd } = await ended();
    const { db } = server.services;
    const row = () =>
      db
        .selectFrom('live_sessions')
        .select(['id', 'status'])
        .where('request_id', '=', request_id ?? '')
        .executeTakeFirst();
    await eventually(async () => expect((await row())?.status).toBe('completed'));
    // As it stood before its end was written.
    await forgetUsage(db, request_id ?? '');
    await db
      .updateTable('live_sessions')
      .set({ status: 'running' })
      .where('request_id', '=', request_id ?? '')
      .execute();
    const kept = v.parse(Transcription, await (await keep({ request_id })).json());
    expect(kept.cost_usd).toBeNull();
    await endLiveSession(db, (await row())?.id ?? '', {
      status: 'completed',
      audioMs: HEARD_MS,
      outputTokens: 2,
      latencyMs: null,
      finalsMs: null,
      errorCode: null,
      errorType: null,
      at: new Date(),
    });
    expect((await listed()).map((one) => one.cost_usd)).toEqual([cost_usd]);
  });

  it('is another’s in another project: it has no cost there, and is kept in both', async () => {
    const { request_id } = await ended();
    await keep({ request_id });
    user = await server.createUser();
    expect(v.parse(Transcription, await (await keep({ request_id })).json()).cost_usd).toBeNull();
  });
});

describe('UXP-56: what a transcription cost', () => {
  const transcribed = async (): Promise<Transcription> => {
    const file = await uploaded(server, user);
    await call(server, user, 'POST', '/transcriptions', { model: 'parlance-async-1', file_id: file.id });
    return eventually(async () => {
      const [transcription] = await listed();
      expect(transcription?.status).toBe('completed');
      return v.parse(Transcription, transcription);
    });
  };

  it('is told once it has ended, as its usage log tells it', async () => {
    const { cost_usd, audio_duration_ms } = await transcribed();
    // 0.36 USD an hour are 0.1 micro-USD a millisecond.
    expect(Number(cost_usd)).toBeCloseTo((audio_duration_ms ?? 0) / 10_000_000, 6);
    expect(Number(cost_usd)).toBeGreaterThan(0);
  });
});
