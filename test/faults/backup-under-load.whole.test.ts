/** A backup that is taken while a server works, and what a server finds that is started on it. */
import { randomUUID } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import * as v from 'valibot';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { StoredFile } from '#contract/files.ts';
import { Transcription } from '#contract/transcriptions.ts';
import { checkBooks } from '#server/app/admin/books.ts';
import { runCommand } from '#server/app/admin/commands.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import type { TestUser } from '../server/harness.ts';
import { call, upload, type SpeechServer } from '../server/speech-api/harness.ts';
import { backUp, emptyPlace, newFolder, newPlace, restore, serve, type Settings } from './backup.ts';

/** Looks again now and then: the server shall be busy with what a client does. */
const eventually = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 200_000, interval: 100 });
const EVERYTHING_RIGHT = 'The books are right, and the rollups match their rows.';

// Databases are made: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let settings: Settings;
let server: SpeechServer;
let user: TestUser;
beforeAll(async () => {
  settings = await newPlace();
  server = await serve(settings);
  user = await server.createUser();
});
afterAll(() => server.close());

/** What a client was told of, by id: content of recordings, transcriptions that ended, references of credits. */
const recordings = new Map<string, string>();
/** Asked for, and acknowledged. */
const deleted = new Set<string>();
const gone = new Set<string>();
const transcribed = new Set<string>();
const credits = new Set<string>();

async function record(): Promise<string> {
  const content = randomUUID().repeat(2000);
  const { id } = v.parse(StoredFile, await (await upload(server, user, content)).json());
  recordings.set(id, content);
  return id;
}

async function transcribe(file_id: string): Promise<void> {
  const made = await call(server, user, 'POST', '/transcriptions', { model: 'parlance-async-1', file_id });
  const { id } = v.parse(Transcription, await made.json());
  await eventually(async () => {
    const { status } = v.parse(Transcription, await (await call(server, user, 'GET', `/transcriptions/${id}`)).json());
    expect(status).toBe('completed');
  });
  transcribed.add(id);
}

async function remove(id: string): Promise<void> {
  deleted.add(id);
  expect((await call(server, user, 'DELETE', `/files/${id}`)).status).toBe(204);
  gone.add(id);
}

async function credit(): Promise<void> {
  const reference = randomUUID();
  await runCommand({ ...server.services, limitDefaults: LIMIT_DEFAULTS }, [
    'credit',
    user.organizationId,
    '0.01',
    reference,
    'a backup',
  ]);
  credits.add(reference);
}

it('OPS-80 OPS-81: restored from a backup taken under load, sums agree and every recording is there', async () => {
  for (let count = 0; count < 2; count += 1) await transcribe(await record());
  await credit();
  let isOver = false;
  let rounds = 0;
  const work = async (): Promise<void> => {
    while (!isOver) {
      const id = await record();
      await transcribe(id);
      await credit();
      await remove([...recordings.keys()].find((known) => !deleted.has(known)) ?? id);
      rounds += 1;
    }
  };
  const load = work();
  await eventually(() => expect(rounds).toBeGreaterThan(2));
  const before = {
    gone: [...gone],
    transcribed: [...transcribed],
    credits: [...credits],
  };
  const [from, known] = [join(newFolder('backup'), 'whole'), new Set(recordings.keys())];
  const roundsBefore = rounds;
  const content = await backUp(settings, from);
  const after = new Set(deleted);
  await eventually(() => expect(rounds).toBeGreaterThan(roundsBefore));
  isOver = true;
  await load;
  expect(content.recordings.missing).toBe(0);
  expect((await stat(from)).mode & 0o777).toBe(0o700);
  for (const name of ['manifest.json', 'SHA256SUMS', 'tables/files.jsonl.gz'])
    expect((await stat(join(from, name))).mode & 0o777).toBe(0o600);
  expect(await readdir(from)).not.toContain('secret-key');

  const place = await emptyPlace();
  await restore(place, from);
  const second = await serve(place);
  try {
    const { db, storage } = second.services;
    // Autopay waits until the provider has told what was paid since.
    expect((await checkBooks(db)).text).toContain(EVERYTHING_RIGHT);
    const files = await db.selectFrom('files').select(['id', 'size']).execute();
    for (const { id, size } of files) {
      const bytes = await buffer(await storage.open(id));
      expect([bytes.byteLength, bytes.toString('utf8')]).toEqual([size, recordings.get(id)]);
    }
    const found = new Set(files.map(({ id }) => id));
    // What was acknowledged before it began is in it, unless it was deleted since; what was deleted before is not.
    expect([...known].filter((id) => !after.has(id) && !found.has(id))).toEqual([]);
    expect(before.gone.length).toBeGreaterThan(0);
    expect(before.gone.filter((id) => found.has(id))).toEqual([]);
    const ended = await db.selectFrom('transcriptions').select('id').where('status', '=', 'completed').execute();
    expect(ended.map(({ id }) => id)).toEqual(expect.arrayContaining(before.transcribed));
    const entries = await db.selectFrom('ledger_entries').selectAll().where('kind', '=', 'credit').execute();
    expect(JSON.stringify(entries).match(/[0-9a-f-]{36}/g)).toEqual(expect.arrayContaining(before.credits));
    // The session, the key that signs it and the identities go on.
    expect((await second.call(user, 'GET', '/api/v2/user/')).status).toBe(200);
    const again = await call(second, user, 'POST', '/transcriptions', {
      model: 'parlance-async-1',
      file_id: files[0]?.id,
    });
    expect(again.status).toBe(201);
    expect((await checkBooks(db)).text).toContain(EVERYTHING_RIGHT);
  } finally {
    await second.close();
  }
});
