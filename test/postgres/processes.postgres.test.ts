/** Processes of one database that share the work: those that answer, those that work off jobs, and one that is about to stop. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIVE_PATH } from '#contract/live.ts';
import { keepProcessRow, listProcesses } from '#server/app/processes.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { createPostgres } from '../server/databases.ts';
import type { FakeEngineScript } from '../server/fake-engine.ts';
import { metricsOf } from '../server/scraped.ts';
import { testFolder } from '../server/template.ts';
import { eventually } from '../server/eventually.ts';
import { call, connectLive, liveKey, startSpeechServer, type SpeechServer } from '../server/speech-api/harness.ts';
import { consoleClient } from '../server/speech-api/client.ts';
import { CONFIG } from '../server/speech-api/live/live-client.ts';

let databaseUrl: string;
let directory: string;
beforeEach(async () => {
  databaseUrl = await createPostgres();
  directory = await mkdtemp(join(testFolder, 'processes-'));
});
const open: SpeechServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
  await rm(directory, { recursive: true, force: true });
});

async function start(env: Record<string, string> = {}, engine: FakeEngineScript = {}): Promise<SpeechServer> {
  const server = await startSpeechServer({
    engine: { auto: true, ...engine },
    server: {
      env: { DATA_DIR: directory, DATABASE_URL: databaseUrl, SECRET_KEY: 'k'.repeat(32), ...env },
      overrides: { database: await openDatabase({ databaseUrl }) },
    },
  });
  open.push(server);
  return server;
}

const readiness = async ({ url }: SpeechServer): Promise<[number, string | undefined]> => {
  const answer = await fetch(`${url}/readyz`);
  const { message } = await answer.json();
  return [answer.status, message];
};

const WEBSOCKET = [
  ['upgrade', 'websocket'],
  ['sec-websocket-version', '13'],
  ['sec-websocket-key', Buffer.alloc(16, 1).toString('base64')],
] as const;

/** What a handshake of a live session is answered with. */
const knock = ({ url }: SpeechServer): Promise<{ status: number | undefined; retryAfter: string | undefined }> =>
  new Promise((resolve, reject) => {
    const headers = { connection: 'Upgrade', ...Object.fromEntries(WEBSOCKET) };
    const asked = request(url + LIVE_PATH, { headers });
    asked.once('response', (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode, retryAfter: answer.headers['retry-after'] });
    });
    asked.once('upgrade', (answer, socket) => {
      socket.destroy();
      resolve({ status: answer.statusCode, retryAfter: undefined });
    });
    asked.once('error', reject).end();
  });

/** Has a new recording transcribed. @returns its state, by the server that is asked */
async function queue(server: SpeechServer) {
  const user = await server.createUser();
  const { id } = await consoleClient(() => ({ server, user })).create();
  return async (asked: SpeechServer): Promise<string> =>
    (await consoleClient(() => ({ server: asked, user })).get(id)).status;
}

/** A live session that has its first result. */
async function speak(server: SpeechServer) {
  const user = await server.createUser();
  const client = connectLive(server);
  await client.opened;
  client.socket.send(JSON.stringify({ ...CONFIG, api_key: await liveKey(server, user) }));
  client.socket.send(Buffer.alloc(3200));
  await eventually(() => expect(client.frames.length).toBeGreaterThan(0));
  return client;
}

describe('OPS-51 roles', () => {
  it('one process answers, another works off what it has taken, and tells its own metrics (OPS-60)', async () => {
    const api = await start({ ROLE: 'api' });
    const stateAt = await queue(api);
    // All that an idle process takes at once is taken when a second job has been.
    await api.services.db.selectFrom('jobs').select('id').execute();
    expect(await stateAt(api)).toBe('queued');
    const worker = await start({ ROLE: 'worker', METRICS_PORT: '0' });
    const { scrape } = await metricsOf(worker.services);
    await eventually(async () => expect(await stateAt(api)).toBe('completed'));
    expect([api.engine.transcriptions, worker.engine.transcriptions]).toEqual([0, 1]);
    const done = { kind: 'transcribe', outcome: 'done' };
    await eventually(async () => expect((await scrape()).value('parlance_jobs_ended_total', done)).toBe(1));
  });

  it('a process whose recognizer failed takes no recording, and says that it is not ready', async () => {
    const broken = await start({}, { info: { ready: false } });
    const stateAt = await queue(broken);
    expect(await readiness(broken)).toEqual([503, 'The recognizer is not ready.']);
    expect(await knock(broken)).toEqual({ status: 503, retryAfter: '1' });
    const well = await start();
    expect(await readiness(well)).toEqual([200, undefined]);
    await eventually(async () => expect(await stateAt(well)).toBe('completed'));
    expect([broken.engine.transcriptions, well.engine.transcriptions]).toEqual([0, 1]);
    const { attempts } = await well.services.db
      .selectFrom('jobs')
      .select(({ fn }) => fn.countAll<number>().as('attempts'))
      .executeTakeFirstOrThrow();
    expect(Number(attempts)).toBe(0);
  });
});

it('OPS-52 a process without a place for a stream says so before the handshake, and takes one when a place is free', async () => {
  const server = await start({}, { info: { maxStreams: 1 } });
  const client = await speak(server);
  expect(await knock(server)).toEqual({ status: 503, retryAfter: '1' });
  client.socket.send('');
  await client.closed;
  server.engine.streams.length = 0;
  expect(await knock(server)).toMatchObject({ status: 101 });
});

describe('OPS-53 a process that is told to stop', () => {
  it('says first that it is not ready, and takes everything until a balancer has noticed', async () => {
    const server = await start({ DRAIN_NOTICE_SECONDS: '2' });
    const user = await server.createUser();
    const stopped = server.services.closing.run({ drain: true });
    expect(await readiness(server)).toEqual([503, 'The server is about to stop.']);
    const answer = await call(server, user, 'GET', '/models');
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    expect(await knock(server)).toMatchObject({ status: 101 });
    await stopped;
    await expect(fetch(server.url)).rejects.toThrow('fetch failed');
  });

  it('lets a stream end by itself, and takes no other', async () => {
    const server = await start();
    const client = await speak(server);
    const stopped = server.services.closing.run({ drain: true });
    await eventually(() => expect(knock(server)).rejects.toThrow('ECONNREFUSED'));
    client.socket.send('');
    expect(await client.closed).toBe(1000);
    expect(client.frames.at(-1)).toMatchObject({ finished: true });
    await stopped;
  });

  it.each<[string, string[]]>([
    ['stream', [`GET ${LIVE_PATH} HTTP/1.1`, 'Connection: Upgrade', ...WEBSOCKET.map((pair) => pair.join(': '))]],
    ['upload', ['POST /v1/files HTTP/1.1', 'Content-Type: multipart/form-data; boundary=b', 'Content-Length: 1000000']],
  ])('takes no new %s on a connection that was open before', async (_what, lines) => {
    const server = await start();
    const { access, projectId } = await server.createUser();
    const running = await speak(server);
    const { port } = new URL(server.url);
    const connection = connect(Number(port), '127.0.0.1');
    await once(connection, 'connect');
    const bearer = JSON.stringify({ type: 'jwt', project_id: projectId, token: access });
    // The server has heard of the connection, and that something comes.
    connection.write([lines[0], `Host: 127.0.0.1:${port}`, `Authorization: Bearer ${bearer}`].join('\r\n'));
    await fetch(`${server.url}/healthz`);
    const stopped = server.services.closing.run({ drain: true });
    await eventually(() => expect(server.services.closing.isDraining).toBe(true));
    connection.write(['', ...lines.slice(1), '', ''].join('\r\n'));
    const [told] = await once(connection.setEncoding('utf8'), 'data');
    expect(told).toMatch(/^HTTP\/1.1 503 [^]*retry-after: 1\r\n/);
    connection.destroy();
    running.socket.send('');
    await running.closed;
    await stopped;
  });

  it('asks a stream that goes on for too long to begin again elsewhere', async () => {
    const server = await start({ DRAIN_SECONDS: '1' });
    const client = await speak(server);
    await server.services.closing.run({ drain: true });
    await client.closed;
    expect(client.frames.at(-1)).toMatchObject({ error_code: 503 });
    const [row] = await (
      await start()
    ).services.db
      .selectFrom('live_sessions')
      .select('status')
      .orderBy('started_at', 'desc')
      .execute();
    expect(row?.status).toBe('failed');
  });

  it('hands its jobs back at once, as if they had not been tried', async () => {
    let given: (() => void) | undefined;
    const taken = new Promise<void>((resolve) => (given = resolve));
    const slow = await start(
      {},
      {
        transcribe: (_, { signal }) => {
          given?.();
          return new Promise((_resolve, reject) =>
            signal?.addEventListener('abort', () => reject(new Error('stopped'))),
          );
        },
      },
    );
    const stateAt = await queue(slow);
    await taken;
    const client = await speak(slow);
    const stopped = slow.services.closing.run({ drain: true });
    const next = await start();
    await eventually(async () => expect(await stateAt(next)).toBe('completed'));
    expect([next.engine.transcriptions, client.socket.readyState]).toEqual([1, client.socket.OPEN]);
    client.socket.send('');
    expect(await client.closed).toBe(1000);
    await stopped;
  });
});

it('OPS-54 the database knows its processes, how many streams each has, and that one is gone', async () => {
  const one = await start({ ROLE: 'api' }, { info: { maxStreams: 3 } });
  await keepProcessRow(one.services, one.engine);
  const broken = await start({ ROLE: 'worker' }, { info: { ready: false, maxStreams: 0 } });
  await keepProcessRow(broken.services, broken.engine);
  const { db, clock } = one.services;
  const listed = async () =>
    (await listProcesses(db, clock())).map(({ role, state, streams, max_streams }) => [
      role,
      state,
      streams,
      max_streams,
    ]);
  expect(await listed()).toEqual([
    ['api', 'ready', 0, 3],
    ['worker', 'unready', 0, 0],
  ]);
  await speak(one);
  await eventually(async () => expect((await listed())[0]).toEqual(['api', 'ready', 1, 3]));
  await broken.services.closing.run();
  expect(await listed()).toEqual([['api', 'ready', 1, 3]]);
  // One that was killed says nothing any more.
  expect(await listProcesses(db, new Date(clock().getTime() + 31_000))).toEqual([]);
});
