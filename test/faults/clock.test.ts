/**
 * A clock that jumps: a year ahead and back, or back and on. What was written meanwhile must lock nobody out for longer
 * than the limit itself would.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { prune } from '#server/identity/accounts/prune.ts';
import { countCall, tryCall, waitTurn, type Rate } from '#server/platform/rate-limit.ts';
import { claim, enqueue } from '#server/platform/jobs/queue.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { admit } from '#server/money/limits/admission.ts';
import { readUse } from '#server/money/limits/use.ts';
import { abortLiveSessions } from '#server/money/usage/record.ts';
import { PASSWORD } from '#test/passwords.ts';
import { publicCall, signUp } from '../server/browser.ts';
import { startTestServer, type TestServer, type TestUser } from '../server/harness.ts';

const YEAR = 365 * 24 * 3600_000;
const START = new Date('2026-05-04T09:00:00Z').getTime();

let server: TestServer;
let at = START;
beforeAll(async () => {
  server = await startTestServer({ overrides: { clock: () => new Date(at) } });
  await signUp(server, 'ada@example.com', PASSWORD);
});
afterAll(() => server.close());
beforeEach(async () => {
  at = START;
  await server.services.db.deleteFrom('rate_limits').execute();
});

const signIn = async (password = PASSWORD): Promise<Response> =>
  publicCall(server, 'POST', '/api/v2/token/', { email: 'ada@example.com', password });
const RATE: Rate = { burst: 5, everyMs: 12_000 };
/** One call under that limit. @returns the wait, milliseconds; 0 where it may go on */
const ask = (key = 'x'): Promise<number> => tryCall(server.services, key, RATE);
const exhaust = async (): Promise<void> => {
  for (let n = 0; n < RATE.burst; n += 1) expect(await ask()).toBe(0);
  expect(await ask()).toBeGreaterThan(0);
};
/** A row that was written while the clock was ahead. */
const writeAhead = (key: string): Promise<unknown> =>
  server.services.db
    .insertInto('rate_limits')
    .values({ key, arrival_ms: START + YEAR })
    .execute();
const turn = (): Promise<number> => waitTurn(server.services, 'x', 60_000);

describe('a limit that was counted while the clock was ahead', () => {
  it('DAT-04: lets the next call through after the time of one, also when rows of that time are there already', async () => {
    at = START + YEAR;
    await exhaust();
    at = START;
    await writeAhead('old');
    for (const key of ['x', 'old']) {
      const wait = await ask(key);
      expect([key, wait > 0 && wait <= RATE.everyMs]).toEqual([key, true]);
      at += wait;
      expect([key, await ask(key)]).toEqual([key, 0]);
    }
  });

  it('DAT-04: lets a person in again after the waits of the limits themselves, and tells how long they are', async () => {
    at = START + YEAR;
    for (let n = 0; n < 5; n += 1) await signIn('wrong');
    expect((await signIn()).status).toBe(429);
    at = START;
    const waits: number[] = [];
    for (let answer = await signIn(); answer.status === 429; answer = await signIn()) {
      waits.push(Number(answer.headers.get('retry-after')));
      at += (waits.at(-1) ?? 0) * 1000;
    }
    // Of the address, of the account at this address, and the turn of an address that the account does not know.
    expect(waits).toEqual([1, 12, 60]);
  });

  it('DAT-04: also where every attempt is refused meanwhile, and where the rows are pruned', async () => {
    at = START + YEAR;
    await exhaust();
    at = START;
    for (let n = 0; n < 20; n += 1) {
      await ask();
      at += 500;
      await prune(server.services);
    }
    at += 2000;
    expect(await ask()).toBe(0);
  });

  it('DAT-04: a step ahead lets no more calls through than the burst', async () => {
    await exhaust();
    at = START + YEAR;
    await exhaust();
  });

  it('DAT-04: after a step back it counts on as before: no call more, none fewer', async () => {
    await exhaust();
    at = START - YEAR;
    expect(await ask()).toBe(RATE.everyMs);
    at += RATE.everyMs;
    expect(await ask()).toBe(0);
    expect(await ask()).toBeGreaterThan(0);
  });

  it('DAT-04: parallel calls are counted one by one also then', async () => {
    await writeAhead('x');
    at += 12_000;
    expect(await ask()).toBeGreaterThan(0);
    at += 12_000;
    const taken = await Promise.all(Array.from({ length: 10 }, () => ask()));
    expect(taken.filter((wait) => wait === 0)).toHaveLength(1);
  });

  it('DAT-04: a turn that was waited for comes after its own time', async () => {
    at = START + YEAR;
    expect(await turn()).toBe(60_000);
    at = START;
    expect(await turn()).toBe(60_000);
    at += 59_000;
    expect(await turn()).toBe(1000);
    at += 1000;
    expect(await turn()).toBe(0);
    expect(await turn()).toBe(60_000);
  });

  it('DAT-04: a refused call says how long, and no longer than the limit', async () => {
    await writeAhead('x');
    await expect(countCall(server.services, 'x', RATE)).rejects.toMatchObject({
      kind: 'limit',
      retryAfterS: 12,
    });
  });
});

describe('a session', () => {
  const refresh = async (token: string): Promise<Response> =>
    publicCall(server, 'POST', '/api/v2/token/refresh/', { refresh: token });

  it('DAT-04: that was begun or refreshed while the clock was ahead goes on', async () => {
    at = START + YEAR;
    const ahead = await (await signIn()).json();
    at = START;
    const again = await refresh(ahead.refresh);
    expect(again.status).toBe(200);
    const { refresh: token } = await again.json();
    for (let n = 0; n < 5; n += 1) expect((await refresh(token)).status).toBe(200);
  });

  it('DAT-04: refreshes made while the clock was ahead do not count against it', async () => {
    const begun = await (await signIn()).json();
    at = START + 3600_000;
    let { refresh: token } = begun;
    for (let n = 0; n < 30; n += 1) ({ refresh: token } = await (await refresh(token)).json());
    expect((await refresh(token)).status).toBe(429);
    at = START + 1000;
    expect((await refresh(token)).status).toBe(200);
  });

  it('DAT-04: a token that was used while the clock was ahead is no less used: it comes again as a sign of theft', async () => {
    const { refresh: token } = await (await signIn()).json();
    at = START + YEAR / 20;
    const newer = await (await refresh(token)).json();
    at = START;
    expect((await refresh(token)).status).toBe(401);
    expect((await refresh(newer.refresh)).status).toBe(401);
    expect((await signIn()).status).toBe(200);
  });
});

describe('work', () => {
  const put = async (kind: string): Promise<string> => {
    const subject = randomUUID();
    await server.services.db.transaction().execute((trx) => enqueue(trx, { kind, subject, now: new Date(at) }));
    return subject;
  };
  const take = (kind: string) =>
    claim(server.services.db, { kinds: [kind], worker: 'w', now: new Date(at), leaseMs: 30_000, putOffMs: 60_000 });

  it('DAT-04: that came in while the clock was ahead is done', async () => {
    at = START + YEAR;
    const subject = await put('a');
    at = START;
    expect(await take('a')).toMatchObject({ subject, attempts: 1 });
    expect(await take('a')).toBeUndefined();
  });

  it('DAT-04: that a process held while the clock was ahead, and which then died, is taken over', async () => {
    at = START + YEAR;
    const subject = await put('b');
    expect(await take('b')).toMatchObject({ attempts: 1 });
    at = START;
    expect(await take('b')).toMatchObject({ subject, attempts: 2 });
  });

  it('DAT-04: that is put off, or held by a process whose clock differs a little, is left alone', async () => {
    await put('c');
    await server.services.db
      .updateTable('jobs')
      .set({ run_at: new Date(START + 59_000) })
      .where('kind', '=', 'c')
      .execute();
    expect(await take('c')).toBeUndefined();
    await server.services.db
      .updateTable('jobs')
      .set({ state: 'running', lease_until: new Date(START + 45_000) })
      .where('kind', '=', 'c')
      .execute();
    expect(await take('c')).toBeUndefined();
  });
});

describe('live sessions', () => {
  let user: TestUser;
  beforeEach(async () => {
    user = await server.createUser();
  });
  const places = () => readUse(server.services.db, user, 'concurrent_streams', new Date(at));

  it('DAT-04: of a process that died while the clock was ahead take no places, and are ended', async () => {
    const { db } = server.services;
    at = START + YEAR;
    const session = {
      project_id: user.projectId,
      model: 'm',
      status: 'running',
      client_reference_id: null,
      worker: 'w',
      lease_until: new Date(at + 30_000),
      started_at: new Date(at),
      audio_ms: 0,
      error_code: null,
      error_type: null,
      origin: 'playground',
      api_key_id: null,
    } as const;
    const begun = Array.from({ length: 10 }, () => ({ ...session, id: randomUUID(), request_id: randomUUID() }));
    await db.insertInto('live_sessions').values(begun).execute();
    expect(await places()).toEqual({ project: 10, organization: 10 });
    at = START;
    expect(await places()).toEqual({ project: 0, organization: 0 });
    await abortLiveSessions(db, new Date(at));
    const rows = await db
      .selectFrom('live_sessions')
      .select(['status', 'ended_at'])
      .where('project_id', '=', user.projectId)
      .execute();
    expect(rows).toEqual(begun.map(() => ({ status: 'aborted', ended_at: new Date(START) })));
  });

  it('DAT-04: begun while the clock was ahead do not count as begun within the last minute', async () => {
    const { db, clock } = server.services;
    const parts = { clock, limitDefaults: { ...LIMIT_DEFAULTS, requests_per_minute: 3 } };
    const start = () => admit(db, parts, user.projectId, 'live_session');
    const starts = async () => (await readUse(db, user, 'requests_per_minute', new Date(at + 1000))).project;
    at = START + YEAR;
    for (let n = 0; n < 3; n += 1) await start();
    expect(await starts()).toBe(3);
    await expect(start()).rejects.toMatchObject({ limit: { name: 'requests_per_minute', of: 'organization' } });
    at = START;
    expect(await starts()).toBe(0);
    await start();
    expect(await starts()).toBe(1);
  });
});
