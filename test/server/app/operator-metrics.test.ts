/** What `/metrics` tells an operator of a server that works. */
import { randomUUID } from 'node:crypto';
import { CompiledQuery, Kysely } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { serveMetrics } from '#server/app/metrics-server.ts';
import { pgliteDialect } from '#server/platform/db/dialect.ts';
import type { Schema } from '#server/platform/db/schema.ts';
import { TestDriver } from '#server/money/payments/test-driver.ts';
import { SPOKEN } from '../fake-engine.ts';
import { openBorrowedDatabase } from '../databases.ts';
import { startTestServer, type TestUser } from '../harness.ts';
import { rawRequest } from '../raw-request.ts';
import { metricsOf, type Scraped } from '../scraped.ts';
import { eventually } from '../eventually.ts';
import { consoleClient } from '../speech-api/client.ts';
import { liveKey, startSpeechServer, type SpeechServer } from '../speech-api/harness.ts';
import { begin } from '../speech-api/live/live-client.ts';

const METRICS_PORT = '0';

describe('a server', () => {
  let server: SpeechServer;
  let url: string;
  let scrape: () => Promise<Scraped>;
  let user: TestUser;
  let failures = 0;
  const processes = { running: 2, residentBytes: 600_000_000, lost: 0, replaced: 0 };
  beforeAll(async () => {
    server = await startSpeechServer({
      engine: {
        info: { processes },
        transcribe: () => (failures-- > 0 ? Promise.reject(new Error('not this time')) : Promise.resolve(SPOKEN)),
      },
      server: { env: { METRICS_PORT, SMTP_URL: 'smtp://127.0.0.1:1' } },
    });
    ({ url, scrape } = await metricsOf(server.services));
    user = await server.createUser();
  });
  afterAll(() => server.close());

  const status = async (path: string, options: Parameters<typeof rawRequest>[1] = {}) =>
    (await rawRequest(url + path, options)).statusCode;
  const { call, create, reaches, stored } = consoleClient(() => ({ server, user }));
  const transcribed = async (): Promise<void> => {
    const { id } = await create();
    await reaches(id, 'completed');
  };

  it('OPS-60 tells its metrics on a port of their own, by GET /metrics and nothing else, and under no foreign name', async () => {
    expect(await status('/metrics')).toBe(200);
    expect(await status('/metrics?x=1')).toBe(200);
    expect(await status('/')).toBe(404);
    expect(await status('/metrics', { method: 'POST' })).toBe(404);
    expect(await status('/metrics', { headers: { host: 'rebound.example.com' } })).toBe(421);
    expect((await fetch(`${server.url}/metrics`)).headers.get('content-type')).not.toContain('version=0.0.4');
  });

  it('OPS-61 counts requests by the pattern of their route, their method and their status, and measures their time', async () => {
    const file = await stored();
    await call('GET', `/files/${file.id}`);
    await call('GET', `/files/${randomUUID()}`);
    const told = await scrape();
    const [counted] = /^parlance_http_requests_total\{.*route="([^"]*)",status="404"\} 1$/m.exec(told.text) ?? [];
    expect(counted).toMatch(/route="\/v1\/files\/:\w+"/);
    const route = /route="([^"]*)"/.exec(counted ?? '')?.[1] ?? '';
    expect(told.value('parlance_http_requests_total', { method: 'GET', route, status: '200' })).toBe(1);
    expect(told.value('parlance_http_request_duration_seconds_count', { method: 'GET', route })).toBe(2);
  });

  it('OPS-61 tells of jobs: their ends, those that wait and since when, and those that were given up', async () => {
    const before = await scrape();
    failures = 1;
    await transcribed();
    const now = server.services.clock();
    const job = { kind: 'nobody_does_it', subject: randomUUID(), attempts: 0 };
    const early = new Date(now.getTime() - 90_000);
    await server.services.db
      .insertInto('jobs')
      .values([
        { ...job, state: 'ready', run_at: early, created_at: early },
        { ...job, state: 'ready', run_at: new Date(now.getTime() + 60_000), created_at: early },
        { ...job, state: 'dead', run_at: early, created_at: early },
      ])
      .execute();
    const told = await scrape();
    const kind = 'transcribe';
    const risen = (outcome: string): number =>
      (told.value('parlance_jobs_ended_total', { kind, outcome }) ?? 0) -
      (before.value('parlance_jobs_ended_total', { kind, outcome }) ?? NaN);
    expect([risen('retried'), risen('done'), risen('given_up')]).toEqual([1, 1, 0]);
    expect(told.value('parlance_job_duration_seconds_count', { kind })).toBe(2);
    expect(told.value('parlance_jobs_running', { kind })).toBe(0);
    const other = { kind: job.kind };
    expect(told.value('parlance_jobs_waiting', other)).toBe(1);
    expect(told.value('parlance_jobs_put_off', other)).toBe(1);
    expect(told.value('parlance_jobs_dead', other)).toBe(1);
    expect(told.value('parlance_jobs_oldest_waiting_seconds', other)).toBeGreaterThanOrEqual(90);
    await server.services.db.deleteFrom('jobs').where('kind', '=', job.kind).execute();
    expect((await scrape()).value('parlance_jobs_waiting', other)).toBeUndefined();
  });

  it('REC-07 counts the processes of the recognizer that have ended', async () => {
    const ended = async () => {
      const told = await scrape();
      return ['lost', 'replaced'].map((how) => told.value('parlance_recognizer_processes_ended_total', { how }));
    };
    await scrape();
    expect(await ended()).toEqual([0, 0]);
    Object.assign(processes, { lost: 3, replaced: 1 });
    await scrape();
    expect(await ended()).toEqual([3, 1]);
    expect(await ended()).toEqual([3, 1]);
  });

  it('OPS-61 REC-07 tells of the recognizer, the parts that requests need, the database and the storage', async () => {
    const before = (await scrape()).value('parlance_recognizer_audio_seconds_total', { source: 'recording' }) ?? 0;
    await transcribed();
    const told = await scrape();
    expect(told.value('parlance_recognizer_audio_seconds_total', { source: 'recording' })).toBeGreaterThan(before);
    expect(told.value('parlance_recognizer_ready')).toBe(1);
    expect(told.value('parlance_recognizer_processes')).toBe(2);
    expect(told.value('parlance_recognizer_resident_bytes')).toBe(600_000_000);
    for (const part of ['database', 'storage', 'recognizer']) expect(told.value('parlance_ready', { part })).toBe(1);
    expect(told.value('parlance_database_connections', { pool: 'queries' })).toBeGreaterThan(0);
    expect(told.value('parlance_database_query_duration_seconds_count')).toBeGreaterThan(10);
    expect(told.value('parlance_storage_call_duration_seconds_count', { call: 'put' })).toBeGreaterThan(0);
    expect(told.value('nodejs_eventloop_lag_seconds')).toBeDefined();
    expect(told.value('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  });

  it('OPS-61 tells how live sessions ended', async () => {
    const api_key = await liveKey(server, user);
    for (const config of [{ api_key: 'nobody' }, { api_key, model: 'nonsense' }]) {
      const client = await begin(server, config);
      await client.closed;
    }
    await eventually(async () => {
      const told = await scrape();
      expect(told.value('parlance_live_sessions_total', { end: 'failed', error: 'unauthenticated' })).toBe(1);
      expect(told.value('parlance_live_sessions_total', { end: 'failed' })).toBe(2);
      expect(told.value('parlance_live_stream_places')).toBeGreaterThan(0);
    });
  });

  it('OPS-61 tells of mails that wait, and of tries that failed', async () => {
    const { db, mail } = server.services;
    await db
      .transaction()
      .execute((trx) => mail.send(trx, { to: 'a@example.com', subject: 's', text: 't', html: '<p>t</p>' }));
    await eventually(async () => {
      const told = await scrape();
      expect(told.value('parlance_mails_waiting')).toBe(1);
      expect(told.value('parlance_mails_oldest_waiting_seconds')).toBeGreaterThan(0);
      expect(told.value('parlance_mails_total', { outcome: 'failed' })).toBeGreaterThan(0);
      expect(told.value('parlance_mails_total', { outcome: 'sent' })).toBe(0);
    });
  });

  it('OPS-61 tells what became of payments, and of webhooks that were refused', async () => {
    const attempt = randomUUID();
    const begun = await server.call(user, 'POST', `/api/v2/organizations/${user.organizationId}/payment/`, {
      attempt,
      amount_micros: 20_000_000,
    });
    expect(begun.status).toBe(200);
    await new TestDriver(server.services).cancel(attempt);
    await fetch(`${server.url}/api/v2/stripe/webhook/`, { method: 'POST', body: '{}' });
    await eventually(async () => {
      const told = await scrape();
      expect(told.value('parlance_payment_events_total', { event: 'canceled' })).toBe(1);
      expect(told.value('parlance_payment_webhooks_refused_total', { error: 'not_found' })).toBe(1);
      expect(told.value('parlance_payment_refused_events')).toBe(0);
      expect(told.value('parlance_payment_refused_charges')).toBe(0);
    });
  });

  it('OPS-61 names no tenant, no person and no secret, whatever was asked', async () => {
    await fetch(`${server.url}/v1/files/${user.projectId}?token=s3cret`, {
      headers: { authorization: 'Bearer s3cret' },
    });
    await fetch(`${server.url}/${user.email}/s3cret`, { method: 'PROPFIND' });
    const { text } = await scrape();
    expect(text).not.toMatch(/[\da-f]{8}-[\da-f]{4}-/);
    expect(text).not.toContain('s3cret');
    expect(text).not.toContain('@');
    expect(text).not.toContain('PROPFIND');
  });
});

it('OPS-61 measures the sound of streams, once, counts those that are complete, and what limits refuse by their names', async () => {
  const server = await startSpeechServer({
    engine: { auto: true },
    limitDefaults: { requests_per_minute: 2 },
    server: { env: { METRICS_PORT } },
  });
  onTestFinished(server.close);
  const { scrape } = await metricsOf(server.services);
  const user = await server.createUser();
  const client = await begin(server, { api_key: await liveKey(server, user) });
  for (let n = 0; n < 5; n += 1) client.socket.send(Buffer.alloc(6400));
  client.socket.send('');
  await client.closed;
  const told = await scrape();
  expect(told.value('parlance_recognizer_audio_seconds_total', { source: 'stream' })).toBeCloseTo(1);
  expect(told.value('parlance_live_sessions_total', { end: 'completed', error: 'none' })).toBe(1);
  expect(told.value('parlance_live_sessions_total')).toBe(1);

  const other = await server.createUser();
  const { mint } = consoleClient(() => ({ server, user: other }));
  for (const expected of [201, 201, 429]) expect((await mint()).status).toBe(expected);
  const refused = { limit: 'requests_per_minute', of: 'organization' };
  expect((await scrape()).value('parlance_limit_refusals_total', refused)).toBe(1);
});

it('OPS-60 without METRICS_PORT listens nowhere, and counts nothing', async () => {
  const server = await startTestServer();
  onTestFinished(server.close);
  expect(await serveMetrics(server.services)).toBeUndefined();
  expect(server.services.meters.isOn).toBe(false);
  expect((await server.services.meters.scrape()).body).toBe('');
});

it('OPS-62 answers while the database does not, with all that it knows without', async () => {
  const database = await openBorrowedDatabase();
  let isAway = false;
  const reports = new Kysely<Schema>({
    dialect: pgliteDialect({
      async query(text, parameters) {
        if (isAway) throw Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
        const { rows } = await database.db.executeQuery(CompiledQuery.raw(text, [...parameters]));
        return { rows, affected: 0 };
      },
      close: () => Promise.resolve(),
    }),
  });
  const server = await startTestServer({ env: { METRICS_PORT }, overrides: { database: { ...database, reports } } });
  onTestFinished(server.close);
  const { scrape } = await metricsOf(server.services);
  expect((await scrape()).value('parlance_mails_waiting')).toBe(0);
  isAway = true;
  const told = await scrape();
  expect(told.value('parlance_mails_waiting')).toBeUndefined();
  expect(told.value('parlance_scrape_failures_total', { part: 'database' })).toBe(1);
  expect(told.value('parlance_ready', { part: 'storage' })).toBe(1);
  isAway = false;
  expect((await scrape()).value('parlance_mails_waiting')).toBe(0);
});
