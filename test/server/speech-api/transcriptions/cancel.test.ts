import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Transcription, type TranscriptToken } from '#contract/transcriptions.ts';
import type { TranscribeOptions } from '#server/engine/port.ts';
import { EngineError } from '#server/engine/port.ts';
import { startSpeechApi } from '#server/speech-api/start.ts';
import { createFakeDecoder, createFakeEngine, SPOKEN } from '../../fake-engine.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { call, refusalOf, startSpeechServer, uploaded, type SpeechServer } from '../harness.ts';
import { deferred } from '../live/live-harness.ts';
import { onLoopback, startOther, type OtherServer } from '../../outgoing-servers.ts';

const CANCELLED = {
  status: 'error',
  error_type: 'cancelled',
  error_message: 'The transcription was cancelled.',
  audio_duration_ms: null,
};

let server: SpeechServer;
let hooks: OtherServer;
let user: TestUser;
/** What the engine and the client's server do in the test at hand. */
let transcribe: (options: TranscribeOptions) => Promise<TranscriptToken[]>;
let answer: (response: ServerResponse) => unknown;

beforeAll(async () => {
  hooks = await startOther(({ method }, response) =>
    method === 'POST' ? answer(response) : response.writeHead(200).end('RIFF'),
  );
  server = await startSpeechServer({
    server: { env: { FETCH_AUDIO_URLS: 'on', SPEECH_PRICES: 'async=3600' } },
    outgoing: { allow: onLoopback },
    engine: { transcribe: (_seconds, options) => transcribe(options) },
  });
});
afterAll(async () => {
  await server.close();
  await hooks.close();
});
beforeEach(async () => {
  hooks.seen.length = 0;
  transcribe = () => Promise.resolve(SPOKEN);
  answer = (response) => response.writeHead(204).end();
  user = await server.createUser();
});

/** Works until it is told to stop. */
const untilAborted = ({ signal }: TranscribeOptions): Promise<TranscriptToken[]> =>
  new Promise((_resolve, reject) => {
    const stop = (): void => reject(new EngineError('aborted', 'The transcription was cancelled.'));
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop);
  });
const create = async (extra: object = {}): Promise<Transcription> => {
  const file = await uploaded(server, user);
  const response = await call(server, user, 'POST', '/transcriptions', {
    model: 'stt-async-v5',
    file_id: file.id,
    webhook_url: hooks.url,
    ...extra,
  });
  expect(response.status).toBe(201);
  return v.parse(Transcription, await response.json());
};
const get = async (id: string): Promise<Transcription> =>
  v.parse(Transcription, await (await call(server, user, 'GET', `/transcriptions/${id}`)).json());
const cancel = (id: string, by = user): Promise<Response> => call(server, by, 'POST', `/transcriptions/${id}/cancel`);
const reaches = (id: string, status: string): Promise<Transcription> =>
  eventually(async () => {
    const transcription = await get(id);
    expect(transcription.status).toBe(status);
    return transcription;
  });
const jobsOf = (id: string) => server.services.db.selectFrom('jobs').select('kind').where('subject', '=', id).execute();
/** No work and no delivery is left. */
const settled = (id: string) => eventually(async () => expect(await jobsOf(id)).toEqual([]));
const usage = () =>
  server.services.db
    .selectFrom('usage_rows')
    .select(['status', 'error_type', 'audio_ms', 'cost_micros'])
    .where('project_id', '=', user.projectId)
    .execute();
const told = (): unknown[] => hooks.seen.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));

describe('FAI-03 cancelling', () => {
  it('ends a running transcription at once: told, recorded, free; again answers the same', async () => {
    let stopped = false;
    transcribe = (options) =>
      untilAborted(options).finally(() => {
        stopped = true;
      });
    const made = await create();
    await reaches(made.id, 'processing');
    const response = await cancel(made.id);
    expect(response.status).toBe(200);
    expect(v.parse(Transcription, await response.json())).toMatchObject({ id: made.id, ...CANCELLED });
    await eventually(() => expect(stopped).toBe(true));
    await settled(made.id);
    const again = await cancel(made.id);
    expect([again.status, v.parse(Transcription, await again.json())]).toEqual([200, await get(made.id)]);
    await settled(made.id);
    expect(told()).toEqual([{ id: made.id, status: 'error' }]);
    expect(await usage()).toEqual([{ status: 'cancelled', error_type: null, audio_ms: 0, cost_micros: 0 }]);
    expect((await refusalOf(await call(server, user, 'GET', `/transcriptions/${made.id}/transcript`))).error_type).toBe(
      'transcription_invalid_state',
    );
    expect((await call(server, user, 'DELETE', `/transcriptions/${made.id}`)).status).toBe(204);
  });

  it('ends a waiting one before its turn comes', async () => {
    const gate = deferred();
    transcribe = async () => (await gate.promise, SPOKEN);
    const before = server.engine.transcriptions + 1;
    const running = await create({ webhook_url: null });
    await eventually(() => expect(server.engine.transcriptions).toBe(before));
    const waiting = await create();
    expect((await get(waiting.id)).status).toBe('queued');
    expect((await cancel(waiting.id)).status).toBe(200);
    await settled(waiting.id);
    gate.resolve();
    await reaches(running.id, 'completed');
    expect(await get(waiting.id)).toMatchObject(CANCELLED);
    expect(server.engine.transcriptions).toBe(before);
    expect(told()).toEqual([{ id: waiting.id, status: 'error' }]);
  });

  it('ends one whose recording is still fetched, and keeps nothing of it', async () => {
    const held: ServerResponse[] = [];
    const source = await startOther((_seen, response) => void held.push(response));
    const made = await create({ file_id: undefined, audio_url: `${source.url}/talk.wav` });
    await eventually(() => expect(held).toHaveLength(1));
    expect((await cancel(made.id)).status).toBe(200);
    held[0]?.writeHead(200).end('RIFF');
    await settled(made.id);
    await source.close();
    expect(await get(made.id)).toMatchObject(CANCELLED);
    await eventually(async () => expect(await server.speech.storage.exists(made.id)).toBe(false));
  });

  it("refuses one that has ended, and knows nobody else's", async () => {
    const done = await create();
    await reaches(done.id, 'completed');
    transcribe = () => Promise.reject(new Error('no'));
    const failed = await create();
    await reaches(failed.id, 'error');
    for (const { id } of [done, failed]) {
      const before = await get(id);
      const response = await cancel(id);
      expect([response.status, (await refusalOf(response)).error_type]).toEqual([409, 'transcription_invalid_state']);
      expect({ ...(await get(id)), webhook_status_code: 0 }).toEqual({ ...before, webhook_status_code: 0 });
    }
    const stranger = await server.createUser();
    for (const [id, by] of [
      [done.id, stranger],
      [randomUUID(), user],
      ['no-uuid', user],
    ] as const) {
      const response = await cancel(id, by);
      expect([response.status, (await refusalOf(response)).error_type]).toEqual([404, 'transcription_not_found']);
    }
  });

  it('MET-01: a waiting one that is deleted leaves a row, cancelled, and tells nobody', async () => {
    const gate = deferred();
    transcribe = async () => (await gate.promise, SPOKEN);
    const before = server.engine.transcriptions + 1;
    const running = await create({ webhook_url: null });
    await eventually(() => expect(server.engine.transcriptions).toBe(before));
    const waiting = await create({ client_reference_id: 'r-1' });
    const remove = () => call(server, user, 'DELETE', `/transcriptions/${waiting.id}`);
    expect((await Promise.all([remove(), remove()])).map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      204, 404,
    ]);
    const rows = await server.services.db
      .selectFrom('usage_rows')
      .select(['id', 'status', 'error_type', 'cost_micros', 'client_reference_id'])
      .where('project_id', '=', user.projectId)
      .execute();
    expect(rows).toEqual([
      { id: waiting.id, status: 'cancelled', error_type: null, cost_micros: 0, client_reference_id: 'r-1' },
    ]);
    gate.resolve();
    await reaches(running.id, 'completed');
    expect((await call(server, user, 'DELETE', `/transcriptions/${running.id}`)).status).toBe(204);
    expect((await usage()).map(({ status }) => status).toSorted()).toEqual(['cancelled', 'completed']);
    expect(told()).toEqual([]);
  });

  it('DELETE keeps its refusal while it is processed', async () => {
    transcribe = untilAborted;
    const made = await create();
    await reaches(made.id, 'processing');
    expect((await call(server, user, 'DELETE', `/transcriptions/${made.id}`)).status).toBe(409);
    expect((await cancel(made.id)).status).toBe(200);
    await settled(made.id);
  });

  it('is told although the transcription is deleted right afterwards', async () => {
    transcribe = untilAborted;
    let tries = 0;
    // The first delivery fails, so that the second comes after the deletion.
    const gate = deferred();
    answer = async (response) => {
      tries += 1;
      if (tries === 1) await gate.promise;
      response.writeHead(tries === 1 ? 503 : 204).end();
    };
    const made = await create({ webhook_auth_header_name: 'X-Key', webhook_auth_header_value: 's3cret' });
    await reaches(made.id, 'processing');
    await cancel(made.id);
    expect((await call(server, user, 'DELETE', `/transcriptions/${made.id}`)).status).toBe(204);
    gate.resolve();
    await settled(made.id);
    expect(told()).toEqual([
      { id: made.id, status: 'error' },
      { id: made.id, status: 'error' },
    ]);
    expect(hooks.seen.map(({ headers }) => headers['x-key'])).toEqual(['s3cret', 's3cret']);
  });

  it('stops the work of another process', async () => {
    const closing: (() => Promise<void>)[] = [];
    const stopped: string[] = [];
    const begun: string[] = [];
    const working = (name: string) => (options: TranscribeOptions) => {
      begun.push(name);
      return untilAborted(options).finally(() => stopped.push(name));
    };
    transcribe = working('this one');
    // Another server on the same database; each has room for one transcription of an organization.
    const other = {
      ...server.services,
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
      { storage: server.speech.storage, jobs: { pollMs: 20 } },
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
  const outcome = async (id: string): Promise<void> => {
    await settled(id);
    const { status } = await get(id);
    expect(told()).toEqual([{ id, status }]);
    expect(await usage()).toEqual([
      {
        status: status === 'completed' ? 'completed' : 'cancelled',
        error_type: null,
        audio_ms: status === 'completed' ? 1000 : 0,
        cost_micros: status === 'completed' ? 1_000_000 : 0,
      },
    ]);
    expect((await call(server, user, 'GET', `/transcriptions/${id}/transcript`)).status).toBe(
      status === 'completed' ? 200 : 409,
    );
  };

  it("comes first: the words that follow are nobody's", async () => {
    const gate = deferred();
    transcribe = async () => (await gate.promise, SPOKEN);
    const made = await create();
    await reaches(made.id, 'processing');
    expect((await cancel(made.id)).status).toBe(200);
    gate.resolve();
    await outcome(made.id);
    expect((await get(made.id)).error_type).toBe('cancelled');
  });

  it('comes second: it is refused', async () => {
    const made = await create();
    await reaches(made.id, 'completed');
    expect((await cancel(made.id)).status).toBe(409);
    await outcome(made.id);
  });

  it('comes at the same moment: there is one end, one webhook, one row of usage', async () => {
    for (let round = 0; round < 12; round += 1) {
      hooks.seen.length = 0;
      user = await server.createUser();
      const gate = deferred();
      transcribe = async () => (await gate.promise, SPOKEN);
      const made = await create();
      await reaches(made.id, 'processing');
      const first = cancel(made.id);
      gate.resolve();
      const answers = await Promise.all([first, cancel(made.id)]);
      const completed = (await reaches(made.id, (await get(made.id)).status)).status === 'completed';
      expect(answers.map((answered) => answered.status)).toEqual(completed ? [409, 409] : [200, 200]);
      await outcome(made.id);
    }
  });
});
