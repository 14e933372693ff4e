/** Recordings and transcriptions that are removed for their age, by the same way as those that people delete. */
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import * as v from 'valibot';
import { Transcription } from '#contract/transcriptions.ts';
import { removeOld } from '#server/app/retention.ts';
import { StorageError } from '#server/platform/storage/port.ts';
import type { TestUser } from '../harness.ts';
import { eventually } from '../eventually.ts';
import { call, startSpeechServer, uploaded, type SpeechServer } from './harness.ts';

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

/** A transcription of a recording, once it has ended. */
async function transcribed(file_id: string): Promise<string> {
  const created = await call(server, user, 'POST', '/transcriptions', { model: 'parlance-async-1', file_id });
  const { id } = v.parse(Transcription, await created.json());
  await eventually(async () => {
    const row = await server.services.db.selectFrom('transcriptions').select('status').where('id', '=', id).execute();
    expect(row).toEqual([{ status: 'completed' }]);
  });
  return id;
}
const statusOf = async (path: string): Promise<number> => (await call(server, user, 'GET', path)).status;
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
  const [old, young] = [await uploaded(server, user), await uploaded(server, user)];
  const transcription = await transcribed(old.id);
  await age('files', old.id, 10.01);
  await age('files', young.id, 9.99);
  expect(await removeOld(server.services)).toEqual({ recordings: 1 });
  expect([await statusOf(`/files/${old.id}`), await statusOf(`/files/${young.id}`)]).toEqual([404, 200]);
  await eventually(async () => expect(await isStored(old.id)).toBe(false));
  expect(await isStored(young.id)).toBe(true);
  const row = v.parse(
    Transcription,
    await (await call(server, user, 'GET', `/transcriptions/${transcription}`)).json(),
  );
  expect(row).toMatchObject({ status: 'completed', file_id: null });
  expect(await statusOf(`/transcriptions/${transcription}/transcript`)).toBe(200);
});

it('OPS-74: a recording that waits to be transcribed, or is, stays until that has ended', async () => {
  const { db } = server.services;
  for (const status of ['queued', 'processing'] as const) {
    const file = await uploaded(server, user);
    const id = await transcribed(file.id);
    await db.updateTable('transcriptions').set({ status }).where('id', '=', id).execute();
    await age('files', file.id, 11);
    expect(await removeOld(server.services)).toEqual({});
    expect(await statusOf(`/files/${file.id}`)).toBe(200);
    await db.updateTable('transcriptions').set({ status: 'completed' }).where('id', '=', id).execute();
    expect(await removeOld(server.services)).toEqual({ recordings: 1 });
  }
});

it('OPS-74: beside requests for transcriptions of them, a recording is transcribed or refused, and never lost in between', async () => {
  const files = [];
  for (let n = 0; n < 6; n += 1) files.push(await uploaded(server, user));
  for (const { id } of files) await age('files', id, 11);
  const sweeps = [removeOld(server.services, 1), removeOld(server.services, 2)];
  const answers = await Promise.all(
    files.map(({ id }) => call(server, user, 'POST', '/transcriptions', { model: 'parlance-async-1', file_id: id })),
  );
  await Promise.all(sweeps);
  expect(answers.map(({ status }) => status).filter((status) => status !== 201 && status !== 404)).toEqual([]);
  const made = answers.filter(({ status }) => status === 201);
  await eventually(async () => {
    const rows = await server.services.db
      .selectFrom('transcriptions')
      .select('status')
      .where('project_id', '=', user.projectId)
      .execute();
    expect(rows).toEqual(made.map(() => ({ status: 'completed' })));
  });
  // Now that they have ended, they go, too.
  await removeOld(server.services);
  expect(
    await server.services.db.selectFrom('files').selectAll().where('project_id', '=', user.projectId).execute(),
  ).toEqual([]);
});

it('OPS-74: while the storage is away, the bytes of what is removed wait in a job', async () => {
  const file = await uploaded(server, user);
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

it('OPS-74: an old transcription goes with its transcript; its recording, one that ended later, and one whose webhook is not told yet stay', async () => {
  const { db, clock } = server.services;
  const file = await uploaded(server, user);
  const [old, young, told] = [await transcribed(file.id), await transcribed(file.id), await transcribed(file.id)];
  await age('transcriptions', old, 20.01);
  await age('transcriptions', young, 19.99);
  await age('transcriptions', told, 21);
  const later = new Date(clock().getTime() + DAY_MS);
  await db
    .insertInto('jobs')
    .values({
      kind: 'webhook',
      subject: told,
      state: 'ready',
      attempts: 1,
      run_at: later,
      worker: null,
      last_error: null,
      created_at: clock(),
    })
    .execute();
  expect(await removeOld(server.services)).toEqual({ transcriptions: 1 });
  expect(await statusOf(`/transcriptions/${old}`)).toBe(404);
  expect([await statusOf(`/transcriptions/${young}`), await statusOf(`/transcriptions/${told}`)]).toEqual([200, 200]);
  const kept = await db.selectFrom('transcripts').select('transcription_id').execute();
  expect(kept.map(({ transcription_id }) => transcription_id)).not.toContain(old);
  expect(await statusOf(`/files/${file.id}`)).toBe(200);
});
