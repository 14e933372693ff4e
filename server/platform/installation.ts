import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { INSTALLATION_FILE, RECORDINGS_FOLDER } from './data-dir.ts';
import type { Db } from './db/database.ts';
import { StartError } from './start-error.ts';

/** Recordings that are looked up in the database: it knows all of its own but a few leftovers. */
const SAMPLE = 1000;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Holds a data directory to the database that knows its recordings: with another one they would be taken for leftovers, and removed.
 * The first start writes the database's id beside them. Servers that share a database share its recordings, too: another directory
 * would have none of them.
 * @throws StartError when the directory belongs to another database, or the recordings are in another directory
 */
export async function claimDataDir(
  db: Db,
  { dataDir, databaseUrl }: { dataDir: string; databaseUrl: string | undefined },
): Promise<void> {
  const file = join(dataDir, INSTALLATION_FILE);
  const id = await identify(db);
  const kept = await readKept(file);
  if (kept === id) return;
  // Where nothing is kept, the directory is of a time before that, or new.
  const stored = kept === undefined ? await recordingsIn(dataDir) : [];
  if (kept !== undefined || (stored.length > 0 && !(await knowsAny(db, stored)))) {
    throw new StartError(
      `The recordings in ${dataDir} belong to another database. ${databaseUrl === undefined ? 'Put the folder database back that was beside them' : 'Set DATABASE_URL to that one'}, or set DATA_DIR to another directory.`,
    );
  }
  if (stored.length === 0 && databaseUrl !== undefined && (await hasFiles(db))) {
    throw new StartError(
      `The recordings that the database knows are not in ${dataDir}. Set DATA_DIR to the directory that has them; or, where they are lost, write ${id} into ${file}.`,
    );
  }
  await writeFile(file, `${id}\n`, { mode: 0o600, flush: true });
}

async function identify(db: Db): Promise<string> {
  await db
    .insertInto('installation')
    .defaultValues()
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await db.selectFrom('installation').select('id').executeTakeFirstOrThrow()).id;
}

/** What a full disk left empty counts as missing. */
async function readKept(file: string): Promise<string | undefined> {
  return existsSync(file) ? (await readFile(file, 'utf8')).trim() || undefined : undefined;
}

async function recordingsIn(dataDir: string): Promise<string[]> {
  const folder = join(dataDir, RECORDINGS_FOLDER);
  return existsSync(folder) ? (await readdir(folder)).filter((name) => ID.test(name)).slice(0, SAMPLE) : [];
}

const hasFiles = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('files').select('id').limit(1).executeTakeFirst()) !== undefined;

/** Recordings are stored under the id of their file, or of the transcription that they were fetched for. */
async function knowsAny(db: Db, ids: readonly string[]): Promise<boolean> {
  const isKnown = sql<boolean>`id = any(${ids}::uuid[])`;
  const [file, transcription] = await Promise.all(
    (['files', 'transcriptions'] as const).map((table) =>
      db.selectFrom(table).select('id').where(isKnown).limit(1).executeTakeFirst(),
    ),
  );
  return file !== undefined || transcription !== undefined;
}
