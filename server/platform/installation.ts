import { sql } from 'kysely';
import type { Db } from './db/database.ts';
import { StartError } from './start-error.ts';
import type { FileStorage } from './storage/port.ts';

/** Recordings that are looked up in the database: it knows all of its own but a few leftovers. */
const SAMPLE = 1000;

/**
 * Holds a database and the storage of its recordings to each other: with another database they would be taken for leftovers, and
 * removed; with another storage it would have none of them. The first start gives both the same id, the storage as a note beside the
 * recordings; of several first starts at once all but one wait for it.
 * @param options.isShared whether other servers may use the database: then the storage is the one that it was given first
 * @throws StartError when the storage belongs to another database, or the recordings are in another storage
 */
export async function claimStorage(
  db: Db,
  storage: Pick<FileStorage, 'place' | 'readNote' | 'writeNote' | 'list'>,
  { isShared, database }: { isShared: boolean; database: string },
): Promise<void> {
  await db
    .insertInto('installation')
    .defaultValues()
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db.transaction().execute(async (trx) => {
    const known = await trx
      .selectFrom('installation')
      .select(['id', 'storage_id'])
      .forUpdate()
      .executeTakeFirstOrThrow();
    // Servers of the release before hold a directory to the id of the database.
    const id = known.storage_id ?? known.id;
    await holdTo(trx, id, known.storage_id !== null);
    if (known.storage_id === null) await trx.updateTable('installation').set({ storage_id: id }).execute();
  });

  async function holdTo(trx: Db, id: string, isClaimed: boolean): Promise<void> {
    const { name, elsewhere, thatHasThem, note } = storage.place;
    const strange = new StartError(
      `The recordings in ${name} belong to another database. ${database}, or set ${elsewhere}.`,
    );
    const noted = await storage.readNote();
    if (noted === id) return;
    if (noted !== undefined) throw strange;
    // Without a note it is of a time before that, or new.
    const stored = await someOf(storage);
    if (stored.length > 0 && !(await knowsAny(trx, stored))) throw strange;
    if (stored.length === 0 && isShared && (isClaimed || (await hasFiles(trx))))
      throw new StartError(
        `The recordings that the database knows are not in ${name}. Set ${thatHasThem}; or, where they are lost, write ${id} into ${note}.`,
      );
    await storage.writeNote(id);
    // Of two databases at once, one has won.
    if ((await storage.readNote()) !== id) throw strange;
  }
}

async function someOf(storage: Pick<FileStorage, 'list'>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of storage.list()) if (ids.push(id) === SAMPLE) break;
  return ids;
}

const hasFiles = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('files').select('id').limit(1).executeTakeFirst()) !== undefined;

/** Recordings are stored under the id of their file, or of the transcription that they were fetched for. */
async function knowsAny(db: Db, ids: readonly string[]): Promise<boolean> {
  for (const table of ['files', 'transcriptions'] as const) {
    const isKnown = sql<boolean>`id = any(${ids}::uuid[])`;
    if ((await db.selectFrom(table).select('id').where(isKnown).limit(1).executeTakeFirst()) !== undefined) return true;
  }
  return false;
}
