/**
 * A starting server asks the running servers of its database whether they use the same storage of recordings: it puts
 * an object into its storage, and the others look for it in theirs. A copy of the storage does not have the object.
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
/** Longest wait for an answer, milliseconds. Servers of older releases never answer. */
const PATIENCE_MS = 2000;

/** Whether the running servers use the asking server's storage (`here`) or another one; `unknown` if none answered. */
export type Answer = 'here' | 'elsewhere' | 'unknown';
export type Messages = Pick<Database, 'db' | 'listen'>;

const tell = (db: Database['db'], channel: string, payload: string): Promise<unknown> =>
  sql`select pg_notify(${channel}, ${payload})`.execute(db);

/** Asks the running servers; the first answer counts. @throws StorageError, or the database's error */
export async function askOthers(
  { db, listen }: Messages,
  storage: Pick<FileStorage, 'put' | 'remove'>,
): Promise<Answer> {
  // Looks like a recording without a row, so if this server is killed meanwhile, the sweep of leftovers removes it.
  const id = randomUUID();
  let answer: Answer = 'unknown';
  let resolveAnswered = (): void => {};
  const answered = new Promise<void>((resolve) => (resolveAnswered = resolve));
  const stop = await listen(ANSWERED_CHANNEL, (payload) => {
    if (answer !== 'unknown' || !payload.startsWith(id)) return;
    answer = payload === `${id} here` ? 'here' : 'elsewhere';
    resolveAnswered();
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

/** Answers asking servers until the database is closed; waits for `hasBegun` first. @throws the database's error */
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
