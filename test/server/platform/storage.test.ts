/** What only a storage in a directory does; what every storage does is in test/s3/driver.test.ts. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { projectRoot } from '#server/platform/paths.ts';
import { openLocalStorage } from '#server/platform/storage/local.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'parlance-storage-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A process that has written half a file, and writes the rest once it is told something. */
const holdPart = () =>
  spawn(process.execPath, ['--import', 'tsx', path.join(projectRoot, 'test/faults/hold-part.ts'), directory], {
    cwd: projectRoot,
    stdio: ['pipe', 'pipe', 'inherit'],
  });

describe('local storage', () => {
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

  it('OPS-48: a disk that fails is told, not taken for a missing file', async () => {
    const storage = await openLocalStorage({ directory });
    const id = randomUUID();
    await symlink(id, path.join(directory, id));
    const failure = { code: 'ELOOP' };
    await expect(storage.exists(id)).rejects.toMatchObject(failure);
    await expect(storage.list()[Symbol.asyncIterator]().next()).rejects.toMatchObject(failure);
    await expect(storage.open(id)).rejects.toMatchObject(failure);
    await expect(storage.check(id, 4)).rejects.toMatchObject(failure);
    expect(await storage.exists(randomUUID())).toBe(false);
  });

  it('OPS-47: a directory that is away is told as such, and a body that breaks as itself', async () => {
    const storage = await openLocalStorage({ directory });
    const broken = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
    const body = Readable.from(
      (async function* pieces() {
        yield Buffer.alloc(10);
        throw broken;
      })(),
    );
    await expect(storage.put(randomUUID(), body)).rejects.toBe(broken);
    await rm(directory, { recursive: true });
    const [id, away, lost] = [randomUUID(), { code: 'unavailable' }, { code: 'not_found' }];
    await expect(storage.put(id, Readable.from([Buffer.alloc(10)]))).rejects.toMatchObject(away);
    // A file in its place is none either.
    await writeFile(directory, 'file');
    await expect(storage.put(id, Readable.from([Buffer.alloc(10)]))).rejects.toMatchObject(away);
    await expect(storage.remove(id)).rejects.toMatchObject(away);
    await expect(storage.check(id, 4)).rejects.toMatchObject(lost);
    await expect(storage.open(id)).rejects.toMatchObject(lost);
    await expect(storage.checkout(id)).rejects.toMatchObject(lost);
    expect(await storage.exists(id)).toBe(false);
  });

  it('OPS-47: a directory in the place of a file is no file', async () => {
    const storage = await openLocalStorage({ directory });
    const id = randomUUID();
    await mkdir(path.join(directory, id));
    const { size } = await stat(path.join(directory, id));
    await expect(storage.check(id, size)).rejects.toMatchObject({ code: 'not_found' });
    // Nor is it in the way of others that are removed.
    await storage.remove(id);
    expect((await storage.list()[Symbol.asyncIterator]().next()).done).toBe(true);
  });

  it('OPS-43: sweeps what a crash left half written, and only that', async () => {
    const id = randomUUID();
    await writeFile(path.join(directory, `${randomUUID()}.part`), 'half');
    await writeFile(path.join(directory, id), 'whole');
    const storage = await openLocalStorage({ directory });
    expect(await readdir(directory)).toEqual([id]);
    expect(await storage.exists(id)).toBe(true);
  });

  it('OPS-43: in a shared directory what others have begun is left alone, however long nothing comes, until they are gone', async () => {
    const child = holdPart();
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const id = String((await lines.next()).value);
    const age = async (): Promise<void> => {
      const longAgo = new Date(Date.now() - 48 * 3_600_000);
      for (const name of await readdir(directory)) await utimes(path.join(directory, name), longAgo, longAgo);
    };
    await age();
    const storage = await openLocalStorage({ directory, isShared: true });
    expect(await storage.sweep()).toBe(0);
    child.stdin.write('go on');
    expect((await lines.next()).value).toBe('stored');
    expect(String(await buffer(await storage.open(id)))).toBe('first half, second half');

    const other = new Readable({ read() {} });
    other.push('x');
    const put = storage.put(randomUUID(), other);
    await vi.waitFor(async () => expect(await readdir(directory)).toHaveLength(2));
    await age();
    expect(await storage.sweep()).toBe(0);
    other.push(null);
    await put;
  });

  it('OPS-43: what a process that was killed has begun goes within an hour, at a start or between', async () => {
    const begin = async (): Promise<void> => {
      const child = holdPart();
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'exit');
    };
    await begin();
    const storage = await openLocalStorage({ directory, isShared: true });
    expect([await storage.sweep(), await readdir(directory)]).toEqual([0, [expect.stringMatching(/\.part$/)]]);
    const before = new Date(Date.now() - 3_700_000);
    for (const name of await readdir(directory)) await utimes(path.join(directory, name), before, before);
    expect([await storage.sweep(), await readdir(directory)]).toEqual([1, []]);
  });
});
