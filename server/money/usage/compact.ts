/**
 * Merges the slots of the rollups. During an hour or a day each sum is spread over slots, so that writers do not wait
 * for each other. Once the step is over, one row instead of eight makes reading faster.
 */
import { sql } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { repeat } from '../../platform/repeat.ts';
import { addingTo, keyOf, ROLLUPS, STEP_MS, totalsOf, type RollupTable } from './rollup.ts';

const HOUR_MS = 3_600_000;
/**
 * Longest wait for a locked row, milliseconds. Below PostgreSQL's deadlock timeout (1 s), so that this gives way first.
 */
const LOCK_MS = 300;

/**
 * Merges the slots of all hours and days that are over at `now`.
 * @throws if a row is locked; the next run does the rest
 */
export async function compactRollups(db: Db, now: Date): Promise<void> {
  for (const table of ROLLUPS) while (await compactNext(db, table, new Date(now.getTime() - STEP_MS[table])));
}

/** Merges the slots of the first step that has several. @returns false if there is none */
function compactNext(db: Db, table: RollupTable, last: Date): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await sql`select set_config('lock_timeout', ${String(LOCK_MS)}, true)`.execute(trx);
    const { rows } = await sql<{ step: Date | null }>`
      select min(step) as step from ${sql.table(table)} where slot <> 0 and step <= ${last}`.execute(trx);
    const step = rows[0]?.step ?? null;
    if (step === null) return false;
    const folded = sql`(
      select ${keyOf(table)}, 0::smallint as slot, ${totalsOf(table)} from gone group by ${keyOf(table)}
    ) as folded`;
    await sql`with gone as (delete from ${sql.table(table)} where slot <> 0 and step = ${step} returning *)
      ${addingTo(table, folded)}`.execute(trx);
    return true;
  });
}

/** Merges slots now and every hour, until the server closes. */
export function keepCompacted(services: Services): void {
  const { db, clock } = services;
  void repeat(services, { name: 'slots of the rollups', everyMs: HOUR_MS, run: () => compactRollups(db, clock()) })();
}
