import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Clocks that go by the database already. */
const FOLLOWING = new WeakSet<() => Date>();

/** How long a following clock goes on by itself before it is compared again, milliseconds. */
export const COMPARED_EVERY_MS = 30_000;

/** Looks at the database's clock as it is compared; the quickest answer is the nearest to it. */
const LOOKS = 3;

const told = async (db: Db): Promise<Date> => {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('The database does not tell the time.');
  return row.now;
};

/**
 * Now, by the clock of the database: the same for every process, whatever their machines say. What leases and counted minutes go by.
 * A test that has turned the services' clock has turned this one as far.
 */
export async function databaseNow(db: Db, clock: () => Date): Promise<Date> {
  const now = await told(db);
  return FOLLOWING.has(clock) ? now : new Date(now.getTime() + clock().getTime() - Date.now());
}

export interface FollowingClock {
  now: () => Date;
  /** Sets it right again. @throws what the database refuses with; the clock goes on as it did */
  compare(): Promise<void>;
}

/**
 * A clock that shows what the database's does, for processes whose machines tell other times: between comparisons it goes on by time as it
 * passes, so that a machine's clock that is set changes nothing.
 * @param passed milliseconds that only grow
 */
export async function followDatabase(db: Db, passed: () => number = () => performance.now()): Promise<FollowingClock> {
  let ahead = 0;
  const compare = async (): Promise<void> => {
    let quickest = Infinity;
    for (let look = 0; look < LOOKS; look += 1) {
      const asked = passed();
      const now = (await told(db)).getTime();
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
