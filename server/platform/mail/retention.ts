import { sql } from 'kysely';
import { inBatches, type Sweep } from '../retention.ts';
import { MAIL } from './queue.ts';

/** Removes mails that no mail server took. One that is still tried stays, however old it is. */
export const removeOldMails = (sweep: Sweep): Promise<number> =>
  inBatches(sweep, async () => {
    const { numAffectedRows } = await sql`delete from mails where id in (
      select id from mails where created_at < ${sweep.before}
        and not exists (select from jobs where subject = mails.id and kind = ${MAIL} and state <> 'dead')
      order by created_at limit ${sweep.batch} for update skip locked)`.execute(sweep.db);
    return Number(numAffectedRows ?? 0);
  });
