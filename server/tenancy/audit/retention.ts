import { sql } from 'kysely';
import { inBatches, type Sweep } from '../../platform/retention.ts';

/** Removes what was done long ago from the audit logs of all organizations, but who has deleted one: its books stay. */
export const removeOldAudit = (sweep: Sweep): Promise<number> =>
  inBatches(sweep, async () => {
    const { numAffectedRows } = await sql`delete from audit_log where id in (
      select id from audit_log where at < ${sweep.before} and action <> 'organization.deleted' order by at limit ${sweep.batch} for update skip locked)`.execute(
      sweep.db,
    );
    return Number(numAffectedRows ?? 0);
  });
