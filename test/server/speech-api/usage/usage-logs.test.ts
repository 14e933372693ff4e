import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LeaseEnded } from '#server/platform/jobs/queue.ts';
import { EngineError } from '#server/engine/port.ts';
import { transcribeHandler } from '#server/speech-api/transcriptions/transcribe.ts';
import { abortLiveSessions, endLiveSession } from '#server/money/usage/record.ts';
import { word } from '../../fake-engine.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { LIVE_END } from '../../money/usage/live-session.ts';
import { createFakeClock, type FakeClock } from '../../fake-clock.ts';
import { runningJob } from '../../running-job.ts';
import { consoleClient, speechClient } from '../client.ts';
import { liveKey, projectKey, startSpeechServer, type LiveClient, type SpeechServer } from '../harness.ts';
import { begin } from '../live/live-client.ts';
import { addDeadSession } from '../transcriptions/queue-fixture.ts';

let server: SpeechServer;
let user: TestUser;
let timers: FakeClock;
/** What the decoder does in the test at hand. */
let decoding: () => EngineError | null;
beforeAll(async () => {
  timers = createFakeClock();
  server = await startSpeechServer({
    decoding: () => decoding(),
    timers,
    limitDefaults: { requests_per_minute: 1000 },
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  decoding = () => null;
  user = await server.createUser();
});

const rows = () =>
  server.services.db
    .selectFrom('usage_rows')
    .selectAll()
    .where('project_id', '=', user.projectId)
    .orderBy('position')
    .execute();
const row = () =>
  eventually(async () => {
    const [first, ...others] = await rows();
    expect([first === undefined, others]).toEqual([false, []]);
    return first!;
  });
const { create, statusOf } = consoleClient(() => ({ server, user }));
const sessions = () =>
  server.services.db.selectFrom('live_sessions').selectAll().where('project_id', '=', user.projectId);
/** Starts a stream and waits until it is admitted. */
const stream = async (api_key: string): Promise<LiveClient> => {
  const before = server.engine.streams.length;
  const client = await begin(server, { api_key });
  await eventually(() => expect(server.engine.streams.length).toBeGreaterThan(before));
  return client;
};
const latest = () => server.engine.streams.at(-1)!;
/** Sends audio and waits until the engine has it. */
const hear = async (client: LiveClient, milliseconds: number): Promise<void> => {
  const fake = latest();
  const before = fake.audioMs;
  client.socket.send(Buffer.alloc(milliseconds * 32));
  await eventually(() => expect(fake.audioMs).toBe(before + milliseconds));
};

describe('what a transcription leaves in the log', () => {
  it('PRJ-04: a completed one: audio, tokens, duration and the cost at its end; it outlives the transcription', async () => {
    const model = 'parlance-async-1';
    const { id } = await create({ model, client_reference_id: 'customer-7' });
    const log = await row();
    expect(log).toMatchObject({
      kind: 'async',
      origin: 'playground',
      api_key_id: null,
      client_reference_id: 'customer-7',
      model,
      status: 'completed',
      error_type: null,
      audio_ms: 1000,
      input_tokens: 0,
      output_tokens: 2,
      cost_micros: 28,
    });
    const { created_at, finished_at } = await server.services.db
      .selectFrom('transcriptions')
      .select(['created_at', 'finished_at'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect([log.started_at, log.ended_at, (log.queue_ms ?? 0) + (log.processing_ms ?? 0)]).toEqual([
      created_at,
      finished_at,
      finished_at!.getTime() - created_at.getTime(),
    ]);
    expect(await statusOf('DELETE', `/transcriptions/${id}`)).toBe(204);
    expect(await rows()).toEqual([log]);
  });

  it('PRJ-04: one that failed: its error, no audio, no tokens, nothing to pay', async () => {
    decoding = () => new EngineError('invalid_audio', 'This is no audio.');
    await create();
    expect(await row()).toMatchObject({
      status: 'failed',
      error_type: 'invalid_audio',
      audio_ms: 0,
      output_tokens: 0,
      cost_micros: 0,
    });
  });

  it('no log without an end: a run whose job was taken over leaves none', async () => {
    const { id } = await create();
    await row();
    const { db } = server.services;
    await db.deleteFrom('transcripts').where('transcription_id', '=', id).execute();
    await db.updateTable('transcriptions').set({ status: 'queued' }).where('id', '=', id).execute();
    const job = runningJob({
      kind: 'transcribe',
      subject: id,
      complete: () => Promise.reject(new LeaseEnded()),
      postpone: () => Promise.reject(new LeaseEnded()),
    });
    await expect(transcribeHandler(server.speech).run(job)).rejects.toThrow(LeaseEnded);
    expect(await rows()).toHaveLength(1);
  });
});

describe('what a live session leaves in the log', () => {
  it('PRJ-04 LVP-04: a completed one: audio, final tokens without markers, first-token wait, and the cost of its last frame', async () => {
    const client = await stream(await liveKey(server, user, { client_reference_id: 'customer-7' }));
    await hear(client, 60);
    timers.advance(400);
    await hear(client, 40);
    timers.advance(30);
    latest().say([word(' He', 0, false)]);
    timers.advance(1000);
    latest().say([word(' Hello', 0), { text: '<fin>', is_final: true }, word(' wor', 100, false)]);
    latest().say([word(' world', 100)], true);
    expect(await client.closed).toBe(1000);
    expect(client.frames.at(-1)).toMatchObject({ finished: true, cost_usd: '0.000003' });
    expect(await row()).toMatchObject({
      kind: 'real_time',
      origin: 'playground',
      client_reference_id: 'customer-7',
      model: 'parlance-rt-1',
      status: 'completed',
      error_type: null,
      audio_ms: 100,
      output_tokens: 2,
      first_word_ms: 430,
      cost_micros: 3,
    });
  });

  it.each<[what: string, live: (client: LiveClient) => Promise<void>, logged: object]>([
    [
      'audio in text frames: what it was',
      async ({ socket }) => {
        socket.send(Buffer.alloc(3200).toString('base64'));
        await eventually(() => expect(latest().audioMs).toBe(100));
        timers.advance(250);
        latest().say([word(' Hello', 0)], true);
      },
      { audio_ms: 100, first_word_ms: 250 },
    ],
    [
      'silence: a marker is no token, and there is no latency',
      async (client) => {
        await hear(client, 100);
        latest().say([{ text: '<end>', is_final: true }]);
        latest().say([], true);
      },
      { status: 'completed', output_tokens: 0, first_word_ms: null },
    ],
    [
      'one that failed: what was used until then, and why',
      async (client) => {
        await hear(client, 200);
        latest().say([word(' Hello', 0)]);
        latest().fail(new EngineError('worker_crashed', 'gone'));
      },
      { status: 'failed', error_type: 'service_unavailable', audio_ms: 200, output_tokens: 1, cost_micros: 7 },
    ],
    [
      'one that the client left: what was used until then',
      async (client) => {
        await hear(client, 300);
        client.socket.terminate();
      },
      { status: 'cancelled', error_type: null, audio_ms: 300, cost_micros: 10 },
    ],
  ])('PRJ-04: %s', async (_what, live, logged) => {
    await live(await stream(await liveKey(server, user)));
    expect(await row()).toMatchObject(logged);
  });

  it('one whose process died: until the end of its lease', async () => {
    const { db } = server.services;
    const started_at = new Date('2026-01-01T00:00:00Z');
    const ended_at = await addDeadSession(server.services, user.projectId, started_at);
    await abortLiveSessions(db, ended_at);
    expect(await rows()).toEqual([]);
    for (let looks = 0; looks < 2; looks += 1) {
      await abortLiveSessions(db, new Date(ended_at.getTime() + 1000));
      expect(await rows()).toMatchObject([{ status: 'cancelled', started_at, ended_at, cost_micros: 0 }]);
    }
  });

  it('DAT-05: one whose process died: billed by its last heartbeat, tokens and latency too; once', async () => {
    const client = await stream(await liveKey(server, user));
    await hear(client, 300);
    timers.advance(70);
    latest().say([word(' Hello', 0), word(' wor', 100, false)]);
    await eventually(() => expect(client.frames).toHaveLength(1));
    const { db } = server.services;
    // The heartbeat comes by itself.
    await eventually(async () =>
      expect(await sessions().executeTakeFirstOrThrow()).toMatchObject({
        status: 'running',
        audio_ms: 300,
        output_tokens: 1,
        latency_ms: 70,
      }),
    );
    const { id, lease_until } = await sessions().executeTakeFirstOrThrow();
    const later = new Date(lease_until.getTime() + 60_000);
    await Promise.all([abortLiveSessions(db, later), abortLiveSessions(db, later)]);
    const billed = { status: 'cancelled', output_tokens: 1, first_word_ms: 70 };
    expect(await rows()).toMatchObject([{ ...billed, audio_ms: 300, cost_micros: 10 }]);
    // It lives after all: what it heard since is billed as well, in the same single row.
    await hear(client, 200);
    client.socket.terminate();
    await eventually(async () =>
      expect(await rows()).toMatchObject([{ status: 'cancelled', audio_ms: 500, cost_micros: 17 }]),
    );
    await endLiveSession(db, id, { ...LIVE_END, at: new Date() });
    await abortLiveSessions(db, later);
    expect(await rows()).toMatchObject([{ audio_ms: 500 }]);
  });

  it('a refused one leaves nothing', async () => {
    const client = await begin(server, { api_key: await liveKey(server, user), audio_format: 'nope' });
    await client.closed;
    expect(await rows()).toEqual([]);
  });
});

describe('who asked', () => {
  it('a program: its key, and the id of its request, which a refusal tells as well', async () => {
    const { id, key } = await projectKey(server, user);
    const asked = { origin: 'public_api', api_key_id: id };
    const client = await stream(key);
    latest().say([], true);
    await client.closed;
    // Its last frame is the public protocol's, without a cost.
    expect(client.frames.at(-1)).toEqual({
      tokens: [],
      final_audio_proc_ms: expect.any(Number),
      total_audio_proc_ms: expect.any(Number),
      finished: true,
    });
    const log = await row();
    expect(log).toMatchObject(asked);
    const { request_id } = log;
    expect(await sessions().execute()).toMatchObject([{ ...asked, request_id, status: 'completed' }]);
    const failing = await stream(key);
    latest().fail(new EngineError('worker_crashed', 'gone'));
    await failing.closed;
    const told = failing.frames.at(-1)?.['request_id'];
    await eventually(async () => expect(await rows()).toMatchObject([{ request_id }, { request_id: told }]));
  });

  it('a transcription of a program: its key, and the id of the request that created it', async () => {
    const { id, key } = await projectKey(server, user);
    const { post } = speechClient(() => ({ url: server.url, authorization: `Bearer ${key}` }));
    const request_id = (await post()).headers.get('x-request-id');
    expect(await row()).toMatchObject({ origin: 'public_api', api_key_id: id, request_id });
  });
});
