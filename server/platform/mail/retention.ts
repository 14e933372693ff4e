import { sql } from 'kysely';
import { inBatches, type Sweep } from '../retention.ts';
import { MAIL } from './queue.ts';

/** Removes old mails that were given up. Keeps mails that are still retried, however old. */
export const removeOldMails = (sweep: Sweep): Promise<number> =>
  inBatches(sweep, async () => {
    const { numAffectedRows } = await sql`delete from mails where id in (
      select id from mails where created_at < ${sweep.before}
        and not exists (select from jobs where subject = mails.id and kind = ${MAIL} and state <> 'dead')
      order by created_at limit ${sweep.batch} for update skip locked)`.execute(sweep.db);
    return Number(numAffectedRows ?? 0);
  });
