/**
 * Files that are being written, in a folder that several processes may share. Each is locked by the process that writes it: the
 * kernel ends the lock with the process, however that ends, so that what it left can be told from what is under way.
 */
import { randomUUID } from 'node:crypto';
import { open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { fileLock } from '../db/lock.ts';

const SUFFIX = '.part';
/** What no process has touched for so long is nobody's, also where files have no locks. Milliseconds. */
const QUIET_MS = 3_600_000;

export interface Part {
  path: string;
  handle: FileHandle;
  writer: Writable;
  /** Closes it, and removes it where it still has its own name. */
  drop(): Promise<void>;
}

const writerTo = (handle: FileHandle): Writable =>
  handle.createWriteStream({ autoClose: false, highWaterMark: 1 << 20 });

/** Begins a file, for this user only. */
export async function openPart(folder: string, id: string, createWriter = writerTo): Promise<Part> {
  const path = join(folder, `${id}.${randomUUID()}${SUFFIX}`);
  const handle = await open(path, 'wx+', 0o600);
  // Without locks its age protects it.
  fileLock.tryLock(handle.fd);
  const writer = createWriter(handle);
  return {
    path,
    handle,
    writer,
    async drop() {
      await rm(path, { force: true });
      // The file is not closed as long as its writer holds it.
      writer.destroy();
      await handle.close();
    },
  };
}

/**
 * Removes what processes have left that are gone.
 * @param isAlone nobody else uses the folder, and nothing is under way: how long ago it was touched says nothing then
 * @returns how many
 */
export async function sweepParts(folder: string, { isAlone }: { isAlone: boolean }): Promise<number> {
  let removed = 0;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (name.endsWith(SUFFIX) && (isAlone || (await isLeft(path)))) {
      await rm(path, { force: true });
      removed += 1;
    }
  }
  return removed;
}

/** Young ones are left alone without a look: they may not be locked yet. */
async function isLeft(path: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs < QUIET_MS) return false;
    const handle = await open(path, 'r+');
    try {
      return fileLock.tryLock(handle.fd) !== 'held';
    } finally {
      await handle.close();
    }
  } catch (error) {
    // It was finished, or removed, in this moment.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
