/**
 * Fifty clients at once: on PostgreSQL at two servers over one database, each with connections of its own; else at the
 * one that there can be.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OrganizationLimits, type LimitName } from '#contract/limits.ts';
import { ConcurrencyLimits } from '#contract/usage-logs.ts';
import { Reservation } from '#server/money/limits/bytes.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { openLocalStorage } from '#server/platform/storage/local.ts';
import { addProject } from '../people.ts';
import { createPostgres, databaseKind } from '../databases.ts';
import type { TestUser } from '../harness.ts';
import { testFolder } from '../template.ts';
import { eventually } from '../eventually.ts';
import { consoleClient } from './client.ts';
import {
  call,
  connectLive,
  liveKey,
  setLimit,
  startSpeechServer,
  upload,
  uploaded,
  type SpeechServer,
} from './harness.ts';
import { CONFIG } from './live/live-client.ts';
import { deferred } from './live/live-harness.ts';

const CLIENTS = 50;
const MODEL = 'stt-async-v5';

let servers: SpeechServer[];
let directory: string;
let user: TestUser;
/** A second project of the same organization. */
let other: TestUser;
const blocked = deferred();

beforeAll(async () => {
  directory = await mkdtemp(join(testFolder, 'races-'));
  const databaseUrl = databaseKind === 'postgres' ? await createPostgres() : undefined;
  const start = async (): Promise<SpeechServer> =>
    startSpeechServer({
      engine: { auto: true, transcribe: async () => (await blocked.promise, []) },
      storage: await openLocalStorage({ directory, isShared: true }),
      server: {
        env: { SECRET_KEY: 'k'.repeat(32) },
        ...(databaseUrl !== undefined && { overrides: { database: await openDatabase({ databaseUrl }) } }),
      },
    });
  servers = databaseUrl === undefined ? [await start()] : [await start(), await start()];
}, 60_000);
afterAll(async () => {
  blocked.resolve();
  for (const server of servers) await server.close();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  user = await at(0).createUser();
  other = { ...user, projectId: await addProject(at(0), user, 'Other') };
});

const at = (n: number): SpeechServer => servers[n % servers.length]!;
/** What the organization sets, and what its first project has. */
async function limit(name: LimitName, organization: number, project?: number): Promise<void> {
  await setLimit(at(0), user, 'organization', name, organization);
  if (project !== undefined) await setLimit(at(0), user, 'project', name, project);
}
const ofOrganization = (): string => `organizations/${user.organizationId}`;
/** What is used of a limit, and what may be, as a screen shows it. */
async function onScreen(server: SpeechServer, of: string, name: LimitName) {
  const answer = await server.call(user, 'GET', `/api/v2/limits/${of}/`);
  const { limits } = v.parse(v.pick(OrganizationLimits, ['limits']), await answer.json());
  const found = limits.find((one) => one.name === name);
  return { used: found?.used, value: found?.value };
}
/** Every other client is one of the second project. */
const ofBoth = (n: number): TestUser => (n % 4 < 2 ? user : other);
const each = <T>(one: (n: number) => Promise<T>, clients = CLIENTS): Promise<T[]> =>
  Promise.all(Array.from({ length: clients }, (_, n) => one(n)));
const atOnce = (one: (n: number) => Promise<Response>, clients?: number): Promise<number[]> =>
  each(async (n) => (await one(n)).status, clients);
/** How many of the first project got what they asked for. */
const ofFirst = (statuses: number[]): number =>
  statuses.filter((status, n) => status === 201 && ofBoth(n) === user).length;
const nothingReserved = async (): Promise<void> =>
  expect(await at(0).services.db.selectFrom('upload_reservations').select('id').execute()).toEqual([]);
const count = (statuses: readonly number[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const mint = (n: number, user: TestUser): Promise<Response> => consoleClient(() => ({ server: at(n), user })).mint();

/** Fifty live sessions of both projects, begun at once, and those of them that were admitted. */
async function streamAtOnce() {
  const clients = await each(async (n) => {
    const owner = ofBoth(n);
    const key = await liveKey(at(n), owner);
    const client = connectLive(at(n));
    await client.opened;
    return { client, key, owner };
  });
  for (const { client, key } of clients) {
    client.socket.send(JSON.stringify({ ...CONFIG, api_key: key }));
    client.socket.send(Buffer.alloc(320));
  }
  const admitted = await eventually(async () => {
    for (const { client } of clients) expect(client.frames.length).toBeGreaterThan(0);
    return clients.filter(({ client }) => !('error_code' in client.frames[0]!));
  });
  /** Ends those that run, and waits until all are gone. */
  const end = async (): Promise<void> => {
    for (const { client } of admitted) client.socket.send('');
    await Promise.all(clients.map(({ client }) => client.closed));
  };
  return { admitted, end };
}

describe('LIM-02: fifty at once', () => {
  it('requests of a project, and of both projects of an organization', async () => {
    await limit('requests_per_minute', 30, 11);
    expect(count(await atOnce((n) => mint(n, user)))).toEqual({ 201: 11, 429: 39 });
    // What was refused counts against nothing: the rest is the other project's.
    const statuses = await atOnce((n) => mint(n, ofBoth(n)));
    expect(count(statuses)).toEqual({ 201: 19, 429: 31 });
    expect(ofFirst(statuses)).toBe(0);
  });

  it('waiting transcriptions', async () => {
    await limit('waiting_jobs', 13, 8);
    const files = { [user.projectId]: await uploaded(at(0), user), [other.projectId]: await uploaded(at(0), other) };
    const statuses = await atOnce((n) =>
      call(at(n), ofBoth(n), 'POST', '/transcriptions', { model: MODEL, file_id: files[ofBoth(n).projectId]?.id }),
    );
    expect(count(statuses)).toEqual({ 201: 13, 429: 37 });
    expect(ofFirst(statuses)).toBeLessThanOrEqual(8);
  });

  it('bytes of files: at once never more than fit, and one after the other as many as fit', async () => {
    await limit('stored_bytes', 107, 60);
    const statuses = await atOnce((n) => upload(at(n), ofBoth(n), new Uint8Array(10)));
    // The form of a running upload reserves its bytes, too, so another may be refused meanwhile.
    const { 201: atFirst = 0, ...refused } = count(statuses);
    let stored = atFirst;
    expect(stored).toBeGreaterThan(0);
    expect(refused).toEqual({ 429: CLIENTS - stored });
    expect(ofFirst(statuses)).toBeLessThanOrEqual(6);
    await nothingReserved();
    const send = async (bytes: number) => (await upload(at(1), other, new Uint8Array(bytes))).status;
    while ((await send(10)) === 201) stored += 1;
    expect(stored).toBe(10);
    expect([await send(8), await send(7)]).toEqual([429, 201]);
    await nothingReserved();
  });

  it('bytes that are reserved, to the byte', async () => {
    await limit('stored_bytes', 810, 410);
    const held = await each((n) => {
      const reservation = new Reservation(at(n).speech, ofBoth(n).projectId, crypto.randomUUID(), () => {});
      return reservation.hold(81).then(
        () => reservation,
        () => undefined,
      );
    });
    const good = held.filter((reservation) => reservation !== undefined);
    expect(good).toHaveLength(10);
    for (const reservation of good) await reservation.release();
    await nothingReserved();
  });

  it('LIM-07 MET-08: streams, alike in the public API and on screens, at every server, while they run and afterwards', async () => {
    await limit('concurrent_streams', 9, 5);
    const { admitted, end } = await streamAtOnce();
    expect(admitted).toHaveLength(9);
    const countOf = (owner: TestUser): number =>
      admitted.filter((one) => one.owner.projectId === owner.projectId).length;
    expect(countOf(user)).toBeLessThanOrEqual(5);
    const streams = (transcribe_concurrent: number) => ({ transcribe_concurrent, tts_concurrent: 0 });
    const tell = async (running: (owner: TestUser) => number) => {
      const all = running(user) + running(other);
      for (const server of servers)
        for (const [owner, value] of [
          [user, 5],
          [other, 9],
        ] as const) {
          expect(await onScreen(server, ofOrganization(), 'concurrent_streams')).toEqual({ used: all, value: 9 });
          const project = { used: running(owner), value };
          expect(await onScreen(server, `projects/${owner.projectId}`, 'concurrent_streams')).toEqual(project);
          const { read } = consoleClient(() => ({ server, user: owner }));
          expect(await read(ConcurrencyLimits, '/concurrency-limits')).toEqual({
            organization: { current: streams(all), limits: streams(9) },
            project: { current: streams(running(owner)), limits: streams(value) },
          });
        }
    };
    await tell(countOf);
    // With the keys that they came with; what was refused counts nowhere.
    const begun = { used: CLIENTS + admitted.length, value: 200 };
    expect(await onScreen(at(0), ofOrganization(), 'requests_per_minute')).toEqual(begun);
    await end();
    await eventually(() => tell(() => 0));
    const used = at(0).services.db.selectFrom('usage_rows').select('audio_ms');
    for (const { projectId } of [user, other]) {
      const own = await used.where('project_id', '=', projectId).execute();
      expect(own).toEqual(Array.from({ length: countOf({ ...user, projectId }) }, () => ({ audio_ms: 10 })));
    }
  });
});

it('LIM-04: what an upload has reserved is free when its process has died, and a good one keeps it', async () => {
  await limit('stored_bytes', 100);
  const [dead, waiting] = [at(0), at(1)].map(
    (server, n) => new Reservation(server.speech, [user, other][n]!.projectId, crypto.randomUUID(), () => {}),
  );
  const advance = (ms: number): void => servers.forEach((server) => server.advance(ms));
  const full = { limit: { name: 'stored_bytes', of: 'organization' } };
  await dead!.hold(60);
  await expect(waiting!.hold(60)).rejects.toMatchObject(full);
  advance(20_000);
  await dead!.renew();
  advance(20_000);
  await expect(waiting!.hold(60)).rejects.toMatchObject(full);
  advance(11_000);
  await waiting!.hold(60);
  await waiting!.release();
  await dead!.release();
  advance(-51_000);
});
