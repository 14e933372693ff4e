/** Removes payment methods at the provider that a setup stored after it had ended. */
import type { Transaction } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import type { PaymentDriver } from './port.ts';

/** The kind of job that removes a setup's method at the provider. Its subject is the setup's row in `payments`. */
export const FORGET_METHOD = 'forget_method';

/** Queues the removal of the method that a setup has stored; the job retries until it is done. */
export async function forgetLater(
  trx: Transaction<Schema>,
  { setupId, methodId }: { setupId: string; methodId: string },
  now: Date,
): Promise<void> {
  await trx.updateTable('payments').set({ method_id: methodId }).where('id', '=', setupId).execute();
  await enqueue(trx, { kind: FORGET_METHOD, subject: setupId, now });
}

/** Removes the method at the payment provider; it may be gone already. */
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
