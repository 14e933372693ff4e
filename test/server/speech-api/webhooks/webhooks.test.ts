import type { ServerResponse } from 'node:http';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WEBHOOK_TRIES } from '#contract/webhooks.ts';
import { Transcription, WEBHOOK_VALUE_MASK, type TranscriptToken } from '#contract/transcriptions.ts';
import type { JobHandler } from '#server/platform/jobs/worker.ts';
import { createLog } from '#server/platform/log.ts';
import { createOutgoing } from '#server/platform/outgoing/client.ts';
import { WEBHOOK } from '#server/speech-api/transcriptions/finish.ts';
import { webhookHandler } from '#server/speech-api/transcriptions/webhook.ts';
import { EngineError } from '#server/engine/port.ts';
import { SPOKEN } from '../../fake-engine.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { call, refusalOf, startSpeechServer, uploaded, type SpeechServer } from '../harness.ts';
import { deferred } from '../live/live-harness.ts';
import { onLoopback, startOther, type OtherServer, type Seen } from '../../outgoing-servers.ts';

let server: SpeechServer;
let hooks: OtherServer;
let user: TestUser;
let fileId: string;
/** What the client's server and the engine do in the test at hand. */
let answer: (seen: Seen, response: ServerResponse) => void;
let transcribe: () => Promise<TranscriptToken[]>;
let decoding: () => EngineError | null;

beforeAll(async () => {
  hooks = await startOther((seen, response) => answer(seen, response));
  server = await startSpeechServer({
    outgoing: { allow: onLoopback },
    engine: { transcribe: () => transcribe() },
    decoding: () => decoding(),
  });
});
afterAll(async () => {
  await server.close();
  await hooks.close();
});
beforeEach(async () => {
  hooks.seen.length = 0;
  answer = (_seen, response) => response.writeHead(204).end();
  transcribe = () => Promise.resolve(SPOKEN);
  decoding = () => null;
  user = await server.createUser();
  fileId = (await uploaded(server, user)).id;
});

const create = async (extra: object): Promise<Transcription> => {
  const response = await call(server, user, 'POST', '/transcriptions', {
    model: 'stt-async-v5',
    file_id: fileId,
    ...extra,
  });
  expect(response.status).toBe(201);
  return v.parse(Transcription, await response.json());
};
const get = async (id: string): Promise<Transcription> =>
  v.parse(Transcription, await (await call(server, user, 'GET', `/transcriptions/${id}`)).json());
const jobsOf = (id: string) =>
  server.services.db.selectFrom('jobs').select(['kind', 'state']).where('subject', '=', id).execute();
/** No delivery is left to make. */
const settled = (id: string): Promise<Transcription> =>
  eventually(async () => {
    // First: what is read afterwards is how it ended.
    expect(await jobsOf(id)).toEqual([]);
    return get(id);
  });

describe('delivery', () => {
  it('DAT-08 is not given up because the server was killed in the middle of it, however often', async () => {
    const { id } = await create({ webhook_url: `${hooks.url}/hook` });
    await settled(id);
    const now = new Date();
    await server.services.db
      .insertInto('jobs')
      .values({
        kind: WEBHOOK,
        subject: id,
        state: 'running',
        worker: 'killed',
        attempts: WEBHOOK_TRIES,
        runs: WEBHOOK_TRIES,
        run_at: now,
        lease_until: new Date(now.getTime() - 1000),
        last_error: null,
        created_at: now,
      })
      .execute();
    await eventually(() => expect(hooks.seen).toHaveLength(2));
    await settled(id);
  });

  it('a completed transcription is told by POST with id and status, the header, and the query as it was given', async () => {
    const made = await create({
      webhook_url: `${hooks.url}/hook?tenant=a%20b&x=1`,
      webhook_auth_header_name: 'X-Signature',
      webhook_auth_header_value: 'Bearer s3cret',
    });
    expect(made).toMatchObject({
      webhook_url: `${hooks.url}/hook?tenant=a%20b&x=1`,
      webhook_auth_header_name: 'X-Signature',
      webhook_auth_header_value: '******************',
      webhook_status_code: null,
    });
    expect(WEBHOOK_VALUE_MASK).toBe('******************');
    expect(await settled(made.id)).toMatchObject({
      status: 'completed',
      webhook_status_code: 204,
      webhook_auth_header_value: WEBHOOK_VALUE_MASK,
    });
    expect(hooks.seen).toHaveLength(1);
    const [seen] = hooks.seen;
    expect(seen).toMatchObject({
      method: 'POST',
      path: '/hook?tenant=a%20b&x=1',
      headers: { 'content-type': 'application/json', 'x-signature': 'Bearer s3cret', host: `127.0.0.1:${hooks.port}` },
    });
    expect(JSON.parse(seen?.body ?? '')).toEqual({ id: made.id, status: 'completed' });
  });

  it('a failed one is told as error', async () => {
    decoding = () => new EngineError('invalid_audio', 'The file is damaged.');
    const made = await create({ webhook_url: hooks.url });
    expect(await settled(made.id)).toMatchObject({
      status: 'error',
      error_type: 'invalid_audio',
      webhook_status_code: 204,
    });
    expect(hooks.seen.map(({ body }) => JSON.parse(body))).toEqual([{ id: made.id, status: 'error' }]);
  });

  it('one whose engine is given up is told as error', async () => {
    transcribe = () => Promise.reject(new EngineError('worker_crashed', 'x'));
    const made = await create({ webhook_url: hooks.url });
    await eventually(async () =>
      expect(await get(made.id)).toMatchObject({
        status: 'error',
        error_type: 'engine_failed',
        webhook_status_code: 204,
      }),
    );
    expect(hooks.seen.map(({ body }) => JSON.parse(body))).toEqual([{ id: made.id, status: 'error' }]);
  });

  it('without an address nobody is told, and the answer says null', async () => {
    const made = await create({ webhook_url: null, webhook_auth_header_name: null, webhook_auth_header_value: null });
    expect(await settled(made.id)).toMatchObject({
      status: 'completed',
      webhook_url: null,
      webhook_auth_header_name: null,
      webhook_auth_header_value: null,
      webhook_status_code: null,
    });
    expect(hooks.seen).toEqual([]);
  });

  it('a server that fails is asked again until it takes it; the last status stays', async () => {
    let times = 0;
    answer = (_seen, response) => response.writeHead((times += 1) < 3 ? 503 : 200).end('{}');
    const made = await create({ webhook_url: hooks.url });
    expect(await settled(made.id)).toMatchObject({ webhook_status_code: 200 });
    expect(hooks.seen).toHaveLength(3);
  });

  it('one that keeps failing is dropped after a few tries', async () => {
    answer = (_seen, response) => response.writeHead(500).end();
    const made = await create({ webhook_url: hooks.url });
    expect(await settled(made.id)).toMatchObject({ status: 'completed', webhook_status_code: 500 });
    expect(hooks.seen).toHaveLength(WEBHOOK_TRIES);
  });

  it('a redirect is not followed', async () => {
    answer = (_seen, response) => response.writeHead(307, { location: `${hooks.url}/elsewhere` }).end();
    const made = await create({ webhook_url: `${hooks.url}/hook` });
    expect(await settled(made.id)).toMatchObject({ webhook_status_code: 307 });
    expect(new Set(hooks.seen.map(({ path }) => path))).toEqual(new Set(['/hook']));
  });

  it('an answer without end is not read to the end', async () => {
    const left = deferred();
    answer = (_seen, response) => {
      response.on('close', left.resolve);
      const pour = (): void => {
        while (response.write(Buffer.alloc(65_536)));
      };
      response.writeHead(200).on('drain', pour);
      pour();
    };
    const made = await create({ webhook_url: hooks.url });
    expect(await settled(made.id)).toMatchObject({ webhook_status_code: 200 });
    await left.promise;
    expect(hooks.seen).toHaveLength(1);
  });

  it('a transcription that was deleted meanwhile is not told', async () => {
    const held: ServerResponse[] = [];
    answer = (_seen, response) => void held.push(response);
    const made = await create({ webhook_url: hooks.url });
    await eventually(() => expect(held).toHaveLength(1));
    expect((await call(server, user, 'DELETE', `/transcriptions/${made.id}`)).status).toBe(204);
    held[0]?.writeHead(500).end();
    expect(await jobsOf(made.id)).toEqual([]);
  });
});

describe('a bad address costs only its own delivery', () => {
  it('others go on while a server does not answer', async () => {
    const silent: ServerResponse[] = [];
    answer = ({ path }, response) => {
      if (path === '/silent') silent.push(response);
      else response.writeHead(200).end();
    };
    const stuck = await create({ webhook_url: `${hooks.url}/silent` });
    await eventually(() => expect(silent).toHaveLength(1));
    const next = await create({ webhook_url: `${hooks.url}/good` });
    expect(await settled(next.id)).toMatchObject({ status: 'completed', webhook_status_code: 200 });
    expect(await jobsOf(stuck.id)).toEqual([{ kind: WEBHOOK, state: 'running' }]);
    silent[0]?.writeHead(200).end();
    await settled(stuck.id);
  });

  it('a refused address is dropped at once, a dead host after its tries; the transcription is fine', async () => {
    const dead = await startOther(() => {});
    await dead.close();
    for (const url of ['http://[::1]:1/', 'http://169.254.169.254/latest', dead.url]) {
      const made = await create({ webhook_url: url });
      expect(await settled(made.id)).toMatchObject({ status: 'completed', webhook_status_code: null });
    }
  });

  it('a server that takes too long is left after the time limit', async () => {
    const made = await create({});
    await settled(made.id);
    await server.services.db
      .updateTable('transcriptions')
      .set({ webhook_url: hooks.url })
      .where('id', '=', made.id)
      .execute();
    const left = deferred();
    answer = (_seen, response) => void response.on('close', left.resolve);
    const limitedTo = (timeLimitMs: number): JobHandler =>
      webhookHandler({
        ...server.speech,
        outgoing: createOutgoing({ allow: onLoopback }),
        log: createLog('silent'),
        timeLimitMs,
      });
    const job = {
      id: 1,
      kind: WEBHOOK,
      subject: made.id,
      attempts: 1,
      runs: 1,
      interruptions: 0,
      requestId: null,
      traceparent: null,
      reached: () => Promise.resolve(),
      signal: new AbortController().signal,
      complete: () => Promise.resolve(),
      postpone: () => Promise.resolve(),
    };
    await expect(limitedTo(1000).run(job)).rejects.toThrow('aborted');
    await left.promise;
    let completed = false;
    await limitedTo(1).run({
      ...job,
      attempts: WEBHOOK_TRIES,
      complete: () => Promise.resolve(void (completed = true)),
    });
    expect(completed).toBe(true);
  });
});

describe('what is refused', () => {
  it.each([
    ['a name without a value', { webhook_auth_header_name: 'X-Key' }, 'webhook_auth_header_value', 'missing'],
    ['a value without a name', { webhook_auth_header_value: 'v' }, 'webhook_auth_header_name', 'missing'],
    [
      'a name that is none',
      { webhook_auth_header_name: 'X Key:', webhook_auth_header_value: 'v' },
      'webhook_auth_header_name',
      'regex',
    ],
    [
      'a header of the request itself',
      { webhook_auth_header_name: 'Host', webhook_auth_header_value: 'v' },
      'webhook_auth_header_name',
      'invalid',
    ],
    [
      'a value with a line break',
      { webhook_auth_header_name: 'X-Key', webhook_auth_header_value: 'a\r\nb: c' },
      'webhook_auth_header_value',
      'regex',
    ],
    [
      'a long name',
      { webhook_auth_header_name: 'x'.repeat(257), webhook_auth_header_value: 'v' },
      'webhook_auth_header_name',
      'max_length',
    ],
    [
      'a long value',
      { webhook_auth_header_name: 'X-Key', webhook_auth_header_value: 'x'.repeat(257) },
      'webhook_auth_header_value',
      'max_length',
    ],
    ['a long address', { webhook_url: `https://example.com/${'x'.repeat(240)}` }, 'webhook_url', 'max_length'],
    ['another kind of address', { webhook_url: 'ftp://example.com/' }, 'webhook_url', 'regex'],
    ['an address without a host', { webhook_url: 'http://?' }, 'webhook_url', 'invalid'],
  ])('%s', async (_name, extra, field, type) => {
    const response = await call(server, user, 'POST', '/transcriptions', {
      model: 'stt-async-v5',
      file_id: fileId,
      webhook_url: hooks.url,
      ...extra,
    });
    expect(response.status).toBe(400);
    expect(await refusalOf(response)).toMatchObject({
      error_type: 'invalid_request',
      validation_errors: [{ location: `body.payload.${field}`, error_type: type }],
    });
  });
});
