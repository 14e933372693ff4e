import { createReadStream } from 'node:fs';
import { access, mkdir, open, readdir, readFile, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { INSTALLATION_FILE, PLACE_FILE } from '../data-dir.ts';
import { openPart, sweepParts } from './parts.ts';
import { checkSize, notStored, noSpaceLeft, STORED_ID, StorageError, type FileStorage, type Note } from './port.ts';

/** Out of space, over quota, or past the size that the file system can hold. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** Errors of a disk that fails or is missing, and may be back in a moment. The operator must fix all other errors. */
const AWAY = new Set([
  'ENOENT',
  'ENOTDIR',
  'EIO',
  'ESTALE',
  'ENODEV',
  'ENXIO',
  'EHOSTDOWN',
  'EMFILE',
  'ENFILE',
  'EBUSY',
]);

const failing = (error: unknown): unknown => {
  const code = String(codeOf(error));
  if (FULL.has(code)) return noSpaceLeft({ cause: error });
  if (!AWAY.has(code)) return error;
  return new StorageError('unavailable', 'The storage of recordings does not answer just now.', { cause: error });
};

/** Whether an error means that there is no such file. */
const isGone = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(String(codeOf(error)));

const missing = (error: unknown): never => {
  throw isGone(error) ? notStored({ cause: error }) : failing(error);
};

/** Returns undefined if there is no such file; rejects if the disk fails. */
const unlessMissing = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: unknown) => {
    if (isGone(error)) return undefined;
    throw error;
  });

/** Syncs a directory, so that a rename in it survives a power cut. */
const sync = async (directory: string): Promise<void> => {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

export interface LocalStorageOptions {
  directory: string;
  /** Path of its note; by default in the directory itself. */
  note?: string;
  /** Whether other servers may write there at the same time. */
  isShared?: boolean;
  /** Makes the stream that writes to an open file. */
  createWriter?: (file: FileHandle) => Writable;
}

/**
 * Stores each object as a file in a directory. An unfinished file is called `ID.….part` (see `parts.ts`). Removes those
 * that a crash has left, so call it once at start, before any upload.
 */
export async function openLocalStorage({
  directory,
  note = path.join(directory, INSTALLATION_FILE),
  isShared = false,
  createWriter,
}: LocalStorageOptions): Promise<FileStorage> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await sweepParts(directory, { isAlone: !isShared });

  const notes: Record<Note, string> = { owner: note, mark: path.join(path.dirname(note), PLACE_FILE) };

  const at = (id: string): string => {
    if (!STORED_ID.test(id)) throw notStored();
    return path.join(directory, id);
  };

  return {
    place: {
      isLocal: true,
      name: path.dirname(note),
      elsewhere: 'DATA_DIR to another directory',
      thatHasThem: 'DATA_DIR to the directory that has them',
      note,
    },
    async put(id, body) {
      // The pipeline reports errors; this listener is for the time before it reads.
      body.on('error', () => {});
      const file = at(id);
      let size = 0;
      const count = new Transform({
        highWaterMark: 1 << 20,
        transform(chunk: Uint8Array, _encoding, done) {
          size += chunk.byteLength;
          done(null, chunk);
        },
      });
      const part = await openPart(directory, id, createWriter).catch((error: unknown) => {
        throw failing(error);
      });
      try {
        await pipeline(body, count, part.writer);
        await part.handle.sync();
        await rename(part.path, file);
        await sync(directory);
        await part.drop();
        return { size };
      } catch (error) {
        // Report the first error only.
        await part.drop().catch(() => {});
        throw failing(error);
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
    exists: async (id) => (await unlessMissing(stat(at(id)))) !== undefined,
    async check(id, size) {
      const found = await stat(at(id)).catch(missing);
      checkSize(found.isFile() ? found.size : undefined, size);
    },
    remove: (id) =>
      rm(at(id), { force: true }).catch((error: unknown) => {
        // Leave a directory that somebody has put in the file's place.
        if (codeOf(error) !== 'ERR_FS_EISDIR') throw failing(error);
      }),
    async *list() {
      for (const id of await readdir(directory)) {
        if (!STORED_ID.test(id)) continue;
        const found = await unlessMissing(stat(path.join(directory, id)));
        if (found?.isFile()) yield { id, storedAt: found.mtime };
      }
    },
    async checkout(id) {
      const file = at(id);
      await access(file).catch(missing);
      return { path: file, release: async () => {} };
    },
    sweep: () => sweepParts(directory, { isAlone: false }),
    // An empty note, which a full disk may leave, counts as missing.
    readNote: async (which = 'owner') => (await unlessMissing(readFile(notes[which], 'utf8')))?.trim() || undefined,
    writeNote: (id, which = 'owner') => writeFile(notes[which], `${id}\n`, { mode: 0o600, flush: true }),
    removeNote: () => rm(notes.owner, { force: true }),
  };
}
