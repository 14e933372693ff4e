import fs from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLocalStorage } from '#server/platform/storage/local.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'parlance-storage-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('local storage', () => {
  it('stores a stream and gives back all of it or a part', async () => {
    const storage = await openLocalStorage({ directory });
    const id = randomUUID();
    expect(await storage.put(id, Readable.from([Buffer.from('hello '), Buffer.from('world')]))).toEqual({ size: 11 });
    expect(await storage.exists(id)).toBe(true);
    expect(String(await buffer(await storage.open(id)))).toBe('hello world');
    expect(String(await buffer(await storage.open(id, { start: 3, end: 6 })))).toBe('lo w');
    expect(await readdir(directory)).toEqual([id]);
    await storage.remove(id);
    await storage.remove(id);
    expect(await storage.exists(id)).toBe(false);
    await expect(storage.open(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(storage.checkout(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('leaves nothing behind when the body fails', async () => {
    const storage = await openLocalStorage({ directory });
    const id = randomUUID();
    const body = Readable.from(
      (async function* () {
        yield Buffer.alloc(100_000);
        throw new Error('client went away');
      })(),
    );
    await expect(storage.put(id, body)).rejects.toThrow('client went away');
    expect(await readdir(directory)).toEqual([]);
  });

  it('leaves nothing behind when the body fails before the file is even opened', async () => {
    let openNow: () => void = () => expect.fail('nothing was opened');
    const late = {
      ...fs,
      open: (...args: Parameters<typeof fs.open>) => {
        openNow = () => fs.open(...args);
      },
    };
    const storage = await openLocalStorage({
      directory,
      createWriter: (file) => fs.createWriteStream(file, { flags: 'wx', fs: late }),
    });
    const put = storage.put(
      randomUUID(),
      new Readable({
        read() {
          this.destroy(new Error('client went away'));
        },
      }),
    );
    // As long as the file is not open, the upload has not failed yet: it would come to be afterwards.
    const first = await Promise.race([
      put.catch(() => 'failed'),
      new Promise((resolve) => setImmediate(() => setImmediate(resolve, 'waiting'))),
    ]);
    openNow();
    await expect(put).rejects.toThrow('client went away');
    expect(first).toBe('waiting');
    expect(await readdir(directory)).toEqual([]);
  });

  it('calls a full disk by its name and keeps nothing of the file', async () => {
    let written = 0;
    const storage = await openLocalStorage({
      directory,
      createWriter: () =>
        new Writable({
          write(chunk: Buffer, _encoding, done) {
            written += chunk.length;
            done(
              written > 50_000
                ? Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
                : null,
            );
          },
        }),
    });
    await expect(
      storage.put(randomUUID(), Readable.from([Buffer.alloc(40_000), Buffer.alloc(40_000)])),
    ).rejects.toMatchObject({ code: 'storage_full' });
    expect(await readdir(directory)).toEqual([]);
  });

  it('sweeps what a crash left half written, and only that', async () => {
    const id = randomUUID();
    await writeFile(path.join(directory, `${randomUUID()}.part`), 'half');
    await writeFile(path.join(directory, id), 'whole');
    const storage = await openLocalStorage({ directory });
    expect(await readdir(directory)).toEqual([id]);
    expect(await storage.exists(id)).toBe(true);
  });

  it('knows no names but its own ids', async () => {
    const storage = await openLocalStorage({ directory });
    await expect(storage.open('../../etc/passwd')).rejects.toMatchObject({ code: 'not_found' });
  });
});
