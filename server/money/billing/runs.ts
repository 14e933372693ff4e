/** Reports that are being made: so many at a time for each person, whichever process makes them. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import { ApiProblem } from '../../http/errors.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';

/** For each person. */
const PLACES = 2;
/** How long a process may be silent before its reports have no place any more, milliseconds; it tells of them three times as often. */
const LEASE_MS = 30_000;
/**
 * After how long it is looked again whether a place is free, milliseconds, before a report is refused: who goes through the screens leaves reports
 * behind that are made for a moment longer.
 */
const LOOKS_MS = [50, 150, 400, 900, 1500];
/** When a client may try again, seconds. */
const AGAIN_S = 5;

/** By the clock of the database, whatever those of the processes say. */
const LEASE: RawBuilder<Date> = sql`clock_timestamp() + ${LEASE_MS} * interval '1 millisecond'`;

/**
 * Takes a place for a report, until it is made: also where its client has left, since the database goes on with it.
 * @param left aborts once its client has: then it waits no longer
 * @returns gives it back, once; never rejects: where the database does not take that, the lease runs out
 * @throws ApiProblem 429 while others of the person have all places, and none is free in three seconds
 */
export async function beginReport(
  { db, log }: Pick<Services, 'db' | 'log'>,
  userId: string,
  left?: AbortSignal,
): Promise<() => Promise<void>> {
  const id = randomUUID();
  let isMine = await isTaken(db, userId, id);
  for (const ms of LOOKS_MS) {
    if (isMine || left?.aborted === true) break;
    await wait(ms);
    isMine = await isTaken(db, userId, id);
  }
  if (!isMine)
    throw new ApiProblem(
      429,
      'too_many_reports',
      'Two of your reports are being made already. Wait until one is done, or cancel a download, and try again.',
      [],
      { 'retry-after': String(AGAIN_S) },
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
 * Values, and what is to be done once the last has been taken, or nobody takes any more: not before the one that is being read has come.
 * @param left aborts once whoever takes them has left, also before the first
 */
export function endingWith<T>(
  values: AsyncIterable<T>,
  end: () => Promise<void>,
  left: AbortSignal,
): AsyncGenerator<T> {
  const taken = taking(values, end);
  // A generator returns once the value that was asked for has come; one that was never begun does so at once, and ends nothing itself.
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

/** Of two that take the same place at once, the database lets one have it. A lease that ends later than one can was given by a clock that was wrong. */
async function isTaken(db: Db, userId: string, id: string): Promise<boolean> {
  for (let place = 1; place <= PLACES; place += 1) {
    const { rows } = await sql`insert into report_runs as held (user_id, place, id, lease_until)
      values (${userId}, ${place}, ${id}, ${LEASE})
      on conflict (user_id, place) do update set id = excluded.id, lease_until = excluded.lease_until
      where held.lease_until not between clock_timestamp() and ${LEASE} returning id`.execute(db);
    if (rows.length > 0) return true;
  }
  return false;
}
