/** Copies the folder of the embedded database while it is at work. */
import { constants, type Stats } from 'node:fs';
import { copyFile, mkdir, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Files that are copied at the same time. */
const AT_ONCE = 16;
/** File systems tell the time of a change no finer than this, milliseconds. */
const GRAIN_MS = 2000;
/** What the copy must leave free, bytes: the database would stop without it. */
const SPARE_BYTES = 256 << 20;

/** @returns the files below a folder by their path in it; what goes away meanwhile is left out */
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
 * Makes a copy that opens like the database of one moment. All queries wait while what has changed since it began is copied once more,
 * and for no longer.
 * @param db the database, at work in `from`
 * @param to a folder that does not exist
 * @throws the system's error, such as ENOSPC where the copy would leave the database too little room
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
    // From here on all that the database knows is in its files, and nobody changes them.
    await sql`checkpoint`.execute(held);
    await copyChanged(from, to, since);
  });
}

/** Copies what is not there yet, or may have changed since; and removes what is no longer in the original. */
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
