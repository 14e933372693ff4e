/**
 * Usage rows that are too old, by whole months of UTC. What they cost stays known by organization and month, so that the books can be
 * proved; the rollups of these months stay as they are, since nothing is left that they could be made anew from.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { inBatches, type Sweep } from '../../platform/retention.ts';
import { monthOf } from './months.ts';
import { ROLLUPS } from './rollup.ts';

/** The migration that a version must know to work on a database whose rollups cannot all be made anew. */
const MIGRATION = '0036-retention';
/** How long it waits for rollups that are made anew just now, milliseconds; after it, it is tried again an hour later. */
const LOCK_MS = 3000;

/** The first month whose rows are all there; null where none was removed. Months before it are neither compared nor made anew. */
export const FLOOR: RawBuilder<Date | null> = sql`(select from_month from usage_floor)`;

/** Removes the rows of months that ended before `before`, and by what the logs could be filtered in them. @returns how many requests */
export async function removeOldUsage(sweep: Sweep): Promise<number> {
  const { db } = sweep;
  const month = monthOf(sweep.before);
  if (await isAnyBefore(db, month)) await raiseFloor(db, month);
  // What such a session was billed by is final: its row, which could be replaced, is about to go.
  // What others hold stays for the next time, and so do its rows.
  await sql`update live_sessions set taken_for_dead = false where id in (
    select id from live_sessions where taken_for_dead and status <> 'running' and ended_at < ${month}
    for no key update skip locked)`.execute(db);
  const removed = await inBatches(sweep, () => removeRows(sweep, month));
  await inBatches(sweep, async () => {
    const { numAffectedRows } = await sql`delete from log_days where ctid = any (array(
      select ctid from log_days where step < least(${month}::timestamptz, ${FLOOR}) and ${FLOOR} is not null
      limit ${sweep.batch} for update skip locked))`.execute(db);
    return Number(numAffectedRows ?? 0);
  });
  return removed;
}

async function isAnyBefore(db: Db, month: Date): Promise<boolean> {
  const row = await db.selectFrom('usage_rows').select('id').where('ended_at', '<', month).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** From now on rows before a month may be lacking. Rollups that are made anew hold these tables: it is not in the middle of a month. */
async function raiseFloor(db: Db, month: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select set_config('lock_timeout', ${String(LOCK_MS)}, true)`.execute(trx);
    await sql`lock table ${sql.join(ROLLUPS.map((table) => sql.table(table)))} in row exclusive mode`.execute(trx);
    await sql`insert into required_migrations (name) values (${MIGRATION}) on conflict do nothing`.execute(trx);
    await sql`insert into usage_floor as known (from_month) values (${month}) on conflict (single)
      do update set from_month = greatest(known.from_month, excluded.from_month)`.execute(trx);
  });
}

/**
 * Some rows with their marks, and what they cost into the sums: all in one transaction. It waits for nobody's rows: whoever ends a request
 * or deletes an organization locks them in another order. Of several processes one does it at a time.
 */
function removeRows({ db, batch }: Sweep, month: Date): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const { rows: locks } = await sql<{ isMine: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended('pruned_usage', 0)) as "isMine"`.execute(trx);
    if (locks[0]?.isMine !== true) return 0;
    const { rows } = await sql<{ removed: number }>`
      with old as (
        select row.id, row.ended_at from usage_rows as row join usage_once as once on once.id = row.id and once.ended_at = row.ended_at
        where row.ended_at < ${month} and not exists (select from live_sessions where id = row.id and taken_for_dead)
        order by row.ended_at limit ${batch} for update of row, once skip locked
      ), once as (
        delete from usage_once using old where usage_once.id = old.id
      ), gone as (
        delete from usage_rows as row using old where row.ended_at < ${month} and row.ended_at = old.ended_at and row.id = old.id
        returning row.organization_id, row.ended_at, row.cost_micros
      ), kept as (
        insert into pruned_usage as known (organization_id, month, requests, cost_micros)
        select gone.organization_id, date_trunc('month', ended_at at time zone 'UTC')::date, count(*), coalesce(sum(cost_micros), 0)
        from gone join organizations on organizations.id = gone.organization_id
        group by 1, 2 order by 1, 2
        on conflict (organization_id, month) do update set
          requests = known.requests + excluded.requests, cost_micros = known.cost_micros + excluded.cost_micros
      ) select count(*)::int as removed from gone`.execute(trx);
    return rows[0]?.removed ?? 0;
  });
}
