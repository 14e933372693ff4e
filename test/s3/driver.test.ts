/** What the port of the storage promises, of each of its drivers. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { openLocalStorage } from '#server/platform/storage/local.ts';
import type { FileStorage } from '#server/platform/storage/port.ts';
import { testFolder } from '../server/template.ts';
import { bodyOf, MIB, newBucket, openBucket } from './buckets.ts';

interface Kind {
  storage: FileStorage;
  /** All that is kept, whatever its name; what is not whole, too. */
  kept(): Promise<string[]>;
}
const KINDS: Record<string, () => Promise<Kind>> = {
  'a directory': async () => {
    const directory = mkdtempSync(join(testFolder, 'storage-'));
    return { storage: await openLocalStorage({ directory }), kept: () => readdir(directory) };
  },
  'a bucket': async () => {
    const [bucket, checkouts] = [await newBucket(), mkdtempSync(join(testFolder, 'checkouts-'))];
    return {
      storage: await openBucket(bucket.name, { checkouts }),
      kept: async () => [...(await bucket.keys()), ...(await bucket.uploads()), ...(await readdir(checkouts))],
    };
  },
  'a part of a bucket': async () => {
    const bucket = await newBucket();
    const prefix = 'some/recordings/';
    return {
      storage: await openBucket(bucket.name, { prefix }),
      kept: async () => [...(await bucket.keys()), ...(await bucket.uploads())].map((key) => key.replace(prefix, '')),
    };
  },
};

describe.each(Object.entries(KINDS))('recordings in %s', (_name, make) => {
  let [storage, kept]: [FileStorage, Kind['kept']] = [] as never;
  beforeEach(async () => {
    ({ storage, kept } = await make());
  });

  it.each([
    ['nothing', 0],
    ['a byte', 1],
    ['a part of an upload', 8 * MIB],
    ['a byte more than two parts', 16 * MIB + 1],
  ])('OPS-40: gives back what was stored, whole or in part: %s', async (_what, size) => {
    const [id, content] = [randomUUID(), randomBytes(size)];
    expect(await storage.put(id, bodyOf(content))).toEqual({ size });
    expect((await buffer(await storage.open(id))).equals(content)).toBe(true);
    const ranges = [
      [0, 0],
      [3, 6],
      [size - 10, size - 1],
      [8 * MIB - 5, 8 * MIB + 5],
    ].filter(([start = 0, end = 0]) => start >= 0 && end < size);
    for (const [start = 0, end = 0] of ranges)
      expect(await buffer(await storage.open(id, { start, end }))).toEqual(content.subarray(start, end + 1));
    expect(await kept()).toEqual([id]);
  });

  it('OPS-40: knows what it has, and since when', async () => {
    const ids = [randomUUID(), randomUUID()].toSorted();
    for (const id of ids) await storage.put(id, bodyOf(Buffer.from('sound')));
    await storage.writeNote(randomUUID());
    const listed: { id: string; storedAt: Date }[] = [];
    for await (const each of storage.list()) listed.push(each);
    expect(listed.map(({ id }) => id).toSorted()).toEqual(ids);
    for (const { storedAt } of listed) expect(Math.abs(Date.now() - storedAt.getTime())).toBeLessThan(60_000);
    expect([await storage.exists(ids[0]!), await storage.exists(randomUUID())]).toEqual([true, false]);
  });

  it('OPS-40: removes, also what is not there', async () => {
    const [id, other] = [randomUUID(), randomUUID()];
    for (const each of [id, other]) await storage.put(each, bodyOf(randomBytes(9 * MIB)));
    await storage.remove(id);
    await storage.remove(id);
    expect(await kept()).toEqual([other]);
    expect(await storage.exists(id)).toBe(false);
    const gone = { code: 'not_found', message: 'The bytes of the file cannot be found in the storage of this server.' };
    await expect(storage.open(id)).rejects.toMatchObject(gone);
    await expect(storage.checkout(id)).rejects.toMatchObject(gone);
    await expect(storage.check(id, 9 * MIB)).rejects.toMatchObject(gone);
    expect(await kept()).toEqual([other]);
  });

  it.each([
    ['', 'whole: 0 of 4'],
    ['sou', 'whole: 3 of 4'],
    ['sound', 'those that came: 5 in place of 4'],
  ])('OPS-47: tells an object that has not as many bytes as it had: %j', async (left, what) => {
    const id = randomUUID();
    await storage.put(id, bodyOf(Buffer.from('soun')));
    await storage.check(id, 4);
    await storage.put(id, bodyOf(Buffer.from(left)));
    await expect(storage.check(id, 4)).rejects.toMatchObject({
      code: 'wrong_size',
      message: `The bytes of the file are not ${what} are in the storage of this server.`,
    });
  });

  it.each([0, 1000, 9 * MIB, 30 * MIB])('OPS-41: a body that fails after %s bytes leaves nothing', async (size) => {
    const failure = new Error('client went away');
    await expect(storage.put(randomUUID(), bodyOf(randomBytes(size), failure))).rejects.toBe(failure);
    expect(await kept()).toEqual([]);
  });

  it('OPS-41: a body that is given up leaves nothing', async () => {
    let came = 0;
    const body = new Readable({
      read() {
        came += 100_000;
        if (came > 20 * MIB) this.destroy();
        else this.push(Buffer.alloc(100_000));
      },
    });
    await expect(storage.put(randomUUID(), body)).rejects.toThrow('Premature close');
    expect(await kept()).toEqual([]);
  });

  it('OPS-41: a body that has failed before leaves nothing', async () => {
    const body = new Readable({ read() {} });
    const put = storage.put(randomUUID(), body);
    body.destroy(new Error('client went away'));
    await expect(put).rejects.toThrow('client went away');
    expect(await kept()).toEqual([]);
  });

  it('OPS-40: what is stored anew is the new, whole', async () => {
    const id = randomUUID();
    await storage.put(id, bodyOf(randomBytes(9 * MIB)));
    await storage.put(id, bodyOf(Buffer.from('anew')));
    expect(String(await buffer(await storage.open(id)))).toBe('anew');
    await expect(storage.put(id, bodyOf(Buffer.alloc(10), new Error('broke off')))).rejects.toThrow('broke off');
    expect(String(await buffer(await storage.open(id)))).toBe('anew');
  });

  it('OPS-40: lends a file to read, for its own user only, and takes back what was made for that', async () => {
    const [id, content] = [randomUUID(), randomBytes(9 * MIB)];
    await storage.put(id, bodyOf(content));
    const lent = [await storage.checkout(id), await storage.checkout(id)];
    for (const { path } of lent) {
      expect((await readFile(path)).equals(content)).toBe(true);
      expect((await stat(path)).mode & 0o077).toBe(0);
    }
    for (const { release } of lent) await release();
    expect(await kept()).toEqual([id]);
  });

  it('OPS-40: a reader that leaves early disturbs nobody', async () => {
    const [id, content] = [randomUUID(), randomBytes(9 * MIB)];
    await storage.put(id, bodyOf(content));
    for (let times = 0; times < 60; times += 1) {
      const stream = await storage.open(id);
      if (times % 2 === 0) for await (const _piece of stream) break;
      stream.destroy();
    }
    expect((await buffer(await storage.open(id))).equals(content)).toBe(true);
  });

  it('OPS-40: knows no names but ids', async () => {
    for (const name of ['../../etc/passwd', 'installation-id', `${randomUUID()}/x`, ''])
      await expect(storage.open(name)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('OPS-44: keeps the note that names it', async () => {
    expect(await storage.readNote()).toBeUndefined();
    const id = randomUUID();
    await storage.writeNote(id);
    expect(await storage.readNote()).toBe(id);
    await storage.removeNote();
    await storage.removeNote();
    expect(await storage.readNote()).toBeUndefined();
  });
});
