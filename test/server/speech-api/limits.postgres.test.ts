import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { TestUser } from '../harness.ts';
import { consoleClient, refusal } from './client.ts';
import { startSpeechServer, upload, type SpeechServer } from './harness.ts';
import { deferred } from './live/live-harness.ts';

let server: SpeechServer;
let user: TestUser;
/** What is waited for before anything is transcribed. */
let gate: Promise<void>;

beforeAll(async () => {
  server = await startSpeechServer({
    engine: { transcribe: async () => (await gate, []) },
    storedItemLimits: { files: 3, transcriptions: 4 },
    limitDefaults: { waiting_jobs: 2, requests_per_minute: 6 },
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  gate = Promise.resolve();
  user = await server.createUser();
});

const { create, mint, post, reaches, statusOf, stored: addFile } = consoleClient(() => ({ server, user }));
const send = (bytes: number, owner = user): Promise<Response> => upload(server, owner, new Uint8Array(bytes));
const sent = async (bytes: number, owner?: TestUser): Promise<number> => (await send(bytes, owner)).status;
const full = (message: string) => [429, 'limit_exceeded', message];
const stored = (): Promise<string[]> => readdir(join(server.dataDir, 'files'));

it('files: one more than the most → 429, and its bytes are not kept; another project has its own count; deleting makes room', async () => {
  const { id } = await addFile();
  for (let n = 0; n < 2; n += 1) await addFile();
  const before = await stored();
  const put = vi.spyOn(server.speech.storage, 'put');
  const refused = full('This project keeps 3 files, the most there can be. Delete some of them.');
  expect(await refusal(await send(50))).toEqual(refused);
  expect(put).not.toHaveBeenCalled();
  put.mockRestore();
  expect(await stored()).toEqual(before);
  expect(await sent(4, await server.createUser())).toBe(201);
  await statusOf('DELETE', `/files/${id}`);
  expect(await sent(4)).toBe(201);
});

it('files: uploads at the same time cannot all take the last place', async () => {
  for (let n = 0; n < 2; n += 1) await addFile();
  const before = await stored();
  const statuses = await Promise.all([sent(4), sent(4), sent(4)]);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 429, 429]);
  expect(await stored()).toHaveLength(before.length + 1);
});

it('pending transcriptions: one more than the most → 429 until one has ended', async () => {
  const opened = deferred();
  gate = opened.promise;
  const file_id = (await addFile()).id;
  const pending = [await create({ file_id }), await create({ file_id })];
  expect(await refusal(await post({ file_id }))).toEqual(
    full('This organization has 2 pending transcriptions, the most there can be. Wait until some of them have ended.'),
  );
  opened.resolve();
  for (const { id } of pending) await reaches(id, 'completed');
  await create({ file_id });
});

it('all transcriptions: one more than the most → 429 until one is deleted', async () => {
  const file_id = (await addFile()).id;
  let id = '';
  for (let n = 0; n < 4; n += 1) {
    ({ id } = await create({ file_id }));
    await reaches(id, 'completed');
  }
  expect(await refusal(await post({ file_id }))).toEqual(
    full('This project has 4 transcriptions, the most there can be. Delete some of them.'),
  );
  expect(await statusOf('DELETE', `/transcriptions/${id}`)).toBe(204);
  await create({ file_id });
});

it('calls: new transcriptions and temporary keys of an organization share a rate', async () => {
  const file_id = (await addFile()).id;
  await create({ file_id });
  for (let n = 0; n < 5; n += 1) expect((await mint()).status).toBe(201);
  for (const refused of [await mint(), await post({ file_id })])
    expect((await refusal(refused)).slice(0, 2)).toEqual([429, 'limit_exceeded']);
  // What only reads is not counted, and other organizations are not concerned.
  for (const path of ['/transcriptions', '/files', '/models']) expect(await statusOf('GET', path)).toBe(200);
  const stranger = await server.createUser();
  expect((await consoleClient(() => ({ server, user: stranger })).mint()).status).toBe(201);
});
