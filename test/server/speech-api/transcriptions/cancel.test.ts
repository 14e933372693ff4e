import type { ServerResponse } from 'node:http';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { Transcription, type TranscriptToken } from '#contract/transcriptions.ts';
import { EngineError, type TranscribeOptions } from '#server/engine/port.ts';
import { startSpeechApi } from '#server/speech-api/start.ts';
import { createFakeDecoder, createFakeEngine } from '../../fake-engine.ts';
import { eventually } from '../../eventually.ts';
import { consoleClient, refusal } from '../client.ts';
import { deferred } from '../live/live-harness.ts';
import { startOther } from '../../outgoing-servers.ts';
import { transcriptionFixture } from './fixture.ts';

const CANCELLED = {
  status: 'error',
  error_type: 'cancelled',
  error_message: 'The transcription was cancelled.',
  audio_duration_ms: null,
};

const on = transcriptionFixture({}, { SPEECH_PRICES: 'async=3600' });

/** Works until it is told to stop. */
const untilAborted = ({ signal }: TranscribeOptions): Promise<TranscriptToken[]> =>
  new Promise((_resolve, reject) => {
    const stop = (): void => reject(new EngineError('aborted', 'The transcription was cancelled.'));
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop);
  });
const { call, create: post, get, reaches, statusOf } = consoleClient(() => on);
const create = (extra: object = {}): Promise<Transcription> => post({ webhook_url: on.other.url, ...extra });
/** One that is worked on. */
const processing = async (extra?: object): Promise<Transcription> => reaches((await create(extra)).id, 'processing');
const cancel = (id: string): Promise<Response> => call('POST', `/transcriptions/${id}/cancel`);
/** One that the only worker is busy with, and another that waits. */
const waitingBehind = async (extra: object = {}) => {
  const gate = on.closeGate();
  const running = await processing({ webhook_url: null });
  const waiting = await create(extra);
  expect(waiting.status).toBe('queued');
  const goOn = async (): Promise<void> => {
    const before = on.server.engine.transcriptions;
    gate.open();
    await reaches(running.id, 'completed');
    expect(on.server.engine.transcriptions).toBe(before);
  };
  return { running, waiting, goOn };
};
const usage = () =>
  on.server.services.db
    .selectFrom('usage_rows')
    .select(['id', 'status', 'error_type', 'audio_ms', 'cost_micros', 'client_reference_id'])
    .where('project_id', '=', on.user.projectId)
    .orderBy('position')
    .execute();
/** The row of one that was cancelled. */
const free = (id: string) => ({
  id,
  status: 'cancelled',
  error_type: null,
  audio_ms: 0,
  cost_micros: 0,
  client_reference_id: null,
});
const told = (): unknown[] =>
  on.other.seen.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));

describe('FAI-03 cancelling', () => {
  it('ends a running transcription at once: told, recorded, free; again answers the same; until then it cannot be deleted', async () => {
    let stopped = false;
    on.transcribe = (options) =>
      untilAborted(options).finally(() => {
        stopped = true;
      });
    const { id } = await processing();
    expect(await statusOf('DELETE', `/transcriptions/${id}`)).toBe(409);
    const response = await cancel(id);
    expect(response.status).toBe(200);
    expect(v.parse(Transcription, await response.json())).toMatchObject({ id, ...CANCELLED });
    await eventually(() => expect(stopped).toBe(true));
    await on.settled(id);
    const again = await cancel(id);
    expect([again.status, v.parse(Transcription, await again.json())]).toEqual([200, await get(id)]);
    await on.settled(id);
    expect(told()).toEqual([{ id, status: 'error' }]);
    expect(await usage()).toEqual([free(id)]);
    expect((await refusal(await call('GET', `/transcriptions/${id}/transcript`)))[1]).toBe(
      'transcription_invalid_state',
    );
    expect(await statusOf('DELETE', `/transcriptions/${id}`)).toBe(204);
  });

  it('ends a waiting one before its turn comes', async () => {
    const { waiting, goOn } = await waitingBehind();
    expect((await cancel(waiting.id)).status).toBe(200);
    await on.settled(waiting.id);
    await goOn();
    expect(await get(waiting.id)).toMatchObject(CANCELLED);
    expect(told()).toEqual([{ id: waiting.id, status: 'error' }]);
  });

  it('ends one whose recording is still fetched, and keeps nothing of it', async () => {
    const held: ServerResponse[] = [];
    const source = await startOther((_seen, response) => void held.push(response));
    const { id } = await create({ file_id: null, audio_url: `${source.url}/talk.wav` });
    await eventually(() => expect(held).toHaveLength(1));
    expect((await cancel(id)).status).toBe(200);
    held[0]?.writeHead(200).end('RIFF');
    await on.settled(id);
    await source.close();
    expect(await get(id)).toMatchObject(CANCELLED);
    await eventually(async () => expect(await on.server.speech.storage.exists(id)).toBe(false));
  });

  it('MET-01: a waiting one that is deleted leaves a row, cancelled, and tells nobody', async () => {
    const { running, waiting, goOn } = await waitingBehind({ client_reference_id: 'r-1' });
    const remove = () => statusOf('DELETE', `/transcriptions/${waiting.id}`);
    expect((await Promise.all([remove(), remove()])).toSorted((a, b) => a - b)).toEqual([204, 404]);
    const row = { ...free(waiting.id), client_reference_id: 'r-1' };
    expect(await usage()).toEqual([row]);
    await goOn();
    expect(await statusOf('DELETE', `/transcriptions/${running.id}`)).toBe(204);
    expect(await usage()).toEqual([row, expect.objectContaining({ status: 'completed' })]);
    expect(told()).toEqual([]);
  });

  it('MET-01: one that waits, or is worked on, for months ends like any other, and leaves its row', async () => {
    const { db, clock } = on.server.services;
    const monthsAgo = (months: number) => new Date(clock().getTime() - months * 31 * 86_400_000);
    const age = (id: string) =>
      db
        .updateTable('transcriptions')
        .set({ created_at: monthsAgo(2), begun_at: monthsAgo(1) })
        .where('id', '=', id)
        .execute();
    const { running, waiting, goOn } = await waitingBehind({ webhook_url: null });
    const removed = await create({ webhook_url: null });
    for (const { id } of [running, waiting, removed]) await age(id);
    expect((await cancel(waiting.id)).status).toBe(200);
    expect(await statusOf('DELETE', `/transcriptions/${removed.id}`)).toBe(204);
    await goOn();
    const rows = await db
      .selectFrom('usage_rows')
      .select(['status', 'queue_ms', 'processing_ms'])
      .where('project_id', '=', on.user.projectId)
      .orderBy('position')
      .execute();
    const most = { queue_ms: 2_147_483_647, processing_ms: 2_147_483_647 };
    expect(rows).toEqual(['cancelled', 'cancelled', 'completed'].map((status) => ({ status, ...most })));
  });

  it('is told although the transcription is deleted right afterwards', async () => {
    on.transcribe = untilAborted;
    let tries = 0;
    // The first delivery fails, so that the second comes after the deletion.
    const gate = deferred();
    on.answer = async (_seen, response) => {
      tries += 1;
      if (tries === 1) await gate.promise;
      response.writeHead(tries === 1 ? 503 : 204).end();
    };
    const { id } = await processing({ webhook_auth_header_name: 'X-Key', webhook_auth_header_value: 's3cret' });
    await cancel(id);
    expect(await statusOf('DELETE', `/transcriptions/${id}`)).toBe(204);
    gate.resolve();
    await on.settled(id);
    expect(told()).toEqual(Array.from({ length: 2 }, () => ({ id, status: 'error' })));
    expect(on.other.seen.map(({ headers }) => headers['x-key'])).toEqual(['s3cret', 's3cret']);
  });

  it('stops the work of another process', async () => {
    const closing: (() => Promise<void>)[] = [];
    const stopped: string[] = [];
    const begun: string[] = [];
    const working = (name: string) => (options: TranscribeOptions) => {
      begun.push(name);
      return untilAborted(options).finally(() => stopped.push(name));
    };
    on.transcribe = working('this one');
    // Another server on the same database; each has room for one transcription of an organization.
    const other = {
      ...on.server.services,
      areas: [],
      upgrades: new Map(),
      closing: {
        begun: false,
        add: (_phase: string, _name: string, close: () => Promise<void>) => void closing.push(close),
      },
    };
    const engine = createFakeEngine({ transcribe: (_seconds, options) => working('the other')(options) });
    await startSpeechApi(
      other as never,
      { engine, decoder: createFakeDecoder() },
      { storage: on.server.speech.storage, jobs: { pollMs: 20 } },
    );
    try {
      const made = [await create({ webhook_url: null }), await create({ webhook_url: null })];
      await eventually(() => expect(begun.toSorted()).toEqual(['the other', 'this one']));
      for (const { id } of made) expect((await cancel(id)).status).toBe(200);
      await eventually(() => expect(stopped.toSorted()).toEqual(['the other', 'this one']));
    } finally {
      for (const close of closing) await close();
    }
  });
});

describe('FAI-03 a cancellation that meets the end', () => {
  /** There is one end, one webhook, one row of usage. */
  const endsOnce = async (id: string, isCompleted: boolean): Promise<void> => {
    await on.settled(id);
    const { status, error_type } = await get(id);
    expect([status, error_type]).toEqual(isCompleted ? ['completed', null] : ['error', 'cancelled']);
    expect(told()).toEqual([{ id, status }]);
    const billed = { ...free(id), status: 'completed', audio_ms: 1000, cost_micros: 1_000_000 };
    expect(await usage()).toEqual([isCompleted ? billed : free(id)]);
    expect(await statusOf('GET', `/transcriptions/${id}/transcript`)).toBe(isCompleted ? 200 : 409);
  };

  it("comes first: the words that follow are nobody's", async () => {
    const gate = on.closeGate();
    const { id } = await processing();
    expect((await cancel(id)).status).toBe(200);
    gate.open();
    await endsOnce(id, false);
  });

  it('comes second: it is refused', async () => {
    const { id } = await create();
    await reaches(id, 'completed');
    expect((await refusal(await cancel(id))).slice(0, 2)).toEqual([409, 'transcription_invalid_state']);
    await endsOnce(id, true);
  });

  it('comes at the same moment: all answers agree on the end', async () => {
    for (let round = 0; round < 6; round += 1) {
      on.other.seen.length = 0;
      on.user = await on.server.createUser();
      const gate = on.closeGate();
      const { id } = await processing();
      const first = cancel(id);
      gate.open();
      const statuses = (await Promise.all([first, cancel(id)])).map(({ status }) => status);
      const isCompleted = (await get(id)).status === 'completed';
      expect(statuses).toEqual(isCompleted ? [409, 409] : [200, 200]);
      await endsOnce(id, isCompleted);
    }
  });
});
