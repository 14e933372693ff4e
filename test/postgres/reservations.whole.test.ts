/** More than a budget allows, asked for at once at processes of one database that know nothing of each other. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as v from 'valibot';
import { StoredFile, UPLOAD_FIELD } from '#contract/files.ts';
import { readMonth } from '#server/money/limits/month.ts';
import type { Database } from '#server/platform/db/database.ts';
import { openPostgres } from '#server/platform/db/postgres.ts';
import { hashKey, maskKey, newApiKey } from '#server/tenancy/api-keys/keys.ts';
import { clip } from '../audio/clips.ts';
import { Program, until } from '../cluster/program.ts';
import { openStream } from '../cluster/streams.ts';
import { makeTenant, type Tenant } from '../cluster/tenant.ts';
import { createPostgres } from '../server/databases.ts';
import { CREDIT } from '../server/money/served.ts';
import { useUp } from '../server/money/usage/usage.ts';
import { testFolder } from '../server/template.ts';

const PROCESSES = 3;
const PATIENCE = { timeout: 300_000 };
/** What a second of a recording costs, and a minute of a live session, micro-USD. */
const [SECOND, MINUTE] = [28, 2000];
/** What is left of a budget or a balance, micro-USD. */
const SMALL = 1000;
/** Bytes of a second of live sound. */
const SECOND_BYTES = 32_000;

/** What streams are told to be. */
const SOUND = { ...clip('short.wav'), sampleRate: 16_000 };

let directory: string;
let database: Database;
let processes: { program: Program; url: string }[];
beforeAll(async () => {
  directory = await mkdtemp(join(testFolder, 'reservations-'));
  const databaseUrl = await createPostgres();
  database = openPostgres({ databaseUrl });
  processes = await Promise.all(Array.from({ length: PROCESSES }, () => start(databaseUrl)));
}, PATIENCE.timeout);
afterAll(async () => {
  await Promise.all(processes.map(({ program }) => program.end('SIGKILL')));
  await database.close();
  await rm(directory, { recursive: true, force: true });
});

async function start(databaseUrl: string): Promise<{ program: Program; url: string }> {
  const main = ['--import', 'tsx', 'test/postgres/speech-process.ts'];
  const program = new Program(process.execPath, [...main, databaseUrl, directory]);
  await program.does('tells where it is', () => program.said.includes('\n'));
  const { port } = v.parse(v.object({ port: v.number() }), JSON.parse(program.said));
  return { program, url: `http://127.0.0.1:${port}` };
}

const at = (n: number): string => processes[n % processes.length]?.url ?? '';
const UNBOUNDED = { requests_per_minute: null, concurrent_streams: null };
const tenant = (budget_micros: number): Promise<Tenant> => makeTenant(database.db, { ...UNBOUNDED, budget_micros });
/** An organization that has used its starting credit, but for so many micro-USD. */
async function withBalance(micros: number): Promise<Tenant> {
  const of = await makeTenant(database.db, UNBOUNDED);
  await useUp(database.db, of, CREDIT - micros, new Date());
  return of;
}

/** Another project of the same organization: two requests of one project never begin together. */
async function otherProject(of: Tenant): Promise<Tenant> {
  const [projectId, key, created_at] = [randomUUID(), newApiKey(), new Date()];
  const { db } = database;
  await db
    .insertInto('projects')
    .values({ id: projectId, organization_id: of.organizationId, name: 'q', description: '', created_at })
    .execute();
  await db
    .insertInto('api_keys')
    .values({
      id: randomUUID(),
      project_id: projectId,
      name: 'k',
      masked: maskKey(key),
      key_hash: hashKey(key),
      created_by: null,
      created_at,
    })
    .execute();
  return { ...of, projectId, key };
}

/** A recording of a second that does not say how long it is. */
async function recordingOf({ key }: Tenant): Promise<string> {
  const form = new FormData();
  form.append(UPLOAD_FIELD, new Blob(['RIFF']), 'talk.wav');
  const answer = await fetch(`${at(0)}/v1/files`, { method: 'POST', headers: withKey(key), body: form });
  return v.parse(StoredFile, await answer.json()).id;
}
const withKey = (key: string): { authorization: string } => ({ authorization: `Bearer ${key}` });

/** Something that can be asked for: a recording and its project's key. */
interface Source {
  key: string;
  file_id: string;
}
const sourceOf = async (of: Tenant): Promise<Source> => ({ key: of.key, file_id: await recordingOf(of) });

/** Asks for so many transcriptions at once, of all sources, at all processes. @returns how many were answered with each status */
async function transcribeTogether(sources: readonly Source[], count: number): Promise<Record<string, number>> {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, n) => {
      const { key, file_id } = sources[n % sources.length]!;
      return fetch(`${at(Math.floor(n / sources.length))}/v1/transcriptions`, {
        method: 'POST',
        headers: { ...withKey(key), 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'stt-async-v5', file_id }),
      });
    }),
  );
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** What is used, and reserved, of the month by an organization, micro-USD. */
async function taken(of: Tenant): Promise<{ used: number; reserved: number }> {
  const { used, reserved } = await readMonth(database.db, of, new Date());
  return { used: used.organization.micros, reserved: reserved.organization.micros };
}

/** Looks again and again while something is done, and tells the most that was used and reserved at any time. */
async function mostTaken(of: Tenant, work: () => Promise<unknown>): Promise<number> {
  let most = 0;
  let isDone = false;
  const done = work().finally(() => (isDone = true));
  while (!isDone) {
    const { used, reserved } = await taken(of);
    most = Math.max(most, used + reserved);
  }
  await done;
  return most;
}

it.each([
  ['a budget of 0.001 USD', 402, Math.floor(SMALL / SECOND), () => tenant(SMALL)],
  ['a minute of audio', 429, 60, () => makeTenant(database.db, { ...UNBOUNDED, audio_minutes: 1 })],
  ['a balance of 0.001 USD', 402, Math.floor(SMALL / SECOND), () => withBalance(SMALL)],
] as const)(
  'LIM-06: of 190 transcriptions that are asked for at once, as many begin as %s allows',
  PATIENCE,
  async (_what, refused, fits, make) => {
    const of = await make();
    const { used: before } = await taken(of);
    const sources = [await sourceOf(of), await sourceOf(await otherProject(of))];
    const counts: Record<string, number>[] = [];
    const most = await mostTaken(of, async () => {
      // Those of the second time are asked for while those of the first end.
      for (let n = 0; n < 2; n += 1) counts.push(await transcribeTogether(sources, 190));
      await until('all have ended', async () => (await taken(of)).reserved === 0);
    });
    expect(counts).toEqual([{ 201: fits, [refused]: 190 - fits }, { [refused]: 190 }]);
    expect(most - before).toBe(fits * SECOND);
    expect((await taken(of)).used - before).toBe(fits * SECOND);
  },
);

it(
  'LIM-06 LIM-16: live sessions that race for a budget, and transcriptions beside them, use it up and never pass it',
  PATIENCE,
  async () => {
    const budget = 7.5 * MINUTE;
    const of = await tenant(budget);
    const sources = [await sourceOf(of), await sourceOf(await otherProject(of))];
    const ends: unknown[] = [];
    const speak = (n: number): Promise<void> =>
      new Promise((resolve) => {
        const socket = openStream(at(n), of.key, `${n}`, SOUND);
        socket.on('open', () => {
          for (let second = 0; second < 130; second += 1) socket.send(Buffer.alloc(SECOND_BYTES));
          socket.send('');
        });
        socket.on('message', (data: Buffer) => {
          const frame = JSON.parse(data.toString('utf8'));
          if (frame.error_code !== undefined || frame.finished === true) ends.push(frame.error_code ?? 'finished');
        });
        socket.on('close', () => resolve());
      });
    const most = await mostTaken(of, async () => {
      await Promise.all([...Array.from({ length: 30 }, (_, n) => speak(n)), transcribeTogether(sources, 60)]);
      await until('all have ended', async () => (await taken(of)).reserved === 0);
    });
    expect(ends).toHaveLength(30);
    expect(ends.filter((end) => end === 402).length).toBeGreaterThan(25);
    expect(most).toBeLessThanOrEqual(budget);
    const { used } = await taken(of);
    expect(used).toBeLessThanOrEqual(budget);
    // Less is left than a second of either; each stream's cost is rounded.
    expect(used).toBeGreaterThan(budget - 100);
  },
);

it(
  'LIM-06: what a process has reserved that was killed is free when its sessions are ended by another',
  PATIENCE,
  async () => {
    const of = await tenant(2 * MINUTE);
    const last = processes.length - 1;
    const sockets = [0, 1].map((n) => openStream(at(last), of.key, `${n}`, SOUND));
    for (const socket of sockets) {
      socket.on('error', () => undefined);
      socket.on('open', () => socket.send(Buffer.alloc(SECOND_BYTES)));
    }
    await until('both run', async () => (await taken(of)).reserved === 2 * MINUTE);
    const sources = [await sourceOf(of), await sourceOf(await otherProject(of))];
    expect(await transcribeTogether(sources, 2)).toEqual({ 402: 2 });
    await processes.pop()?.program.end('SIGKILL');
    expect(await transcribeTogether(sources, 2)).toEqual({ 402: 2 });
    await until('both have ended', async () => (await taken(of)).reserved === 0);
    expect(await transcribeTogether(sources, 2)).toEqual({ 201: 2 });
  },
);
