import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Clocks that follow the database's clock already. */
const FOLLOWING = new WeakSet<() => Date>();

/** Interval of comparisons with the database's clock, milliseconds. */
export const COMPARED_EVERY_MS = 30_000;

/** Samples of the database's clock in one comparison; the quickest answer is the most precise. */
const SAMPLES = 3;

const databaseTime = async (db: Db): Promise<Date> => {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('The database does not tell the time.');
  return row.now;
};

/**
 * The current time by the database's clock, which is the same for every process. Use it for leases and counted minutes.
 * If a test has shifted `clock`, this time is shifted as much.
 */
export async function databaseNow(db: Db, clock: () => Date): Promise<Date> {
  const now = await databaseTime(db);
  return FOLLOWING.has(clock) ? now : new Date(now.getTime() + clock().getTime() - Date.now());
}

export interface FollowingClock {
  now: () => Date;
  /** Compares it with the database's clock. @throws the database's error; the clock then goes on unchanged */
  compare(): Promise<void>;
}

/**
 * Makes a clock that follows the database's clock, for processes on machines whose clocks differ. Between comparisons
 * it follows monotonic time, so that setting the machine's clock has no effect.
 * @param passed monotonic time in milliseconds
 */
export async function followDatabase(db: Db, passed: () => number = () => performance.now()): Promise<FollowingClock> {
  let ahead = 0;
  const compare = async (): Promise<void> => {
    let quickest = Infinity;
    for (let look = 0; look < SAMPLES; look += 1) {
      const asked = passed();
      const now = (await databaseTime(db)).getTime();
      const answered = passed();
      if (answered - asked >= quickest) continue;
      quickest = answered - asked;
      ahead = now - (asked + answered) / 2;
    }
  };
  await compare();
  const now = (): Date => new Date(passed() + ahead);
  FOLLOWING.add(now);
  return { now, compare };
}
