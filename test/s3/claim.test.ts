/** A database and the storage of its recordings belong together; which, the first start says. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '#server/platform/db/database.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { claimStorage } from '#server/platform/installation.ts';
import { createLog } from '#server/platform/log.ts';
import { openLocalStorage } from '#server/platform/storage/local.ts';
import type { FileStorage } from '#server/platform/storage/port.ts';
import { createPostgres } from '../server/databases.ts';
import { testFolder } from '../server/template.ts';
import { newBucket, openBucket } from './buckets.ts';

const databases: Database[] = [];
const connect = async (url: string): Promise<Database> => {
  const database = await openDatabase({ databaseUrl: url });
  databases.push(database);
  return database;
};
let url: string;
let database: Database;
beforeEach(async () => {
  url = await createPostgres();
  database = await connect(url);
});
afterEach(async () => {
  for (const each of databases.splice(0)) await each.close();
});

const claim = (storage: FileStorage, by = database): Promise<void> =>
  claimStorage(by, storage, {
    isShared: true,
    hasOthers: true,
    database: 'Set DATABASE_URL to that one',
    log: createLog('silent'),
  });
const claimed = async (by = database) =>
  (await by.db.selectFrom('installation').select('storage_id').executeTakeFirst())?.storage_id;
const outcomes = async (claims: Promise<void>[]): Promise<string[]> =>
  (await Promise.allSettled(claims)).map((each) => (each.status === 'fulfilled' ? 'taken' : String(each.reason)));

describe('OPS-44 the storage of a database', () => {
  it('OPS-44: is given the same id by the first start, and found by all later ones', async () => {
    const bucket = (await newBucket()).name;
    await claim(await openBucket(bucket));
    expect(await (await openBucket(bucket)).readNote()).toBe(await claimed());
    await claim(await openBucket(bucket), await connect(url));
  });

  it('OPS-94: a copy of it that was made while a server works is refused beside that', async () => {
    const [first, copy] = [(await newBucket()).name, (await newBucket()).name];
    await claim(await openBucket(first));
    const [from, storage] = [await openBucket(first), await openBucket(copy)];
    for (const note of ['owner', 'mark'] as const) await storage.writeNote((await from.readNote(note)) ?? '', note);
    await expect(claim(storage, await connect(url))).rejects.toThrow(`and s3://${copy}/ is another place, or a copy`);
    await claim(from, await connect(url));
  });

  it('OPS-44: first starts of several processes at once agree', async () => {
    const bucket = (await newBucket()).name;
    const starts = await Promise.all(
      Array.from({ length: 6 }, async () => [await openBucket(bucket), await connect(url)] as const),
    );
    expect(await outcomes(starts.map(([storage, by]) => claim(storage, by)))).toEqual(starts.map(() => 'taken'));
    expect(await starts[0]![0].readNote()).toBe(await claimed());
  });

  it('OPS-44: of first starts with different storages one wins, and the others say what to set', async () => {
    const starts = await Promise.all(
      Array.from({ length: 4 }, async () => [await openBucket((await newBucket()).name), await connect(url)] as const),
    );
    const ended = await outcomes(starts.map(([storage, by]) => claim(storage, by)));
    expect(ended.filter((outcome) => outcome === 'taken')).toHaveLength(1);
    const refused = starts.flatMap(([storage], index) =>
      ended[index] === 'taken' ? [] : [{ storage, why: ended[index] }],
    );
    const winner = starts.find((_, index) => ended[index] === 'taken')?.[0].place.name;
    for (const { storage, why } of refused) {
      const { name } = storage.place;
      expect(why).toBe(
        `StartError: Another server is at work on this database with its recordings in ${winner}, and ${name} is another place, or a copy of it. Servers of one database have one place for recordings: set S3_ENDPOINT, S3_BUCKET and S3_PREFIX to the place that has them, or copy them there with their note, or set DATABASE_URL to another database. Where that server has just ended, wait for half a minute.`,
      );
      expect(await storage.readNote()).toBeUndefined();
    }
  });

  it('OPS-44: of two databases that take one storage at once no more than one gets it', async () => {
    const bucket = (await newBucket()).name;
    const other = await connect(await createPostgres());
    const ended = await outcomes([claim(await openBucket(bucket)), claim(await openBucket(bucket), other)]);
    const storage = await openBucket(bucket);
    // At the next start, at the latest, it is certain whose it is.
    const next = await outcomes([claim(storage), claim(storage, other)]);
    expect(next.filter((outcome) => outcome === 'taken')).toHaveLength(1);
    expect(ended).toContain('taken');
  });

  it('OPS-44: another database is refused, and nothing is changed', async () => {
    const bucket = (await newBucket()).name;
    const storage = await openBucket(bucket);
    await claim(storage);
    const other = await connect(await createPostgres());
    const note = await storage.readNote();
    await expect(claim(storage, other)).rejects.toThrow(
      `The recordings in s3://${bucket}/ belong to another database. Set DATABASE_URL to that one, or set S3_BUCKET or S3_PREFIX to another place.`,
    );
    expect([await storage.readNote(), await claimed(other)]).toEqual([note, null]);
  });

  it('OPS-46: recordings that were copied from a directory into a bucket, with their note, are at home there', async () => {
    const dataDir = mkdtempSync(join(testFolder, 'moving-'));
    const local = await openLocalStorage({
      directory: join(dataDir, 'files'),
      note: join(dataDir, 'installation-id'),
    });
    await claim(local);
    const id = randomUUID();
    await local.put(id, Readable.from([Buffer.from('x')]));
    const moved = await openBucket((await newBucket()).name, { prefix: 'a/b/' });
    // The servers are stopped before.
    await database.db
      .updateTable('storage_place')
      .set({ taken_at: new Date(0) })
      .execute();
    await expect(claim(moved)).rejects.toThrow(
      `The recordings of this database are in ${dataDir} of ${hostname()}, and not in s3://`,
    );
    await moved.put(id, await local.open(id));
    await moved.writeNote((await local.readNote()) ?? '');
    await claim(moved);
  });

  it('OPS-44: a directory is refused as well where the recordings are in a bucket', async () => {
    await claim(await openBucket((await newBucket()).name));
    const dataDir = mkdtempSync(join(testFolder, 'forgotten-'));
    const local = await openLocalStorage({ directory: join(dataDir, 'files'), note: join(dataDir, 'installation-id') });
    await expect(claim(local)).rejects.toThrow(`and ${dataDir} of ${hostname()} is another place`);
  });
});
