/** Payment methods that are stored after their owner has removed what there was: the payment provider forgets them. */
import type { Transaction } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import type { PaymentDriver } from './port.ts';

/** The kind of job that has the payment provider forget the method of a setup. Its subject is the setup, in `payments`. */
export const FORGET_METHOD = 'forget_method';

/** Leaves the work of forgetting what a setup has stored, which goes on until it is done. */
export async function forgetLater(
  trx: Transaction<Schema>,
  { setupId, methodId }: { setupId: string; methodId: string },
  now: Date,
): Promise<void> {
  await trx.updateTable('payments').set({ method_id: methodId }).where('id', '=', setupId).execute();
  await enqueue(trx, { kind: FORGET_METHOD, subject: setupId, now });
}

/** Has the payment provider forget the method; it may be gone already. */
export function forgetMethodHandler({ db }: Pick<Services, 'db'>, driver: PaymentDriver): JobHandler {
  return {
    async run(job) {
      const setup = await db
        .selectFrom('payments')
        .select('method_id')
        .where('id', '=', job.subject)
        .executeTakeFirst();
      if (setup?.method_id != null) await driver.forget(setup.method_id);
      await db.transaction().execute((trx) => job.complete(trx));
    },
    waiting: () => Promise.resolve(),
    givenUp: () => Promise.resolve(),
  };
}
