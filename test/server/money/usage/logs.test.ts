import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { LogDetails, LogEntry, LogPage } from '#contract/logs.ts';
import { readDetails } from '#server/money/logs/details.ts';
import type { UsageEnd } from '#server/money/usage/rows.ts';
import type { Schema } from '#server/platform/db/schema.ts';
import { ended, writeUsage } from '../../usage.ts';
import { colleague, outcomeOf, projectOf } from '../../people.ts';
import { Served } from '../served.ts';

const served = new Served();

const NOON = '2026-04-28T12:00:00.000Z';
const at = (minutes: number): Date => new Date(Date.parse(NOON) + minutes * 60_000);

/** Requests that ended, one a minute from noon on unless they say when. Gives their ids. */
async function use(...of: Partial<UsageEnd>[]): Promise<string[]> {
  const ends = of.map((end, minute) => ended({ project_id: served.ada.projectId, ended_at: at(minute), ...end }));
  await writeUsage(served.db, ends);
  return ends.map(({ id }) => id);
}

const ask = (query: Record<string, string> = {}, by = served.ada): Promise<Response> =>
  served.server.call(by, 'GET', `${projectOf(served.ada)}logs/?${new URLSearchParams(query).toString()}`);
async function page(query: Record<string, string> = {}, by = served.ada): Promise<LogPage> {
  const answer = await ask(query, by);
  expect(answer.status).toBe(200);
  return v.parse(LogPage, await answer.json());
}
const idsOf = ({ logs }: LogPage): string[] => logs.map(({ id }) => id);
async function details(id: string, by = served.ada): Promise<LogDetails> {
  const answer = await served.server.call(by, 'GET', `${projectOf(served.ada)}logs/${id}/`);
  expect(answer.status).toBe(200);
  return v.parse(LogDetails, await answer.json());
}

async function addKey(name: string): Promise<string> {
  const id = randomUUID();
  await served.db
    .insertInto('api_keys')
    .values({
      id,
      project_id: served.ada.projectId,
      name,
      masked: '…',
      key_hash: id,
      created_by: null,
      created_at: at(0),
    })
    .execute();
  return id;
}

async function addTranscription(values: Partial<Insertable<Schema['transcriptions']>>): Promise<string> {
  const id = values.id ?? randomUUID();
  await served.db
    .insertInto('transcriptions')
    .values({
      status: values.error_message === undefined ? 'completed' : 'error',
      project_id: served.ada.projectId,
      model: 'stt-async-v5',
      filename: 'talk.wav',
      enable_speaker_diarization: true,
      enable_language_identification: false,
      language_hints: JSON.stringify(['en', 'de']),
      context: JSON.stringify({ value: { terms: ['Difference Engine'] } }),
      translation: JSON.stringify({ type: 'one_way', target_language: 'fr' }),
      origin: 'playground',
      created_at: at(0),
      finished_at: at(1),
      ...values,
      id,
    })
    .execute();
  return id;
}

describe('the requests of a project', () => {
  it('PRJ-05 LOG-01: nothing ended: an empty page, and nothing to filter by', async () => {
    expect(await page()).toEqual({ logs: [], next_page_cursor: null, choices: { models: [], keys: [], errors: [] } });
  });

  it('PRJ-05 LOG-01: a row tells when, what, by whom, how long, at what cost and how it ended', async () => {
    const key = await addKey('Nightly import');
    const row = {
      request_id: randomUUID(),
      status: 'failed',
      model: 'stt-async-v5',
      origin: 'public_api',
      client_reference_id: 'call-7',
      audio_ms: 5400,
      cost_micros: 0,
      error_type: 'invalid_audio',
      queue_ms: 100,
      processing_ms: 900,
    } as const;
    const [id] = await use({ ...row, api_key_id: key, started_at: at(-1), ended_at: at(1) });
    expect((await page()).logs).toEqual([
      {
        ...row,
        id,
        started_at: at(-1).toISOString(),
        ended_at: at(1).toISOString(),
        kind: 'async',
        key: { uuid: key, name: 'Nightly import' },
        person: null,
        first_word_ms: null,
        finals_ms: null,
        refusal: null,
      },
    ]);
  });

  it('PRJ-05 LOG-01 PPL-05: the console tells the person; a key that is gone leaves no name, an account a pseudonym', async () => {
    const gone = randomUUID();
    await use({ user_id: served.ada.userId }, { user_id: gone }, { origin: 'public_api', api_key_id: gone });
    const { logs } = await page();
    expect(logs.map(({ key, person }) => [key, person])).toEqual([
      [{ uuid: gone, name: null }, null],
      [null, `Deleted person ${gone.slice(0, 8)}`],
      [null, served.ada.email],
    ]);
  });

  it.each([
    ['kind', 'batch'],
    ['status', 'aborted'],
    ['key', 'mine'],
    ['from', 'yesterday'],
    ['to', '2026-04-31T25:00:00Z'],
  ])('PRJ-05 LOG-01: %s=%s is refused', async (name, value) => {
    const answer = await ask({ [name]: value });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ validation_errors: [{ location: `query.${name}` }] });
  });

  it('PRJ-05 LOG-01: an end that is not after its start is refused', async () => {
    expect(await outcomeOf(await ask({ from: NOON, to: NOON }))).toBe('400 invalid_request');
    // No database has a year 0.
    expect(await outcomeOf(await ask({ from: '0000-01-01T00:00:00Z' }))).toBe('400 invalid_request');
  });

  it('PRJ-05 LOG-01: pages show each row once, also where many ended in the same millisecond', async () => {
    const rows = await use(...Array.from({ length: 7 }, () => ({ ended_at: at(0) })), { ended_at: at(-1) });
    const seen: string[] = [];
    let cursor = '';
    for (let pages = 0; pages < 4; pages += 1) {
      const got = await page({ limit: '2', cursor });
      // What there is to filter by comes once.
      expect(got.choices === null).toBe(pages > 0);
      seen.push(...idsOf(got));
      cursor = got.next_page_cursor ?? '';
      expect(cursor === '').toBe(pages === 3);
      // What ends meanwhile moves nothing.
      await use({ ended_at: at(10 + pages) });
    }
    expect(seen).toHaveLength(rows.length);
    expect(new Set(seen)).toEqual(new Set(rows));
    expect(seen.at(-1)).toBe(rows.at(-1));
  });

  it('PRJ-05 LOG-01: a cursor that was made up, or is of another list, is refused', async () => {
    const cursors = ['x', 'l1', 'u1.2', 'p1', 'l-1.2', 'l99999999999999.1', 'l1.2 '].map((text) =>
      Buffer.from(text).toString('base64url'),
    );
    for (const cursor of ['x', ...cursors]) expect(await outcomeOf(await ask({ cursor }))).toBe('400 invalid_cursor');
  });
});

describe('what there is to filter by', () => {
  it('PRJ-05 LOG-02: models, keys and failures by their error, the most frequent first, whatever else is filtered', async () => {
    const [key, other] = [await addKey('One'), await addKey('Two')];
    const gone = randomUUID();
    await use(
      { model: 'b', api_key_id: key, status: 'failed', error_type: 'timeout' },
      { model: 'b', api_key_id: key, status: 'failed', error_type: 'timeout' },
      { model: 'a', api_key_id: other, status: 'failed', error_type: 'invalid_audio' },
      { model: 'c', api_key_id: gone, status: 'cancelled' },
    );
    const { choices } = await page({ kind: 'real_time', status: 'completed', model: 'none' });
    expect(choices).toEqual({
      models: [
        { model: 'b', requests: 2 },
        { model: 'a', requests: 1 },
        { model: 'c', requests: 1 },
      ],
      keys: [{ uuid: key, name: 'One', requests: 2 }, expect.anything(), expect.anything()],
      errors: [
        { error_type: 'timeout', requests: 2 },
        { error_type: 'invalid_audio', requests: 1 },
      ],
    });
    expect(choices?.keys).toContainEqual({ uuid: other, name: 'Two', requests: 1 });
    expect(choices?.keys).toContainEqual({ uuid: gone, name: null, requests: 1 });
  });

  it('PRJ-05 LOG-02: of what ended in the window, to the millisecond', async () => {
    const models = async (query: Record<string, string>) =>
      (await page(query)).choices?.models.map(({ model, requests }) => `${model} ${requests}`).toSorted();
    for (const [model, moment] of [
      ['before', '2026-04-27T12:29:59.999Z'],
      ['begin', '2026-04-27T12:30:00.000Z'],
      ['begin', '2026-04-27T23:59:59.999Z'],
      ['whole', '2026-04-28T00:00:00.000Z'],
      ['whole', '2026-04-29T23:59:59.999Z'],
      ['end', '2026-04-30T00:00:00.000Z'],
      ['end', '2026-04-30T13:59:59.999Z'],
      ['after', '2026-04-30T14:00:00.000Z'],
    ] as const)
      await use({ model, ended_at: new Date(moment) });
    const [from, to] = ['2026-04-27T12:30:00Z', '2026-04-30T14:00:00Z'];
    expect(await models({ from, to })).toEqual(['begin 2', 'end 2', 'whole 2']);
    expect(await models({ from })).toEqual(['after 1', 'begin 2', 'end 2', 'whole 2']);
    expect(await models({ to })).toEqual(['before 1', 'begin 2', 'end 2', 'whole 2']);
    expect(await models({ from: '2026-04-28T00:00:00Z', to: '2026-04-30T00:00:00Z' })).toEqual(['whole 2']);
    // Within a day, and over midnight without a whole day.
    expect(await models({ from, to: '2026-04-27T23:59:59.999Z' })).toEqual(['begin 1']);
    expect(await models({ from, to: '2026-04-28T00:00:00.001Z' })).toEqual(['begin 2', 'whole 1']);
    expect(await models({})).toHaveLength(5);
  });
});

describe('one request', () => {
  it('PRJ-05 LOG-03: a transcription with its settings, its error in words, its tokens and its billing day', async () => {
    const id = await addTranscription({ error_message: 'The file holds no audio.' });
    await use({ id, status: 'failed', error_type: 'invalid_audio', output_tokens: 7, user_id: served.ada.userId });
    const told = await details(id);
    expect(v.parse(LogEntry, told)).toEqual((await page()).logs[0]);
    expect(await details(id.toUpperCase())).toEqual(told);
    expect(told).toMatchObject({
      output_tokens: 7,
      billing_day: '2026-04-28',
      error_message: 'The file holds no audio.',
      transcription_id: id,
      settings: {
        filename: 'talk.wav',
        language_hints: ['en', 'de'],
        language_hints_strict: null,
        context: { terms: ['Difference Engine'] },
        enable_speaker_diarization: true,
        enable_language_identification: false,
        translation: { type: 'one_way', target_language: 'fr' },
      },
    });
  });

  it('PRJ-05 LOG-03: a live session opens as what it was kept as; one that was not kept has nothing to open', async () => {
    const [request_id, session_request_id] = [randomUUID(), randomUUID()];
    const [unkept = '', kept = ''] = await use(
      { kind: 'real_time', request_id },
      { kind: 'real_time', request_id: session_request_id },
    );
    // Of another project, under the same name.
    const eve = await served.server.createUser();
    await addTranscription({ session_request_id: request_id, project_id: eve.projectId });
    const transcription = await addTranscription({ session_request_id, filename: 'Microphone' });
    expect(await details(unkept)).toMatchObject({ transcription_id: null, settings: null, error_message: null });
    expect(await details(kept)).toMatchObject({
      id: kept,
      transcription_id: transcription,
      settings: { filename: 'Microphone' },
    });
  });

  it('UXP-112: an ended request opens by its own id, too, in its project only', async () => {
    const request_id = randomUUID();
    const [older, id] = await use({ request_id, ended_at: at(1) }, { request_id, ended_at: at(2) });
    expect((await details(request_id)).id).toBe(id);
    expect((await details(older ?? '')).id).toBe(older);
    const eve = await served.server.createUser();
    expect((await served.server.call(eve, 'GET', `${projectOf(eve)}logs/${request_id}/`)).status).toBe(404);
  });

  it('UXP-112: a request is found by its own id among the latest only, by that of its row always', async () => {
    const { ada, db } = served;
    const [ended = '', latest = ''] = await use({ request_id: randomUUID() }, { request_id: randomUUID() });
    const of = { project_id: ada.projectId, origin: 'public_api', kind: 'async' } as const;
    const rows = [1, 2].map((minute) => ({
      ...{ ...of, id: randomUUID(), request_id: randomUUID(), refused_at: at(minute) },
      ...{ code: 400, error_type: 'invalid_request', message: 'No audio.' },
    }));
    await db.insertInto('refused_requests').values(rows).execute();
    const own = new Map((await page()).logs.map(({ id, request_id }) => [id, request_id]));
    const ids = [ended, latest, ...rows.map(({ id }) => id)];
    const find = (id = '') => readDetails(db, { projectId: ada.projectId, id, mayOpen: true, reach: 1 });
    const found = async (asked: (string | undefined)[]): Promise<(string | undefined)[]> =>
      (await Promise.all(asked.map(find))).map((one) => one?.id);
    expect(await found(ids)).toEqual(ids);
    expect(await found(ids.map((id) => own.get(id)))).toEqual([undefined, latest, undefined, rows[1]?.id]);
  });

  it('PRJ-05 LOG-03: who does not use the playground sees neither what was transcribed nor how', async () => {
    const id = await addTranscription({});
    await use({ id });
    const payer = await colleague(served.server, served.ada, 'billing');
    expect(await details(id, payer)).toMatchObject({ id, transcription_id: null, settings: null });
  });
});
