/** What a client hears of limits, and what an upload holds while it comes. */
import { randomUUID } from 'node:crypto';
import { request as httpRequest, type ClientRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LimitName } from '#contract/limits.ts';
import { ConcurrencyLimits } from '#contract/usage-logs.ts';
import { takeBytes } from '#server/money/limits/bytes.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { readUse } from '#server/money/limits/use.ts';
import type { UsageEnd } from '#server/money/usage/rows.ts';
import { databaseNow } from '#server/platform/db/now.ts';
import type { TestUser } from '../harness.ts';
import { ended, writeUsage } from '../usage.ts';
import { eventually } from '../eventually.ts';
import { consoleClient, refusal } from './client.ts';
import {
  bearer,
  liveKey,
  refusalOf,
  setLimit,
  startSpeechServer,
  upload,
  uploaded,
  type SpeechServer,
} from './harness.ts';
import { begin, failure, finish } from './live/live-client.ts';

const MIB = 1 << 20;
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

type Of = 'organization' | 'project';
const limit = (of: Of, name: LimitName, own: number): Promise<void> => setLimit(server, user, of, name, own);
const use = (of: Partial<UsageEnd>): Promise<void> =>
  writeUsage(server.services.db, [ended({ project_id: user.projectId, ended_at: server.services.clock(), ...of })]);
const { call, mint, post, read } = consoleClient(() => ({ server, user }));
const create = (): Promise<Response> => post({ file_id: fileId });
const created = async (): Promise<number> => (await create()).status;
const minted = async (): Promise<number> => (await mint()).status;

describe('LIM-03 LIM-06: a limit of the month', () => {
  const PLACES = [
    ['organization', 'budget_micros', 'Organization monthly budget exhausted. Please increase it.'],
    ['project', 'budget_micros', 'Project monthly budget exhausted. Please increase it.'],
    [
      'organization',
      'audio_minutes',
      "This needs more than is left of this month's audio minutes (2) of this organization.",
    ],
    ['project', 'audio_minutes', "This needs more than is left of this month's audio minutes (2) of this project."],
  ] as const;

  it.each(PLACES)(
    'that is used up, %s, %s: what begins is refused over REST and the socket, what runs ends well',
    async (of, name, message) => {
      const [own, code, type]: [number, number, string] =
        name === 'budget_micros' ? [10_000, 402, `${of}_monthly_budget_exhausted`] : [2, 429, 'limit_exceeded'];
      await limit(of, name, own);
      await use({ cost_micros: 5000, audio_ms: 30_000 });
      const key = await liveKey(server, user);
      const client = await begin(server, { api_key: key });
      client.socket.send(Buffer.alloc(320));
      await eventually(() => expect(client.frames).toHaveLength(1));
      expect(await created()).toBe(201);
      await use({ cost_micros: 5000, audio_ms: 90_000 });
      const refused = await create();
      expect(refused.status).toBe(code);
      expect(refused.headers.get('retry-after')).toBeNull();
      expect(await refusalOf(refused)).toMatchObject({ error_type: type, message, limit: { name, of } });
      expect(await failure(await begin(server, { api_key: key }))).toMatchObject({
        error_code: code,
        error_type: type,
        error_message: message,
        limit: { name, of },
      });
      await finish(client);
    },
  );

  it('begins anew with the month of UTC', async () => {
    await limit('organization', 'budget_micros', 1000);
    const now = server.services.clock();
    const firstOf = (month: number): number => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month, 1);
    // The latter by a clock that was ahead.
    for (const at of [firstOf(0) - 1, firstOf(1)]) await use({ ended_at: new Date(at), cost_micros: 5000 });
    expect(await created()).toBe(201);
  });
});

describe('EST-07: which limit it is, and whose, is told', () => {
  const send = (): Promise<Response> => upload(server, user, new Uint8Array(8));

  it.each([
    ['stored_bytes', 'project', 6, send, 'The files of this project may have 6 bytes together. Delete some of them.'],
    [
      'stored_bytes',
      'organization',
      6,
      send,
      'The files of this organization may have 6 bytes together. Delete some of them.',
    ],
    ['waiting_jobs', 'project', 0, create],
    ['waiting_jobs', 'organization', 0, create],
    ['requests_per_minute', 'project', 0, mint],
    ['requests_per_minute', 'organization', 0, create],
  ] as const)('over REST: %s of the %s', async (name, of, value, ask, message = expect.any(String)) => {
    await limit(of, name, value);
    const answer = await ask();
    expect(answer.status).toBe(429);
    expect(await refusalOf(answer)).toMatchObject({ limit: { name, of }, message });
  });

  it.each([
    ['concurrent_streams', 'project'],
    ['concurrent_streams', 'organization'],
    ['requests_per_minute', 'project'],
    ['requests_per_minute', 'organization'],
  ] as const)('over the socket: %s of the %s', async (name, of) => {
    const api_key = await liveKey(server, user);
    await limit(of, name, 0);
    expect(await failure(await begin(server, { api_key }))).toMatchObject({ error_code: 429, limit: { name, of } });
  });

  it('beside what the public protocol has of a refusal, which stays; where it is about something else, not at all', async () => {
    const keysOf = async (answer: Response) => Object.keys(await refusalOf(answer)).toSorted();
    const own = ['error_type', 'message', 'more_info', 'request_id', 'status_code', 'validation_errors'];
    await limit('project', 'waiting_jobs', 0);
    expect(await keysOf(await create())).toEqual([...own, 'limit'].toSorted());
    expect(await keysOf(await call('GET', `/files/${randomUUID()}`))).toEqual(own);
    const frameOf = async (api_key: string) => {
      const client = await begin(server, { api_key });
      await client.closed;
      return Object.keys(client.frames[0] ?? {}).toSorted();
    };
    const frame = ['error_code', 'error_message', 'error_type', 'more_info', 'request_id', 'tokens'];
    const key = await liveKey(server, user);
    await limit('project', 'concurrent_streams', 0);
    expect(await frameOf(key)).toEqual([...frame, 'limit'].toSorted());
    expect(await frameOf('nobody')).toEqual(frame);
  });
});

describe('LIM-03: requests per minute', () => {
  it('of a project: the words of the public API, when to come back, and no count for what is refused', async () => {
    await limit('project', 'requests_per_minute', 3);
    await limit('project', 'waiting_jobs', 0);
    expect(await created()).toBe(429);
    for (let n = 0; n < 3; n += 1) expect(await minted()).toBe(201);
    const refused = await mint();
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(55);
    expect(await refusal(refused)).toEqual([429, 'limit_exceeded', 'Rate limit for your project has been exceeded.']);
    server.advance(30_000);
    expect(await minted()).toBe(429);
    server.advance(31_000);
    expect(await minted()).toBe(201);
    server.advance(-61_000);
  });

  it('that were lowered below what has begun are free again when enough of it is a minute old', async () => {
    for (let n = 0; n < 3; n += 1) {
      expect(await minted()).toBe(201);
      server.advance(15_000);
    }
    await limit('project', 'requests_per_minute', 2);
    const refused = await mint();
    server.advance(-45_000);
    expect(refused.status).toBe(429);
    // The second of them is 30 seconds old.
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(20);
    expect(seconds).toBeLessThan(32);
  });
});

it('LIM-07: /v1/concurrency-limits tells what is enforced, and null where nothing is', async () => {
  const told = async () => {
    const { project, organization } = await read(ConcurrencyLimits, '/concurrency-limits');
    return [project.limits.transcribe_concurrent, organization.limits.transcribe_concurrent];
  };
  expect(await told()).toEqual([20, 20]);
  await limit('project', 'concurrent_streams', 15);
  expect(await told()).toEqual([15, 20]);
  await limit('organization', 'concurrent_streams', 12);
  expect(await told()).toEqual([12, 12]);
  await server.services.db
    .updateTable('organization_limits')
    .set({ is_granted: true, granted: null, own: null })
    .where('organization_id', '=', user.organizationId)
    .execute();
  expect(await told()).toEqual([15, null]);
});

it('LIM-04: a file whose reservation is gone is checked again as it is written down', async () => {
  const { db, clock } = server.services;
  // Two bytes more than the file of the project.
  await limit('project', 'stored_bytes', 6);
  const take = (bytes: number): Promise<void> =>
    db.transaction().execute(async (trx) => {
      const parts = { clock, limitDefaults: LIMIT_DEFAULTS };
      await takeBytes(trx, parts, { id: randomUUID(), projectId: user.projectId, bytes });
    });
  await take(2);
  await expect(take(3)).rejects.toMatchObject({ limit: { name: 'stored_bytes', of: 'project' } });
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
  const nothingReserved = async (): Promise<void> =>
    expect(await server.services.db.selectFrom('upload_reservations').select('bytes').execute()).toEqual([]);
  const send = async (bytes: number): Promise<number> => (await upload(server, user, new Uint8Array(bytes))).status;
  /** All of one that does not say how long it is. */
  const sendUntold = (bytes: number): Promise<number> => {
    const { request, status } = start(bytes, false);
    request.end(Buffer.concat([Buffer.alloc(bytes), Buffer.from(TAIL)]));
    return status;
  };

  it('holds its bytes from the start, and gives back what is not sent', async () => {
    await limit('organization', 'stored_bytes', 12 * MIB);
    const { request } = start(10 * MIB);
    // With what its form has beside it, which is given back when it ends.
    await eventually(async () => expect(await used()).toBe(10 * MIB + HEAD.length + TAIL.length));
    expect([await send(3 * MIB), await send(MIB)]).toEqual([429, 201]);
    request.destroy();
    await eventually(async () => expect(await used()).toBe(MIB));
    await nothingReserved();
    expect(await send(10 * MIB)).toBe(201);
  });

  it('that does not fit is refused before any of it is stored', async () => {
    await limit('organization', 'stored_bytes', MIB);
    const put = vi.spyOn(server.speech.storage, 'put');
    expect(await send(2 * MIB)).toBe(429);
    expect(put).not.toHaveBeenCalled();
    put.mockRestore();
    await nothingReserved();
  });

  it('that does not say how long it is, is given room as it comes, and is refused where there is no more', async () => {
    await limit('organization', 'stored_bytes', 6 * MIB + 4);
    expect(await sendUntold(6 * MIB)).toBe(201);
    expect(await used()).toBe(6 * MIB);
    await call('DELETE', `/files/${fileId}`);
    expect(await sendUntold(8)).toBe(429);
    await nothingReserved();
  });
});
