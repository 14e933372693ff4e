/** Copies the folder of the embedded database while it is running. */
import { constants, type Stats } from 'node:fs';
import { copyFile, mkdir, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import type { Db } from './database.ts';

/** The largest number of files copied at the same time. */
const AT_ONCE = 16;
/** Coarsest precision of modification times on file systems, milliseconds. */
const GRAIN_MS = 2000;
/** Space that the copy must leave free for the database, bytes. */
const SPARE_BYTES = 256 << 20;

/** @returns the files below a folder by their relative path, without those that disappear meanwhile */
async function filesIn(folder: string): Promise<Map<string, Stats>> {
  const found = new Map<string, Stats>();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  await eachOf(entries, async (entry) => {
    if (!entry.isFile()) return;
    const path = join(entry.parentPath, entry.name);
    const stats = await unlessGone(stat(path));
    if (stats) found.set(path.slice(folder.length + 1), stats);
  });
  return found;
}

/**
 * Makes a consistent copy of a running database. Copies all files while queries go on, then copies the changed files
 * once more while all queries wait.
 * @param db the database, running in `from`
 * @param to a folder that does not exist
 * @throws the system's error, such as ENOSPC if the copy would leave the database too little space
 */
export async function copyRunning(db: Db, from: string, to: string): Promise<void> {
  const probe = join(from, 'copy-probe');
  await writeFile(probe, '', { mode: 0o600 });
  const since = (await stat(probe)).mtimeMs - GRAIN_MS;
  await rm(probe);
  await requireRoom(from, dirname(to));
  await mkdir(to, { mode: 0o700 });
  await copyChanged(from, to, since);
  await db.connection().execute(async (held) => {
    // After the checkpoint the files have all data, and nothing changes them while this connection is held.
    await sql`checkpoint`.execute(held);
    await copyChanged(from, to, since);
  });
}

/**
 * Copies files that are missing in `to` or may have changed since `since`; removes files that are no longer in `from`.
 */
async function copyChanged(from: string, to: string, since: number): Promise<void> {
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory())
      await mkdir(join(to, entry.parentPath.slice(from.length), entry.name), { recursive: true, mode: 0o700 });
  const [wanted, copied] = await Promise.all([filesIn(from), filesIn(to)]);
  await eachOf([...copied.keys()], async (path) => {
    if (!wanted.has(path)) await rm(join(to, path), { force: true });
  });
  await eachOf([...wanted], async ([path, { mtimeMs }]) => {
    if (copied.has(path) && mtimeMs < since) return;
    await unlessGone(copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE));
  });
}

async function requireRoom(from: string, disk: string): Promise<void> {
  let bytes = 0;
  for (const { size } of (await filesIn(from)).values()) bytes += size;
  const { bavail, bsize } = await statfs(disk);
  if (bavail * bsize < bytes + SPARE_BYTES)
    throw Object.assign(new Error('no room for a copy of the database'), { code: 'ENOSPC', path: disk });
}

async function eachOf<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of waiting) await act(item);
    }),
  );
}

async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
