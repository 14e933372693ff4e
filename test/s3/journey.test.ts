/** Whole servers whose recordings are in a bucket. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { FileUrl, StoredFile } from '#contract/files.ts';
import { Transcription } from '#contract/transcriptions.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { createPostgres } from '../server/databases.ts';
import type { TestUser } from '../server/harness.ts';
import { eventually } from '../server/eventually.ts';
import { call, refusalOf, startSpeechServer, upload, type SpeechServer } from '../server/speech-api/harness.ts';
import { type Bucket, endpoint, newBucket, settingsOf } from './buckets.ts';
import { startFaultyWay, type FaultyWay } from './faulty-way.ts';

let bucket: Bucket;
let way: FaultyWay;
let databaseUrl: string;
beforeEach(async () => {
  [bucket, way, databaseUrl] = [await newBucket(), await startFaultyWay(endpoint()), await createPostgres()];
});
afterEach(() => way.close());

const start = async (extra: Record<string, string> = {}): Promise<SpeechServer> => {
  const server = await startSpeechServer({
    server: {
      env: { ...settingsOf(bucket.name, way.url), S3_PREFIX: '/recordings/', SECRET_KEY: 'k'.repeat(32), ...extra },
      overrides: { database: await openDatabase({ databaseUrl }) },
    },
  });
  onTestFinished(() => server.close());
  return server;
};
const recordings = async (): Promise<string[]> =>
  [...(await bucket.keys()), ...(await bucket.uploads())].filter((key) => !key.endsWith('/installation-id'));
const addressOf = async (server: SpeechServer, user: TestUser, id: string): Promise<string> =>
  v.parse(FileUrl, await (await call(server, user, 'GET', `/files/${id}/url`)).json()).url;
const transcribe = async (server: SpeechServer, user: TestUser, file_id: string): Promise<string> => {
  const made = await call(server, user, 'POST', '/transcriptions', { model: 'parlance-async-1', file_id });
  return v.parse(Transcription, await made.json()).id;
};
const completes = (server: SpeechServer, user: TestUser, id: string): Promise<void> =>
  eventually(async () =>
    expect(await (await call(server, user, 'GET', `/transcriptions/${id}`)).json()).toMatchObject({
      status: 'completed',
    }),
  );

it('OPS-49: a recording in a bucket is uploaded, transcribed, played in parts and deleted', async () => {
  const server = await start();
  const user = await server.createUser();
  const content = Uint8Array.from({ length: 20_000_000 }, (_byte, index) => index % 251);
  const file = v.parse(StoredFile, await (await upload(server, user, content)).json());
  expect(await recordings()).toEqual([`recordings/${file.id}`]);
  await completes(server, user, await transcribe(server, user, file.id));
  const address = await addressOf(server, user, file.id);
  const whole = await fetch(address);
  expect(Buffer.from(await whole.arrayBuffer()).equals(content)).toBe(true);
  const part = await fetch(address, { headers: { range: 'bytes=9000000-9000009' } });
  expect([part.status, part.headers.get('content-range'), part.headers.get('x-content-type-options')]).toEqual([
    206,
    'bytes 9000000-9000009/20000000',
    'nosniff',
  ]);
  expect(Buffer.from(await part.arrayBuffer())).toEqual(Buffer.from(content.subarray(9_000_000, 9_000_010)));
  expect((await call(server, user, 'DELETE', `/files/${file.id}`)).status).toBe(204);
  expect(await recordings()).toEqual([]);
  expect([existsSync(join(server.dataDir, 'files')), await readdir(join(server.dataDir, 'checkouts'))]).toEqual([
    false,
    [],
  ]);
});

it('OPS-49: what is refused, or breaks off, leaves nothing in the bucket', async () => {
  const server = await start();
  const user = await server.createUser();
  const control = new AbortController();
  way.fault = ({ method }) => {
    if (method === 'PUT') control.abort();
    return undefined;
  };
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(30_000_000)]), 'a.wav');
  await expect(
    fetch(`${server.url}/v1/files`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${JSON.stringify({ type: 'jwt', project_id: user.projectId, token: user.access })}`,
      },
      body: form,
      signal: control.signal,
    }),
  ).rejects.toThrow('abort');
  await eventually(async () => expect(await recordings()).toEqual([]));
});

it('OPS-47: while the bucket is away uploads are refused with 503, and a transcription waits until it is back', async () => {
  const server = await start();
  const user = await server.createUser();
  const file = v.parse(StoredFile, await (await upload(server, user)).json());
  way.fault = () => 'cut';
  const refused = await upload(server, user);
  expect([refused.status, refused.headers.get('retry-after'), (await refusalOf(refused)).error_type]).toEqual([
    503,
    '5',
    'service_unavailable',
  ]);
  const id = await transcribe(server, user, file.id);
  await eventually(async () =>
    expect(
      await server.services.db
        .selectFrom('jobs')
        .select(['state', 'attempts', 'runs'])
        .where('subject', '=', id)
        .execute(),
    ).toMatchObject([{ state: 'ready', attempts: 0, runs: 1 }]),
  );
  way.fault = () => undefined;
  server.advance(16_000);
  await completes(server, user, id);
});

it('OPS-49: servers with a data directory each share a bucket', async () => {
  const [one, other] = [await start(), await start()];
  expect(one.dataDir).not.toBe(other.dataDir);
  const user = await one.createUser();
  for (const [by, reader] of [
    [one, other],
    [other, one],
  ] as const) {
    const file = v.parse(StoredFile, await (await upload(by, user)).json());
    expect(await (await fetch(await addressOf(reader, user, file.id))).text()).toBe('RIFF');
    await completes(reader, user, await transcribe(reader, user, file.id));
    expect((await call(reader, user, 'DELETE', `/files/${file.id}`)).status).toBe(204);
    expect((await call(by, user, 'GET', `/files/${file.id}`)).status).toBe(404);
  }
  expect(await recordings()).toEqual([]);
});

it('OPS-44: a server with another prefix does not start on the same database', async () => {
  await start();
  await expect(start({ S3_PREFIX: 'elsewhere' })).rejects.toThrow('The recordings that the database knows are not in');
});
