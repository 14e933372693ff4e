/**
 * Unfinished files in a folder that several processes may share. The writing process locks its file. The kernel
 * releases the lock when the process ends, so an abandoned file can be told from one that is being written.
 */
import { randomUUID } from 'node:crypto';
import { open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { fileLock } from '../db/lock.ts';

const SUFFIX = '.part';
/** A file that was not changed for so long is abandoned, even on a file system without locks. Milliseconds. */
const QUIET_MS = 3_600_000;

export interface Part {
  path: string;
  handle: FileHandle;
  writer: Writable;
  /** Closes the file, and removes it unless it was renamed. */
  drop(): Promise<void>;
}

const writerTo = (handle: FileHandle): Writable =>
  handle.createWriteStream({ autoClose: false, highWaterMark: 1 << 20 });

/** Creates and locks a file that only this user can read. */
export async function openPart(folder: string, id: string, createWriter = writerTo): Promise<Part> {
  const path = join(folder, `${id}.${randomUUID()}${SUFFIX}`);
  const handle = await open(path, 'wx+', 0o600);
  // If locks do not work here, its recent change protects it.
  fileLock.tryLock(handle.fd);
  const writer = createWriter(handle);
  return {
    path,
    handle,
    writer,
    async drop() {
      await rm(path, { force: true });
      // The handle cannot close while the writer uses it.
      writer.destroy();
      await handle.close();
    },
  };
}

/**
 * Removes files that dead processes have left.
 * @param isAlone whether no other process uses the folder, and none is being written: then all files are abandoned
 * @returns how many were removed
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

/** Whether a file is abandoned. Never a recently changed one, because it may not be locked yet. */
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
    // It was renamed or removed meanwhile.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
