/**
 * Servers that begin ask those at work on their database whether they all have one place for recordings: a server puts an object into its
 * storage, and the others look for it in theirs. No copy of a storage has what comes into it later, wherever either of them is.
 */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import type { Database } from './db/database.ts';
import { within } from './in-time.ts';
import type { Log } from './log.ts';
import type { FileStorage } from './storage/port.ts';

const ASKED_CHANNEL = 'storage_place_asked';
const ANSWERED_CHANNEL = 'storage_place_answered';
/** A server that works answers in this time; one of a release before never does. Milliseconds. */
const PATIENCE_MS = 2000;

/** Where the servers at work have recordings: where the one that asks has them, or not; `unknown`: none has answered. */
export type Answer = 'here' | 'elsewhere' | 'unknown';
export type Messages = Pick<Database, 'db' | 'listen'>;

const tell = (db: Database['db'], channel: string, payload: string): Promise<unknown> =>
  sql`select pg_notify(${channel}, ${payload})`.execute(db);

/** Asks the servers at work; the first answer counts. @throws StorageError; what the database refuses with */
export async function askOthers(
  { db, listen }: Messages,
  storage: Pick<FileStorage, 'put' | 'remove'>,
): Promise<Answer> {
  // As of a recording that no row knows: what a server leaves that is killed meanwhile goes with the leftovers.
  const id = randomUUID();
  let answer: Answer = 'unknown';
  let heard = (): void => {};
  const answered = new Promise<void>((resolve) => (heard = resolve));
  const stop = await listen(ANSWERED_CHANNEL, (payload) => {
    if (answer !== 'unknown' || !payload.startsWith(id)) return;
    answer = payload === `${id} here` ? 'here' : 'elsewhere';
    heard();
  });
  try {
    await storage.put(id, Readable.from([]));
    await tell(db, ASKED_CHANNEL, id);
    await within(PATIENCE_MS, answered);
    return answer;
  } finally {
    stop();
    await storage.remove(id);
  }
}

/** Answers servers that ask, once this one `hasBegun`, until its database is closed. @throws what the database refuses with */
export async function answerOthers(
  { db, listen }: Messages,
  storage: Pick<FileStorage, 'exists'>,
  { hasBegun, log }: { hasBegun: Promise<void>; log: Log },
): Promise<void> {
  const answer = async (id: string): Promise<void> => {
    await hasBegun;
    await tell(db, ANSWERED_CHANNEL, `${id} ${(await storage.exists(id)) ? 'here' : 'elsewhere'}`);
  };
  await listen(ASKED_CHANNEL, (id) => {
    answer(id).catch((error: unknown) =>
      log.warn({ err: error }, 'a server that begins got no answer about its storage'),
    );
  });
}
