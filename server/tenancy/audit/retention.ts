import { sql } from 'kysely';
import { inBatches, type Sweep } from '../../platform/retention.ts';

/** Removes old entries of all audit logs. Keeps deletions of organizations, because their books stay too. */
export const removeOldAudit = (sweep: Sweep): Promise<number> =>
  inBatches(sweep, async () => {
    const { numAffectedRows } = await sql`delete from audit_log where id in (
      select id from audit_log where at < ${sweep.before} and action <> 'organization.deleted'
      order by at limit ${sweep.batch} for update skip locked)`.execute(sweep.db);
    return Number(numAffectedRows ?? 0);
  });
