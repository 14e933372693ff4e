import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { sql } from 'kysely';
import type { Db } from './db/database.ts';
import type { Log } from './log.ts';
import { answerOthers, askOthers, type Answer, type Messages } from './same-place.ts';
import { StartError } from './start-error.ts';
import type { FileStorage } from './storage/port.ts';

/** How many recordings to look up in the database. It knows all of its own, except a few leftovers. */
const SAMPLE = 1000;
/** A process seen within this time may be running, milliseconds. */
const SEEN_MS = 30_000;
/**
 * Whether a time is recent by the database's clock. Ignores times in the future, written before the clock was set back.
 */
const isLately = (column: string) =>
  sql<boolean>`${sql.ref(column)} between clock_timestamp() - ${sql.lit(SEEN_MS)} * interval '1 millisecond'
    and clock_timestamp() + ${sql.lit(SEEN_MS)} * interval '1 millisecond'`;

type Storage = Pick<FileStorage, 'place' | 'readNote' | 'writeNote' | 'list' | 'put' | 'exists' | 'remove'>;

interface Claiming {
  /** Whether the settings choose storage and database separately. Then the database stays with its first storage. */
  isShared: boolean;
  /** Whether several servers may use the database. Then all must use the same storage, not a copy of it. */
  hasOthers: boolean;
  /** For the error message: how to use the storage's own database. */
  database: string;
  log: Log;
}

/** The answer of the running servers, and the mark of their storage at that time. */
interface MarkedAnswer {
  mark: string;
  answer: Answer;
}

/**
 * Makes sure that a database and the storage of recordings belong together. With another database, the recordings would
 * be removed as leftovers; with another storage, all recordings would be missing. The first start gives both the same
 * id; the storage has it in a note. Several first starts at once wait for each other. A copy of the storage has the
 * same note. So a starting server asks the running ones whether they use the same storage. If none answers (older
 * releases never do), it compares the storage's mark, which each server renews that starts while no other one runs.
 * From then on this server answers others.
 * @throws StartError if the storage belongs to another database, or the recordings are in another storage
 */
export async function claimStorage(messages: Messages, storage: Storage, claiming: Claiming): Promise<void> {
  const { db } = messages;
  await db
    .insertInto('installation')
    .defaultValues()
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  let begin = (): void => {};
  const hasBegun = new Promise<void>((resolve) => (begin = resolve));
  // Listen before others can see that this server has begun.
  if (claiming.hasOthers) await answerOthers(messages, storage, { hasBegun, log: claiming.log });
  let answered: MarkedAnswer | undefined;
  for (;;) {
    const { mark } = await claimOnce(db, storage, claiming, answered);
    if (mark === undefined) break;
    // Ask outside the transaction: a NOTIFY inside is only sent at its end.
    answered = { mark, answer: await askOthers(messages, storage) };
  }
  begin();
}

/** @returns the mark of the storage in use, if the running servers have to be asked first */
const claimOnce = (
  db: Db,
  storage: Storage,
  claiming: Claiming,
  answered: MarkedAnswer | undefined,
): Promise<{ mark?: string }> =>
  db.transaction().execute(async (trx) => {
    const known = await trx
      .selectFrom('installation')
      .select(['id', 'storage_id'])
      .forUpdate()
      .executeTakeFirstOrThrow();
    // Servers of older releases write the database's id into a directory.
    const id = known.storage_id ?? known.id;
    const place = claiming.hasOthers ? await placeOf(trx, storage, answered) : undefined;
    if (place?.isInUse === true && place.answer === undefined && (await storage.readNote()) === id)
      return { mark: place.mark };
    await holdTo(trx, storage, { ...claiming, id, isClaimed: known.storage_id !== null, place });
    if (known.storage_id === null) await trx.updateTable('installation').set({ storage_id: id }).execute();
    if (claiming.hasOthers && !(place?.isInUse === true && place.isMarked)) await takePlace(trx, storage);
    return {};
  });

/** Whether servers may be running on a database. */
export async function areAtWork(db: Db): Promise<boolean> {
  const seen = await db.selectFrom('processes').select('id').where(isLately('seen_at')).limit(1).executeTakeFirst();
  return seen !== undefined;
}

/** The storage that the database's servers use. */
interface Place {
  mark: string;
  name: string;
  /** Whether a server is running, or started recently and may still be running. */
  isInUse: boolean;
  /** Whether this server's storage has the same mark. */
  isMarked: boolean;
  /** Undefined while the running servers have not been asked. */
  answer: Answer | undefined;
}

async function placeOf(trx: Db, storage: Storage, answered: MarkedAnswer | undefined): Promise<Place | undefined> {
  const place = await trx
    .selectFrom('storage_place')
    .select(['mark', 'name', isLately('taken_at').as('isNew')])
    .executeTakeFirst();
  if (place === undefined) return undefined;
  const { mark, name, isNew } = place;
  // The answer is about an older mark if others have changed the storage since.
  const answer = answered?.mark === mark ? answered.answer : undefined;
  return {
    mark,
    name,
    isInUse: (answer === undefined ? isNew : answer !== 'unknown') || (await areAtWork(trx)),
    isMarked: (await storage.readNote('mark')) === mark,
    answer,
  };
}

async function holdTo(
  trx: Db,
  storage: Storage,
  { id, isClaimed, isShared, database, place }: Claiming & { id: string; isClaimed: boolean; place: Place | undefined },
): Promise<void> {
  const { name, elsewhere, note } = storage.place;
  const strange = new StartError(
    `The recordings in ${name} belong to another database. ${database}, or set ${elsewhere}.`,
  );
  const noted = await storage.readNote();
  if (noted !== undefined && noted !== id) throw strange;
  if (place?.isInUse === true && !isSame(place)) throw inUse(storage, place);
  if (noted === id) return;
  // Without a note the storage is new, or of a release without notes.
  const stored = await someOf(storage);
  if (stored.length > 0 && !(await knowsAny(trx, stored))) throw strange;
  if (stored.length === 0 && isShared && (isClaimed || (await hasFiles(trx))))
    throw new StartError(
      `The recordings of this database are in ${place?.name ?? 'another place'}, and not in ${nameOf(storage)}. ${remedy(storage)}. Where they are lost, or there were none, write ${id} into ${note}.`,
    );
  await storage.writeNote(id);
  // If two databases claim the storage at once, the second one to write loses.
  if ((await storage.readNote()) !== id) throw strange;
}

/** Whether the storage in use is this server's: by the running servers' answer, else by the mark. */
const isSame = ({ answer, isMarked }: Place): boolean => answer === 'here' || (answer !== 'elsewhere' && isMarked);

/**
 * Writes a new mark into the storage, so that it differs from all copies made before. One server at a time does this.
 */
async function takePlace(trx: Db, storage: Storage): Promise<void> {
  const mark = randomUUID();
  await storage.writeNote(mark, 'mark');
  const row = { mark, name: nameOf(storage), taken_at: sql<Date>`clock_timestamp()` };
  await trx
    .insertInto('storage_place')
    .values(row)
    .onConflict((conflict) => conflict.column('single').doUpdateSet(row))
    .execute();
}

const inUse = (storage: Storage, { name }: Place): StartError =>
  new StartError(
    `Another server is at work on this database with its recordings in ${name}, and ${nameOf(storage)} is another place, or a copy of it. ${remedy(storage)}. Where that server has just ended, wait for half a minute.`,
  );

/** Name for messages; of a local path with its machine, because others may have the same path. */
const nameOf = ({ place: { name, isLocal } }: Storage): string => (isLocal ? `${name} of ${hostname()}` : name);

const remedy = ({ place: { thatHasThem, isLocal } }: Storage): string =>
  `Servers of one database have one place for recordings: set ${thatHasThem}, ${isLocal ? 'or set the same S3_BUCKET for all of them, ' : ''}or set DATABASE_URL to another database`;

async function someOf(storage: Storage): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of storage.list()) if (ids.push(id) === SAMPLE) break;
  return ids;
}

const hasFiles = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('files').select('id').limit(1).executeTakeFirst()) !== undefined;

/** Whether any id is known: recordings have the id of their file, or of the transcription they were fetched for. */
async function knowsAny(db: Db, ids: readonly string[]): Promise<boolean> {
  for (const table of ['files', 'transcriptions'] as const) {
    const isKnown = sql<boolean>`id = any(${ids}::uuid[])`;
    if ((await db.selectFrom(table).select('id').where(isKnown).limit(1).executeTakeFirst()) !== undefined) return true;
  }
  return false;
}
