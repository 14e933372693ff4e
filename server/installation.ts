import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from './db/open.ts';
import { hasRecordings, INSTALLATION_FILE } from './data-dir.ts';
import { StartError } from './start-error.ts';

/**
 * Holds a data directory to the database that knows its recordings: with another one they would be taken for leftovers, and removed.
 * The first start writes the database's id beside them; servers that share a database may each have a directory.
 * @throws StartError when the directory belongs to another database
 */
export async function claimDataDir(db: Db, { dataDir, databaseUrl }: { dataDir: string; databaseUrl: string | undefined }): Promise<void> {
  const file = join(dataDir, INSTALLATION_FILE);
  const { id, isNew } = await identify(db);
  const kept = await readKept(file);
  // Where nothing is kept, the directory is of a time before that, or new.
  const isStrange = kept === undefined ? isNew && databaseUrl !== undefined && hasRecordings(dataDir) : kept !== id;
  if (isStrange) throw new StartError(`The recordings in ${dataDir} belong to another database. ${databaseUrl === undefined ? 'Put the folder database back that was beside them' : 'Set DATABASE_URL to that one'}, or set DATA_DIR to another directory.`);
  if (kept === undefined) await writeFile(file, `${id}\n`, { mode: 0o600, flush: true });
}

/** `isNew`: nobody has used the database yet. */
async function identify(db: Db): Promise<{ id: string; isNew: boolean }> {
  await db.insertInto('installation').defaultValues().onConflict((conflict) => conflict.doNothing()).execute();
  const { id } = await db.selectFrom('installation').select('id').executeTakeFirstOrThrow();
  return { id, isNew: await db.selectFrom('users').select('id').limit(1).executeTakeFirst() === undefined };
}

/** What a full disk left empty counts as missing. */
async function readKept(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim() || undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
