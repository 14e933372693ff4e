import { sql } from 'kysely';
import { inBatches, type Sweep } from '../../platform/retention.ts';

/** Deletes rows of live sessions that ended before the sweep's date. Their use and cost stay in the usage rows. */
export const removeOldSessions = (sweep: Sweep): Promise<number> =>
  inBatches(sweep, async () => {
    const { numAffectedRows } = await sql`delete from live_sessions where id in (
      select id from live_sessions where status <> 'running' and ended_at < ${sweep.before}
      order by ended_at limit ${sweep.batch} for update skip locked)`.execute(sweep.db);
    return Number(numAffectedRows ?? 0);
  });
