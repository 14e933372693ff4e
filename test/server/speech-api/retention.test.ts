/** Recordings and transcriptions that are removed for their age, by the same way as those that people delete. */
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { removeOld } from '#server/app/retention.ts';
import { enqueue } from '#server/platform/jobs/queue.ts';
import { WEBHOOK } from '#server/speech-api/transcriptions/finish.ts';
import { StorageError } from '#server/platform/storage/port.ts';
import type { TestUser } from '../harness.ts';
import { eventually } from '../eventually.ts';
import { consoleClient } from './client.ts';
import { startSpeechServer, type SpeechServer } from './harness.ts';

const DAY_MS = 86_400_000;
let server: SpeechServer;
let user: TestUser;
beforeAll(async () => {
  server = await startSpeechServer({
    server: { env: { KEEP_RECORDINGS_DAYS: '10', KEEP_TRANSCRIPTIONS_DAYS: '20' } },
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  user = await server.createUser();
});

const { create, get, post, reaches, statusOf, stored } = consoleClient(() => ({ server, user }));
/** A transcription of a recording, once it has ended. */
const transcribed = async (file_id: string): Promise<string> =>
  (await reaches((await create({ file_id })).id, 'completed')).id;
const status = (path: string): Promise<number> => statusOf('GET', path);
/** The age that a row is given. */
const age = (table: 'files' | 'transcriptions', id: string, days: number): Promise<unknown> => {
  const at = new Date(server.services.clock().getTime() - days * DAY_MS);
  return server.services.db
    .updateTable(table)
    .set(table === 'files' ? { created_at: at } : { finished_at: at })
    .where('id', '=', id)
    .execute();
};
const isStored = (id: string): Promise<boolean> => server.speech.storage.exists(id);

it('OPS-74: an old recording goes with its bytes, and its transcription stays', async () => {
  const [old, young] = [await stored(), await stored()];
  const transcription = await transcribed(old.id);
  await age('files', old.id, 10.01);
  await age('files', young.id, 9.99);
  expect(await removeOld(server.services)).toEqual({ recordings: 1 });
  expect([await status(`/files/${old.id}`), await status(`/files/${young.id}`)]).toEqual([404, 200]);
  await eventually(async () => expect(await isStored(old.id)).toBe(false));
  expect(await isStored(young.id)).toBe(true);
  expect(await get(transcription)).toMatchObject({ status: 'completed', file_id: null });
  expect(await status(`/transcriptions/${transcription}/transcript`)).toBe(200);
});

it('OPS-74: a recording that waits to be transcribed, or is, stays until that has ended', async () => {
  const { db } = server.services;
  for (const state of ['queued', 'processing'] as const) {
    const file = await stored();
    const id = await transcribed(file.id);
    await db.updateTable('transcriptions').set({ status: state }).where('id', '=', id).execute();
    await age('files', file.id, 11);
    expect(await removeOld(server.services)).toEqual({});
    expect(await status(`/files/${file.id}`)).toBe(200);
    await db.updateTable('transcriptions').set({ status: 'completed' }).where('id', '=', id).execute();
    expect(await removeOld(server.services)).toEqual({ recordings: 1 });
  }
});

it('OPS-74: beside requests for transcriptions of them, a recording is transcribed or refused, and never lost in between', async () => {
  const files = [];
  for (let n = 0; n < 6; n += 1) files.push(await stored());
  for (const { id } of files) await age('files', id, 11);
  const sweeps = [removeOld(server.services, 1), removeOld(server.services, 2)];
  const answers = await Promise.all(files.map(({ id: file_id }) => post({ file_id })));
  await Promise.all(sweeps);
  const made = answers.filter(({ ok }) => ok);
  for (const answer of answers) expect([201, 404]).toContain(answer.status);
  const rows = server.services.db.selectFrom('transcriptions').select('status');
  await eventually(async () =>
    expect(await rows.where('project_id', '=', user.projectId).execute()).toEqual(
      made.map(() => ({ status: 'completed' })),
    ),
  );
  // Now that they have ended, they go, too.
  await removeOld(server.services);
  const left = server.services.db.selectFrom('files').selectAll().where('project_id', '=', user.projectId);
  expect(await left.execute()).toEqual([]);
});

it('OPS-74: while the storage is away, the bytes of what is removed wait in a job', async () => {
  const file = await stored();
  await age('files', file.id, 11);
  const away = new StorageError('unavailable', 'The storage of recordings does not answer just now.');
  const broken = vi.spyOn(server.speech.storage, 'remove').mockRejectedValue(away);
  expect(await removeOld(server.services)).toEqual({ recordings: 1 });
  await eventually(() => expect(broken).toHaveBeenCalledWith(file.id));
  broken.mockRestore();
  expect(await isStored(file.id)).toBe(true);
  server.advance(60_000);
  await eventually(async () => expect(await isStored(file.id)).toBe(false));
});

it('OPS-74: removes an old transcription with its transcript, not its recording, later ones, or one with a webhook due', async () => {
  const { db, clock } = server.services;
  const file = await stored();
  const [old, young, told] = [await transcribed(file.id), await transcribed(file.id), await transcribed(file.id)];
  await age('transcriptions', old, 20.01);
  await age('transcriptions', young, 19.99);
  await age('transcriptions', told, 21);
  const now = new Date(clock().getTime() + 30_000);
  await db.transaction().execute((trx) => enqueue(trx, { kind: WEBHOOK, subject: told, now }));
  expect(await removeOld(server.services)).toEqual({ transcriptions: 1 });
  expect(await status(`/transcriptions/${old}`)).toBe(404);
  expect([await status(`/transcriptions/${young}`), await status(`/transcriptions/${told}`)]).toEqual([200, 200]);
  const kept = await db.selectFrom('transcripts').select('transcription_id').execute();
  expect(kept.map(({ transcription_id }) => transcription_id)).not.toContain(old);
  expect(await status(`/files/${file.id}`)).toBe(200);
});
