/**
 * The slots of the rollups, put together: while an hour or a day goes on, each of its sums is spread over slots, so that writers do not
 * wait for each other; once it is over, eight rows where one tells the same would only be in the way of those that read.
 */
import { sql } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { repeat } from '../../platform/repeat.ts';
import { addingTo, keyOf, ROLLUPS, STEP_MS, totalsOf, type RollupTable } from './rollup.ts';

const HOUR_MS = 3_600_000;
/** How long it waits for a row that is being counted in, milliseconds: less than the second after which a database looks for deadlocks, so that it is always this that gives way. */
const LOCK_MS = 300;

/** Puts the slots together of all hours and days that were over at a moment. @throws when a row was held for too long; what is left is done the next time */
export async function compactRollups(db: Db, now: Date): Promise<void> {
  for (const table of ROLLUPS) while (await compactNext(db, table, new Date(now.getTime() - STEP_MS[table])));
}

/** The first step that has something to put together. @returns whether there was one */
function compactNext(db: Db, table: RollupTable, last: Date): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await sql`select set_config('lock_timeout', ${String(LOCK_MS)}, true)`.execute(trx);
    const { rows } = await sql<{ step: Date | null }>`
      select min(step) as step from ${sql.table(table)} where slot <> 0 and step <= ${last}`.execute(trx);
    const step = rows[0]?.step ?? null;
    if (step === null) return false;
    await sql`with gone as (delete from ${sql.table(table)} where slot <> 0 and step = ${step} returning *)
      ${addingTo(table, sql`(select ${keyOf(table)}, 0::smallint as slot, ${totalsOf(table)} from gone group by ${keyOf(table)}) as folded`)}`.execute(
      trx,
    );
    return true;
  });
}

/** Does it now and once an hour, until the server closes. */
export function keepCompacted(services: Services): void {
  const { db, clock } = services;
  void repeat(services, { name: 'slots of the rollups', everyMs: HOUR_MS, run: () => compactRollups(db, clock()) })();
}
