import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { sql } from 'kysely';
import type { Db } from './db/database.ts';
import type { Log } from './log.ts';
import { answerOthers, askOthers, type Answer, type Messages } from './same-place.ts';
import { StartError } from './start-error.ts';
import type { FileStorage } from './storage/port.ts';

/** Recordings that are looked up in the database: it knows all of its own but a few leftovers. */
const SAMPLE = 1000;
/** A process that was seen in this time may be at work, milliseconds. */
const SEEN_MS = 30_000;
/** By the database's clock; what that wrote before it was set back does not count. */
const isLately = (column: string) =>
  sql<boolean>`${sql.ref(column)} between clock_timestamp() - ${sql.lit(SEEN_MS)} * interval '1 millisecond'
    and clock_timestamp() + ${sql.lit(SEEN_MS)} * interval '1 millisecond'`;

type Storage = Pick<FileStorage, 'place' | 'readNote' | 'writeNote' | 'list' | 'put' | 'exists' | 'remove'>;

interface Claiming {
  /** Whether the settings choose storage and database apart: then the storage is the one that the database was given first. */
  isShared: boolean;
  /** Whether several servers may be at work on the database: then all have the one place, and not a copy of it. */
  hasOthers: boolean;
  /** What is done to have the database of a storage that belongs to another one. */
  database: string;
  log: Log;
}

/** What servers at work have answered, while this was the mark of their place. */
interface Answered {
  mark: string;
  answer: Answer;
}

/**
 * Holds a database and the storage of its recordings to each other: with another database they would be taken for leftovers, and
 * removed; with another storage it would have none of them. The first start gives both the same id, the storage as a note beside the
 * recordings; of several first starts at once all but one wait for it. A note may be copied: so servers at work are asked whether they have
 * the very place. Where none answers, as in a release before, its mark tells, which is made anew by each server that begins while none is at
 * work. From then on this server answers others.
 * @throws StartError when the storage belongs to another database, or the recordings are in another storage
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
  // Before another one can see that this one has begun.
  if (claiming.hasOthers) await answerOthers(messages, storage, { hasBegun, log: claiming.log });
  let answered: Answered | undefined;
  for (;;) {
    const { mark } = await claimOnce(db, storage, claiming, answered);
    if (mark === undefined) break;
    // Not in the transaction: what is told there is not heard before its end.
    answered = { mark, answer: await askOthers(messages, storage) };
  }
  begin();
}

/** @returns the mark of a place of which others have to be asked first */
const claimOnce = (
  db: Db,
  storage: Storage,
  claiming: Claiming,
  answered: Answered | undefined,
): Promise<{ mark?: string }> =>
  db.transaction().execute(async (trx) => {
    const known = await trx
      .selectFrom('installation')
      .select(['id', 'storage_id'])
      .forUpdate()
      .executeTakeFirstOrThrow();
    // Servers of the release before hold a directory to the id of the database.
    const id = known.storage_id ?? known.id;
    const place = claiming.hasOthers ? await placeOf(trx, storage, answered) : undefined;
    if (place?.isInUse === true && place.answer === undefined && (await storage.readNote()) === id)
      return { mark: place.mark };
    await holdTo(trx, storage, { ...claiming, id, isClaimed: known.storage_id !== null, place });
    if (known.storage_id === null) await trx.updateTable('installation').set({ storage_id: id }).execute();
    if (claiming.hasOthers && !(place?.isInUse === true && place.isMarked)) await takePlace(trx, storage);
    return {};
  });

/** Whether servers may be at work on a database. */
export async function areAtWork(db: Db): Promise<boolean> {
  const seen = await db.selectFrom('processes').select('id').where(isLately('seen_at')).limit(1).executeTakeFirst();
  return seen !== undefined;
}

/** Where servers have the recordings. */
interface Place {
  mark: string;
  name: string;
  /** Whether a server is at work, or has just begun and is not known to have ended: one that has begun answers. */
  isInUse: boolean;
  /** Whether the storage has its mark. */
  isMarked: boolean;
  /** Undefined: others have not been asked. */
  answer: Answer | undefined;
}

async function placeOf(trx: Db, storage: Storage, answered: Answered | undefined): Promise<Place | undefined> {
  const place = await trx
    .selectFrom('storage_place')
    .select(['mark', 'name', isLately('taken_at').as('isNew')])
    .executeTakeFirst();
  if (place === undefined) return undefined;
  const { mark, name, isNew } = place;
  // Others may have taken another place since then.
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
  // Without a note it is of a time before that, or new.
  const stored = await someOf(storage);
  if (stored.length > 0 && !(await knowsAny(trx, stored))) throw strange;
  if (stored.length === 0 && isShared && (isClaimed || (await hasFiles(trx))))
    throw new StartError(
      `The recordings of this database are in ${place?.name ?? 'another place'}, and not in ${nameOf(storage)}. ${remedy(storage)}. Where they are lost, or there were none, write ${id} into ${note}.`,
    );
  await storage.writeNote(id);
  // Of two databases at once, one has won.
  if ((await storage.readNote()) !== id) throw strange;
}

/** What servers at work say counts; the mark, where none does. */
const isSame = ({ answer, isMarked }: Place): boolean => answer === 'here' || (answer !== 'elsewhere' && isMarked);

/** Tells a place from all copies of it that there are. Only one server does so at a time. */
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

/** The same path may be another disk on another machine. */
const nameOf = ({ place: { name, isHere } }: Storage): string => (isHere ? `${name} of ${hostname()}` : name);

const remedy = ({ place: { thatHasThem, isHere } }: Storage): string =>
  `Servers of one database have one place for recordings: set ${thatHasThem}, ${isHere ? 'or set the same S3_BUCKET for all of them, ' : ''}or set DATABASE_URL to another database`;

async function someOf(storage: Storage): Promise<string[]> {
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
