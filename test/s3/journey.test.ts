/** Whole servers whose recordings are in a bucket. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { FileUrl, StoredFile } from '#contract/files.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { createPostgres } from '../server/databases.ts';
import type { TestUser } from '../server/harness.ts';
import { eventually } from '../server/eventually.ts';
import { consoleClient } from '../server/speech-api/client.ts';
import { bearer, call, refusalOf, startSpeechServer, upload, type SpeechServer } from '../server/speech-api/harness.ts';
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
      env: {
        ...settingsOf(bucket.name, way.url),
        S3_PREFIX: '/recordings/',
        DATABASE_URL: databaseUrl,
        SECRET_KEY: 'k'.repeat(32),
        ...extra,
      },
      overrides: { database: await openDatabase({ databaseUrl }) },
    },
  });
  onTestFinished(() => server.close());
  return server;
};
const recordings = async (): Promise<string[]> =>
  [...(await bucket.keys()), ...(await bucket.uploads())].filter((key) => !/\/(installation|place)-id$/.test(key));
/** What a user does at a server. */
const at = (server: SpeechServer, user: TestUser) => {
  const client = consoleClient(() => ({ server, user }));
  return {
    ...client,
    addressOf: async (id: string): Promise<string> => (await client.read(FileUrl, `/files/${id}/url`)).url,
  };
};

it('OPS-49: a recording in a bucket is uploaded, transcribed, played in parts and deleted', async () => {
  const server = await start();
  const user = await server.createUser();
  const content = Uint8Array.from({ length: 20_000_000 }, (_byte, index) => index % 251);
  const file = v.parse(StoredFile, await (await upload(server, user, content)).json());
  expect(await recordings()).toEqual([`recordings/${file.id}`]);
  const { addressOf, create, reaches } = at(server, user);
  await reaches((await create({ file_id: file.id })).id, 'completed');
  const address = await addressOf(file.id);
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
      headers: bearer(user),
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
  const { create, reaches } = at(server, user);
  const { id } = await create({ file_id: file.id });
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
  await reaches(id, 'completed');
});

it('OPS-49: servers with a data directory each share a bucket', async () => {
  const [one, other] = [await start(), await start()];
  expect(one.dataDir).not.toBe(other.dataDir);
  const user = await one.createUser();
  for (const [by, reader] of [
    [one, other],
    [other, one],
  ] as const) {
    const { stored, statusOf } = at(by, user);
    const there = at(reader, user);
    const { id } = await stored();
    expect(await (await fetch(await there.addressOf(id))).text()).toBe('RIFF');
    await there.reaches((await there.create({ file_id: id })).id, 'completed');
    expect(await there.statusOf('DELETE', `/files/${id}`)).toBe(204);
    expect(await statusOf('GET', `/files/${id}`)).toBe(404);
  }
  expect(await recordings()).toEqual([]);
});

it('OPS-44: a server with another prefix does not start on the same database', async () => {
  await start();
  await expect(start({ S3_PREFIX: 'elsewhere' })).rejects.toThrow(
    'Another server is at work on this database with its recordings in',
  );
});
