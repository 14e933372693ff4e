import { sql } from 'kysely';
import { inBatches, type Sweep } from '../retention.ts';

/** Removes old jobs that were given up. @param except kinds that stay until the operator has dealt with them */
export const removeDeadJobs = (sweep: Sweep, except: readonly string[]): Promise<number> =>
  inBatches(sweep, async () => {
    const { numAffectedRows } = await sql`delete from jobs where id in (
      select id from jobs where state = 'dead' and run_at < ${sweep.before} and kind <> all (${except}::text[])
      order by run_at limit ${sweep.batch} for update skip locked)`.execute(sweep.db);
    return Number(numAffectedRows ?? 0);
  });
