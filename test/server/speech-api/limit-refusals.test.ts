/** What a client hears of limits, and what an upload holds while it comes. */
import { randomUUID } from 'node:crypto';
import { request as httpRequest, type ClientRequest } from 'node:http';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LimitName } from '#contract/limits.ts';
import { ConcurrencyLimits } from '#contract/usage-logs.ts';
import { takeBytes } from '#server/money/limits/bytes.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { readUse } from '#server/money/limits/use.ts';
import { databaseNow } from '#server/platform/db/now.ts';
import type { TestUser } from '../harness.ts';
import { ended, writeUsage } from '../usage.ts';
import { eventually } from '../eventually.ts';
import { bearer, call, liveKey, refusalOf, startSpeechServer, upload, uploaded, type SpeechServer } from './harness.ts';
import { begin, failure, finish } from './live/live-client.ts';

const MIB = 1 << 20;
const MODEL = 'stt-async-v5';
let server: SpeechServer;
let user: TestUser;
let fileId: string;
beforeAll(async () => {
  server = await startSpeechServer({ engine: { auto: true } });
});
afterAll(() => server.close());
beforeEach(async () => {
  user = await server.createUser();
  fileId = (await uploaded(server, user)).id;
});

const limitOrganization = (name: LimitName, own: number): Promise<unknown> =>
  server.services.db
    .insertInto('organization_limits')
    .values({ organization_id: user.organizationId, name, own })
    .execute();
const limitProject = (name: LimitName, own: number): Promise<unknown> =>
  server.services.db.insertInto('project_limits').values({ project_id: user.projectId, name, own }).execute();
const use = (of: { cost_micros?: number; audio_ms?: number }): Promise<void> =>
  writeUsage(server.services.db, [ended({ project_id: user.projectId, ended_at: server.services.clock(), ...of })]);
const create = (): Promise<Response> =>
  call(server, user, 'POST', '/transcriptions', { model: MODEL, file_id: fileId });
const mint = (): Promise<Response> =>
  call(server, user, 'POST', '/auth/temporary-api-key', { usage_type: 'transcribe_websocket', expires_in_seconds: 60 });

describe('LIM-03 LIM-06: a limit of the month that is used up', () => {
  it.each([
    [
      'a budget of the organization',
      () => limitOrganization('budget_micros', 1000),
      402,
      'organization_monthly_budget_exhausted',
      'Organization monthly budget exhausted. Please increase it.',
      { name: 'budget_micros', of: 'organization' },
    ],
    [
      'a budget of the project',
      () => limitProject('budget_micros', 1000),
      402,
      'project_monthly_budget_exhausted',
      'Project monthly budget exhausted. Please increase it.',
      { name: 'budget_micros', of: 'project' },
    ],
    [
      'minutes of the organization',
      () => limitOrganization('audio_minutes', 2),
      429,
      'limit_exceeded',
      'This organization has used its 2 minutes of audio of this month.',
      { name: 'audio_minutes', of: 'organization' },
    ],
    [
      'minutes of the project',
      () => limitProject('audio_minutes', 2),
      429,
      'limit_exceeded',
      'This project has used its 2 minutes of audio of this month.',
      { name: 'audio_minutes', of: 'project' },
    ],
  ])(
    '%s: what begins is refused over REST and the socket, what runs ends well',
    async (_, limit, code, type, message, told) => {
      await limit();
      await use({ cost_micros: 999, audio_ms: 119_999 });
      const key = await liveKey(server, user);
      const client = await begin(server, { api_key: key });
      client.socket.send(Buffer.alloc(320));
      await eventually(() => expect(client.frames).toHaveLength(1));
      expect((await create()).status).toBe(201);
      await use({ cost_micros: 1, audio_ms: 1 });
      const refused = await create();
      expect(refused.status).toBe(code);
      expect(refused.headers.get('retry-after')).toBeNull();
      expect(await refusalOf(refused)).toMatchObject({ error_type: type, message, limit: told });
      expect(await failure(await begin(server, { api_key: key }))).toMatchObject({
        error_code: code,
        error_type: type,
        error_message: message,
        limit: told,
      });
      await finish(client);
    },
  );

  it('begins anew with the month of UTC', async () => {
    await limitOrganization('budget_micros', 1000);
    const now = server.services.clock();
    const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) - 1);
    // By a clock that was ahead.
    const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
    for (const ended_at of [before, next])
      await writeUsage(server.services.db, [ended({ project_id: user.projectId, ended_at, cost_micros: 5000 })]);
    expect((await create()).status).toBe(201);
  });
});

describe('EST-07: which limit it is, and whose, is told', () => {
  const ORGANIZATION = { limit: limitOrganization, of: 'organization' as const };
  const PROJECT = { limit: limitProject, of: 'project' as const };
  const small = (): Promise<Response> => upload(server, user, new Uint8Array(8));

  it.each([
    ['stored_bytes', PROJECT, 6, small],
    ['stored_bytes', ORGANIZATION, 6, small],
    ['waiting_jobs', PROJECT, 0, create],
    ['waiting_jobs', ORGANIZATION, 0, create],
    ['requests_per_minute', PROJECT, 0, mint],
    ['requests_per_minute', ORGANIZATION, 0, create],
  ] as const)('over REST: %s, %o', async (name, { limit, of }, value, ask) => {
    await limit(name, value);
    const answer = await ask();
    expect(answer.status).toBe(429);
    expect((await refusalOf(answer)).limit).toEqual({ name, of });
  });

  it.each([
    ['concurrent_streams', PROJECT],
    ['concurrent_streams', ORGANIZATION],
    ['requests_per_minute', PROJECT],
    ['requests_per_minute', ORGANIZATION],
  ] as const)('over the socket: %s, %o', async (name, { limit, of }) => {
    const key = await liveKey(server, user);
    await limit(name, 0);
    expect(await failure(await begin(server, { api_key: key }))).toMatchObject({
      error_code: 429,
      limit: { name, of },
    });
  });

  it('beside what the public protocol has of a refusal, which stays; where it is about something else, not at all', async () => {
    await limitProject('waiting_jobs', 0);
    const refused = Object.keys(await refusalOf(await create()));
    const own = ['status_code', 'error_type', 'message', 'validation_errors', 'request_id', 'more_info'];
    expect(refused.toSorted()).toEqual([...own, 'limit'].toSorted());
    const other = await call(server, user, 'GET', `/files/${randomUUID()}`);
    expect(Object.keys(await refusalOf(other)).toSorted()).toEqual(own.toSorted());
    const key = await liveKey(server, user);
    await limitProject('concurrent_streams', 0);
    const frame = ['tokens', 'error_code', 'error_type', 'error_message', 'more_info', 'request_id'];
    const client = await begin(server, { api_key: key });
    await client.closed;
    expect(Object.keys(client.frames[0] ?? {}).toSorted()).toEqual([...frame, 'limit'].toSorted());
    const wrong = await begin(server, { api_key: 'nobody' });
    await wrong.closed;
    expect(Object.keys(wrong.frames[0] ?? {}).toSorted()).toEqual(frame.toSorted());
  });
});

describe('LIM-03: requests per minute', () => {
  it('of a project: the words of the public API, when to come back, and no count for what is refused', async () => {
    await limitProject('requests_per_minute', 3);
    await limitProject('waiting_jobs', 0);
    expect((await create()).status).toBe(429);
    for (let n = 0; n < 3; n += 1) expect((await mint()).status).toBe(201);
    const refused = await mint();
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(55);
    expect(await refusalOf(refused)).toMatchObject({
      status_code: 429,
      error_type: 'limit_exceeded',
      message: 'Rate limit for your project has been exceeded.',
    });
    server.advance(30_000);
    expect((await mint()).status).toBe(429);
    server.advance(31_000);
    expect((await mint()).status).toBe(201);
    server.advance(-61_000);
  });
});

it('LIM-03: requests per minute that were lowered below what has begun are free again when enough of it is a minute old', async () => {
  for (let n = 0; n < 3; n += 1) {
    expect((await mint()).status).toBe(201);
    server.advance(15_000);
  }
  await limitProject('requests_per_minute', 2);
  const refused = await mint();
  server.advance(-45_000);
  expect(refused.status).toBe(429);
  // The second of them is 30 seconds old.
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(20);
  expect(seconds).toBeLessThan(32);
});

it('LIM-07: /v1/concurrency-limits tells what is enforced, and null where nothing is', async () => {
  const read = async () => {
    const answer = v.parse(ConcurrencyLimits, await (await call(server, user, 'GET', '/concurrency-limits')).json());
    return [answer.project.limits.transcribe_concurrent, answer.organization.limits.transcribe_concurrent];
  };
  expect(await read()).toEqual([20, 20]);
  await limitProject('concurrent_streams', 15);
  expect(await read()).toEqual([15, 20]);
  await limitOrganization('concurrent_streams', 12);
  expect(await read()).toEqual([12, 12]);
  await server.services.db
    .updateTable('organization_limits')
    .set({ is_granted: true, granted: null, own: null })
    .where('organization_id', '=', user.organizationId)
    .execute();
  expect(await read()).toEqual([15, null]);
});

it('LIM-04: a file whose reservation is gone is checked again as it is written down', async () => {
  const { db, clock } = server.services;
  const files = await db.selectFrom('files').select('size').where('project_id', '=', user.projectId).execute();
  await limitProject(
    'stored_bytes',
    files.reduce((sum, { size }) => sum + size, 2),
  );
  const take = (bytes: number): Promise<void> =>
    db.transaction().execute(async (trx) => {
      const parts = { clock, limitDefaults: LIMIT_DEFAULTS };
      await takeBytes(trx, parts, { id: randomUUID(), projectId: user.projectId, bytes });
    });
  await take(2);
  await expect(take(3)).rejects.toThrow('stored_bytes of the project is reached');
});

describe('LIM-05: an upload', () => {
  const BOUNDARY = 'x'.repeat(40);
  const HEAD = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n`;
  const TAIL = `\r\n--${BOUNDARY}--\r\n`;
  /** Begins one of so many bytes. @param length whether it says how many */
  const start = (bytes: number, length = true): { request: ClientRequest; status: Promise<number> } => {
    const request = httpRequest(`${server.url}/v1/files`, {
      method: 'POST',
      headers: {
        ...bearer(user),
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        ...(length && { 'content-length': HEAD.length + bytes + TAIL.length }),
      },
    });
    const status = new Promise<number>((resolve) => {
      request.once('response', (response) => resolve(response.resume().statusCode ?? 0));
      request.once('error', () => resolve(0));
    });
    request.write(HEAD);
    return { request, status };
  };
  const used = async (): Promise<number> => {
    const { db, clock } = server.services;
    return (await readUse(db, user, 'stored_bytes', await databaseNow(db, clock))).organization - 4;
  };
  const reserved = (): Promise<number[]> =>
    server.services.db
      .selectFrom('upload_reservations')
      .select('bytes')
      .execute()
      .then((rows) => rows.map(({ bytes }) => Number(bytes)));

  it('holds its bytes from the start, and gives back what is not sent', async () => {
    await limitOrganization('stored_bytes', 12 * MIB);
    const { request } = start(10 * MIB);
    // With what its form has beside it, which is given back when it ends.
    await eventually(async () => expect(await used()).toBe(10 * MIB + HEAD.length + TAIL.length));
    expect((await upload(server, user, new Uint8Array(3 * MIB))).status).toBe(429);
    expect((await upload(server, user, new Uint8Array(MIB))).status).toBe(201);
    request.destroy();
    await eventually(async () => expect(await used()).toBe(MIB));
    expect(await reserved()).toEqual([]);
    expect((await upload(server, user, new Uint8Array(10 * MIB))).status).toBe(201);
  });

  it('that does not fit is refused before any of it is stored', async () => {
    await limitOrganization('stored_bytes', MIB);
    const put = vi.spyOn(server.speech.storage, 'put');
    expect((await upload(server, user, new Uint8Array(2 * MIB))).status).toBe(429);
    expect(put).not.toHaveBeenCalled();
    put.mockRestore();
    expect(await reserved()).toEqual([]);
  });

  it('that does not say how long it is, is given room as it comes, and is refused where there is no more', async () => {
    await limitOrganization('stored_bytes', 6 * MIB + 4);
    const good = start(6 * MIB, false);
    good.request.end(Buffer.concat([Buffer.alloc(6 * MIB), Buffer.from(TAIL)]));
    expect(await good.status).toBe(201);
    expect(await used()).toBe(6 * MIB);
    await call(server, user, 'DELETE', `/files/${fileId}`);
    const more = start(8, false);
    more.request.end(Buffer.concat([Buffer.alloc(8), Buffer.from(TAIL)]));
    expect(await more.status).toBe(429);
    expect(await reserved()).toEqual([]);
  });
});
