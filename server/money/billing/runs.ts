/** Limits how many reports each person may run at a time, over all processes. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import { Refusal } from '../../platform/refusal.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';

/** Reports that a person may run at a time, over all processes. */
const PLACES = 2;
/** Lease of a place, milliseconds. Its process renews it three times as often. */
const LEASE_MS = 30_000;
/**
 * Waits between tries to get a place, milliseconds; then the report is refused. A person who goes through the screens
 * leaves reports behind that end a moment later.
 */
const RETRY_WAITS_MS = [50, 150, 400, 900, 1500];
/** Value of Retry-After, seconds. */
const AGAIN_S = 5;

/** End of a lease, by the database's clock: those of the processes may differ. */
const LEASE: RawBuilder<Date> = sql`clock_timestamp() + ${LEASE_MS} * interval '1 millisecond'`;

/**
 * Takes a place for a report. Keep it until the report is done, even if the client has left, because the database goes
 * on with the query.
 * @param left aborts when the client has left; ends the wait
 * @returns a function that gives the place back; may be called again, never rejects. If it fails, the lease expires.
 * @throws Refusal limit if the person's other reports keep all places for three seconds
 */
export async function beginReport(
  { db, log }: Pick<Services, 'db' | 'log'>,
  userId: string,
  left?: AbortSignal,
): Promise<() => Promise<void>> {
  const id = randomUUID();
  let isMine = await takePlace(db, userId, id);
  for (const ms of RETRY_WAITS_MS) {
    if (isMine || left?.aborted === true) break;
    await wait(ms);
    isMine = await takePlace(db, userId, id);
  }
  if (!isMine)
    throw new Refusal(
      'limit',
      'too_many_reports',
      'Two of your reports are being made already. Wait until one is done, or cancel a download, and try again.',
      { retryAfterS: AGAIN_S },
    );
  const failed = (error: unknown): void => log.warn({ err: error }, 'the place of a report could not be written down');
  const renew = (): unknown =>
    sql`update report_runs set lease_until = ${LEASE} where user_id = ${userId} and id = ${id}`
      .execute(db)
      .catch(failed);
  const renewal = setInterval(renew, LEASE_MS / 3).unref();
  let ended: Promise<void> | undefined;
  const end = (): Promise<void> => {
    clearInterval(renewal);
    ended ??= sql`delete from report_runs where user_id = ${userId} and id = ${id}`
      .execute(db)
      .then(() => undefined, failed);
    return ended;
  };
  return end;
}

/**
 * Passes values on, and calls `end` after the last one, or when the client has left. Waits for a value that is being
 * read.
 * @param left aborts when the client has left, perhaps before the first value
 */
export function callAtEnd<T>(values: AsyncIterable<T>, end: () => Promise<void>, left: AbortSignal): AsyncGenerator<T> {
  const taken = taking(values, end);
  // `return` waits for a value that is being read. On a generator that has not begun it skips `finally`, so `end` is
  // called here, too. An error of the last read concerns nobody: the client has left.
  const leave = (): unknown => taken.return(undefined).then(end, end);
  if (left.aborted) leave();
  else left.addEventListener('abort', leave, { once: true });
  return taken;
}

async function* taking<T>(values: AsyncIterable<T>, end: () => Promise<void>): AsyncGenerator<T> {
  try {
    yield* values;
  } finally {
    await end();
  }
}

/**
 * Tries to take a free place; the upsert gives each to one caller. Also takes a place with a lease that is too long.
 */
async function takePlace(db: Db, userId: string, id: string): Promise<boolean> {
  for (let place = 1; place <= PLACES; place += 1) {
    const { rows } = await sql`insert into report_runs as held (user_id, place, id, lease_until)
      values (${userId}, ${place}, ${id}, ${LEASE})
      on conflict (user_id, place) do update set id = excluded.id, lease_until = excluded.lease_until
      where held.lease_until not between clock_timestamp() and ${LEASE} returning id`.execute(db);
    if (rows.length > 0) return true;
  }
  return false;
}
