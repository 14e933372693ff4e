/** The database was away for longer than leases last, or undoes what it was asked for. */
import { randomUUID } from 'node:crypto';
import { sql, type Insertable } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import type { Services } from '#server/platform/context.ts';
import type { Schema } from '#server/platform/db/schema.ts';
import { Grace } from '#server/platform/grace.ts';
import { JobWorker } from '#server/platform/jobs/worker.ts';
import { silentMeters } from '#server/platform/telemetry/meters.ts';
import { silentTracer } from '#server/platform/telemetry/tracer.ts';
import { GateKeeper } from '#server/speech-api/live/gate.ts';
import { startTestServer, type TestServer } from '../../harness.ts';
import { liveKey, refusalOf, startSpeechServer, projectKey } from '../harness.ts';
import { begin, refusal } from './live-client.ts';
import { admit } from './visitor.ts';

const LEASE_MS = 30_000;
const NEVER_MS = 2_000_000_000;

it('OPS-55: the grace after an outage begins anew with the next one, and ends when the clock that it was told by was ahead', () => {
  const at = (second: number): Date => new Date(Date.UTC(2032, 0, 1, 0, 0, second));
  const grace = new Grace(LEASE_MS);
  expect(grace.isOver(at(0))).toBe(true);
  grace.failed();
  expect(grace.isOver(at(40))).toBe(false);
  grace.failed();
  expect([60, 89, 90, 100].map((second) => grace.isOver(at(second)))).toEqual([false, false, true, true]);
  grace.failed();
  expect([3600, 100].map((second) => grace.isOver(at(second)))).toEqual([false, true]);
});

describe('after an outage', () => {
  let server: TestServer;
  let now: Date;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    now = new Date('2032-05-20T10:00:00Z');
  });
  const after = (ms: number): void => {
    now = new Date(now.getTime() + ms);
  };

  /** A process of its own, whose way to the database can be cut. */
  function process(): { line: { isCut: boolean }; parts: Services } {
    const line = { isCut: false };
    const cuttable = <T extends { db: Services['db'] }>(parts: T): T =>
      Object.defineProperty({ ...parts }, 'db', {
        get() {
          if (line.isCut) throw new Error('connect ECONNREFUSED');
          return parts.db;
        },
      });
    const { services } = server;
    return { line, parts: cuttable({ ...services, clock: () => now, database: cuttable(services.database) }) };
  }

  const keeper = ({ parts }: { parts: Services }) =>
    new GateKeeper(Object.assign(parts, { limitDefaults: LIMIT_DEFAULTS }), NEVER_MS);

  it('OPS-55: streams of another process go on, which renews them a moment later; one that does not has died', async () => {
    const { db } = server.services;
    const user = await server.createUser();
    const second = process();
    const [one, other] = [keeper(process()), keeper(second)];
    const admission = await admit(one, (await projectKey(server, user)).key);
    const statuses = () =>
      db.selectFrom('live_sessions').select('status').where('project_id', '=', user.projectId).execute();

    second.line.isCut = true;
    await expect(other.renew()).rejects.toThrow('ECONNREFUSED');
    second.line.isCut = false;
    after(LEASE_MS + 5000);
    await other.renew();
    expect(await statuses()).toEqual([{ status: 'running' }]);
    await one.renew();
    after(LEASE_MS - 1000);
    await other.renew();
    expect(await statuses()).toEqual([{ status: 'running' }]);

    after(2000);
    await other.renew();
    expect(await statuses()).toEqual([{ status: 'aborted' }]);
    await admission.release({ status: 'aborted', audioMs: 1000, refusal: null });
    await Promise.all([one.close(), other.close()]);
  });

  it('OPS-55: jobs of another process stay with it for as long as a lease lasts; those that wait are done at once', async () => {
    const { db } = server.services;
    const { line, parts } = process();
    const done: string[] = [];
    let looks = 0;
    const worker = new JobWorker({
      database: parts.database,
      clock: () => {
        looks += 1;
        return now;
      },
      log: parts.log,
      meters: silentMeters,
      tracer: silentTracer,
      concurrency: 1,
      leaseMs: LEASE_MS,
      pollMs: 10,
      handlers: {
        'test-outage': {
          async run(job) {
            done.push(job.subject);
            await job.complete(db);
          },
          waiting: () => Promise.resolve(),
          givenUp: () => Promise.resolve(),
        },
      },
    });
    const job = async (state: Partial<Insertable<Schema['jobs']>>): Promise<string> => {
      const subject = randomUUID();
      const made = { kind: 'test-outage', subject, attempts: 0, run_at: now, last_error: null, created_at: now };
      await db
        .insertInto('jobs')
        .values({ ...made, state: 'ready', worker: null, lease_until: null, ...state })
        .execute();
      return subject;
    };
    const held = await job({ state: 'running', worker: 'another', lease_until: new Date(now.getTime() + LEASE_MS) });
    line.isCut = true;
    await worker.start();
    await expect.poll(() => looks).toBeGreaterThan(0);
    after(LEASE_MS + 5000);
    const waiting = await job({});
    line.isCut = false;
    await expect.poll(() => done).toEqual([waiting]);
    after(LEASE_MS - 1000);
    // Each look begins after the one before has found nothing.
    const before = looks;
    await expect.poll(() => looks).toBeGreaterThan(before + 1);
    expect(done).toEqual([waiting]);
    after(1000);
    await expect.poll(() => done).toEqual([waiting, held]);
    await worker.stop();
  });
});

it('OPS-30: whom the database undoes for the sake of another transaction is told to try again, over REST and in a stream', async () => {
  const server = await startSpeechServer();
  const user = await server.createUser();
  const { db } = server.services;
  const keys = `/api/v2/projects/${user.projectId}/api-keys/`;
  const key = await liveKey(server, user);
  await sql`create function lose_a_deadlock() returns trigger language plpgsql
    as $$ begin raise exception 'deadlock detected' using errcode = '40P01'; end $$`.execute(db);
  for (const table of ['api_keys', 'live_sessions'])
    await sql`create trigger lose before insert on ${sql.table(table)} execute function lose_a_deadlock()`.execute(db);

  const answer = await server.call(user, 'POST', keys, { name: 'CI' });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await refusalOf(answer)).toMatchObject({
    error_type: 'service_unavailable',
    message: 'Another request conflicted with this one. Nothing was changed. Please try again.',
  });
  expect(await refusal(await begin(server, { api_key: key }))).toMatch(/^503 .*\(code 5\)/);

  // The database is lent to other tests.
  await sql`drop function lose_a_deadlock cascade`.execute(db);
  expect((await server.call(user, 'POST', keys, { name: 'CI' })).status).toBe(201);
  await server.close();
});
