/** The parts of `usage_rows`, by month of UTC. What has no part of its own lies in the default one, and nothing depends on it. */
import { sql } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { repeat } from '../../platform/repeat.ts';

/** Months that have their part before they begin. */
const AHEAD = 2;
const DAY_MS = 24 * 3_600_000;
/** How long requests that end may wait for a part to be made, milliseconds; after it, it is tried again the next day. */
const LOCK_MS = 3000;

export const monthAfter = (month: Date, months = 1): Date =>
  new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + months));

/** The month of UTC that a moment lies in, as its beginning. */
export const monthOf = (moment: Date): Date => monthAfter(moment, 0);

/** Makes the parts of this month and of the next ones. Rows of theirs that lie in the default part are moved. */
export async function makeMonths(db: Db, now: Date): Promise<void> {
  for (let ahead = 0; ahead <= AHEAD; ahead += 1) await makeMonth(db, monthAfter(now, ahead));
}

/** Makes the part of one month, unless there is one. @returns whether it was made */
export async function makeMonth(db: Db, month: Date): Promise<boolean> {
  const name = `usage_rows_${month.toISOString().slice(0, 7).replace('-', '_')}`;
  return db.transaction().execute(async (trx) => {
    await sql`select set_config('lock_timeout', ${String(LOCK_MS)}, true)`.execute(trx);
    await sql`select pg_advisory_xact_lock(hashtextextended('usage_rows', 0))`.execute(trx);
    const { rows } = await sql<{ known: string | null }>`select to_regclass(${name})::text as known`.execute(trx);
    if (rows[0]?.known != null) return false;
    // What ends meanwhile waits before its part is chosen: one that has chosen the default part would be refused there afterwards.
    await sql`lock table only usage_rows in share row exclusive mode`.execute(trx);
    await sql`lock table usage_rows_default in access exclusive mode`.execute(trx);
    await sql`create table ${sql.table(name)} (like usage_rows including defaults including constraints)`.execute(trx);
    const [from, to] = [month, monthAfter(month)].map((bound) => sql.lit(bound.toISOString()));
    await sql`with moved as (delete from usage_rows_default where ended_at >= ${from} and ended_at < ${to} returning *)
      insert into ${sql.table(name)} select * from moved`.execute(trx);
    await sql`alter table usage_rows attach partition ${sql.table(name)} for values from (${from}) to (${to})`.execute(
      trx,
    );
    return true;
  });
}

/** Makes parts ahead, now and once a day, until the server closes. Rows whose part could not be made lie in the default one. */
export function keepMonths(services: Services): Promise<void> {
  const { db, clock } = services;
  return repeat(services, { name: 'parts of the usage rows', everyMs: DAY_MS, run: () => makeMonths(db, clock()) })();
}
