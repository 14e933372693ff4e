import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StorageError, type FileStorage } from './port.ts';

const PART = '.part';
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Out of space, over quota, or past the size that the file system can hold. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

const missing = (error: unknown): never => {
  if (codeOf(error) === 'ENOENT')
    throw new StorageError('not_found', 'The file is no longer stored.', { cause: error });
  throw error;
};

/** Makes what was written, or renamed inside a directory, survive a power cut. */
const sync = async (target: string): Promise<void> => {
  const handle = await open(target, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** An upload writes more often than this, milliseconds. */
const QUIET_MS = 3_600_000;
const isFresh = (file: string): Promise<boolean> =>
  stat(file).then(
    ({ mtimeMs }) => Date.now() - mtimeMs < QUIET_MS,
    () => true,
  );

export interface LocalStorageOptions {
  directory: string;
  isShared?: boolean;
  /** Opens the file that is being written. */
  createWriter?: (file: string) => Writable;
}

/**
 * Keeps every object as one file in a directory. A file under way is called `ID.part`; those that a crash left behind
 * are removed here, so call this once at start, before any upload.
 * @param options.isShared other servers may be writing there: only what none of them has touched for an hour is removed
 */
export async function openLocalStorage({
  directory,
  isShared = false,
  createWriter = (file) => createWriteStream(file, { flags: 'wx', mode: 0o600, highWaterMark: 1 << 20 }),
}: LocalStorageOptions): Promise<FileStorage> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const name of await readdir(directory)) {
    const part = path.join(directory, name);
    if (name.endsWith(PART) && !(isShared && (await isFresh(part)))) await rm(part, { force: true });
  }

  const at = (id: string): string => {
    if (!ID.test(id)) throw new StorageError('not_found', 'The file is no longer stored.');
    return path.join(directory, id);
  };

  return {
    async put(id, body) {
      const file = at(id);
      const part = file + PART;
      let size = 0;
      const count = new Transform({
        highWaterMark: 1 << 20,
        transform(chunk: Uint8Array, _encoding, done) {
          size += chunk.byteLength;
          done(null, chunk);
        },
      });
      const writer = createWriter(part);
      const closed = new Promise((resolve) => {
        writer.once('close', resolve);
      });
      try {
        await pipeline(body, count, writer);
        await sync(part);
        await rename(part, file);
        await sync(directory);
        return { size };
      } catch (error) {
        // A writer that is given up may not even have made its file yet.
        writer.destroy();
        await closed;
        await rm(part, { force: true });
        if (FULL.has(String(codeOf(error))))
          throw new StorageError('storage_full', 'The server has no space left to store this file.', { cause: error });
        throw error;
      }
    },
    async open(id, range) {
      const handle = await open(at(id), 'r').catch(missing);
      return createReadStream('', {
        fd: handle,
        highWaterMark: 1 << 18,
        ...(range && { start: range.start, end: range.end }),
      });
    },
    exists: (id) =>
      access(at(id)).then(
        () => true,
        () => false,
      ),
    remove: (id) => rm(at(id), { force: true }),
    async *list() {
      for (const id of await readdir(directory)) {
        if (!ID.test(id)) continue;
        const found = await stat(path.join(directory, id)).catch(() => undefined);
        if (found) yield { id, storedAt: found.mtime };
      }
    },
    async checkout(id) {
      const file = at(id);
      await access(file).catch(missing);
      return { path: file, release: async () => {} };
    },
  };
}
