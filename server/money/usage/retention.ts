/**
 * Deletes old usage rows by whole months (UTC). Keeps their cost by organization and month, so that the books can still
 * be proved. Keeps the rollups of these months, which cannot be rebuilt any more.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { inBatches, type Sweep } from '../../platform/retention.ts';
import { monthOf } from './months.ts';
import { ROLLUPS } from './rollup.ts';

/** A server must know this migration to work on a database whose rollups cannot all be rebuilt. */
const MIGRATION = '0036-retention';
/** How long a sweep waits for a rebuild of the rollups, milliseconds; the next sweep, an hour later, tries again. */
const LOCK_MS = 3000;

/** The first month with all of its rows; null if none were deleted. Earlier months are neither compared nor rebuilt. */
export const FLOOR: RawBuilder<Date | null> = sql`(select from_month from usage_floor)`;

/**
 * Deletes usage rows, refused requests and log filters of months that ended before the sweep's date.
 * @returns the number of usage rows
 */
export async function removeOldUsage(sweep: Sweep): Promise<number> {
  const { db } = sweep;
  const month = monthOf(sweep.before);
  if (await isAnyBefore(db, month)) await raiseFloor(db, month);
  // The usage row of a session that was taken for dead could still be replaced. It is about to be deleted, so it
  // becomes final. A session that others hold is skipped, and so is its row.
  await sql`update live_sessions set taken_for_dead = false where id in (
    select id from live_sessions where taken_for_dead and status <> 'running' and ended_at < ${month}
    for no key update skip locked)`.execute(db);
  const removed = await inBatches(sweep, () => removeRows(sweep, month));
  await inBatches(sweep, async () => {
    const { numAffectedRows } = await sql`delete from refused_requests where ctid = any (array(
      select ctid from refused_requests where refused_at < ${month}
      limit ${sweep.batch} for update skip locked))`.execute(db);
    return Number(numAffectedRows ?? 0);
  });
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

/** Raises {@link FLOOR} to a month. Locks the rollups, so that no rebuild is in the middle of a month meanwhile. */
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
 * Deletes one batch of rows with their `usage_once`, and adds their cost to `pruned_usage`, in one transaction. Skips
 * locked rows, because ending a request and deleting an organization lock them in another order. One process at a time.
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
