import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import type { JobHandler, RunningJob } from '../../platform/jobs/worker.ts';
import { lockAccount, type Account } from '../ledger/accounts.ts';
import { armAutopay, nextLook } from '../ledger/arm.ts';
import { declined, stopFor } from './decline.ts';
import type { PaymentDriver } from './port.ts';
import type { Payment } from './settle.ts';

/** Asks for the same charge, by the same key, while its outcome is not known: the last about ten hours after the first. */
export const CHARGE_TRIES = 12;
const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 7_200_000;
const UNKNOWN = 'The payment provider did not say whether the charge went through.';

/** Wait before the next try, given the number of those made, milliseconds. */
export const chargeBackoff = (attempts: number): number => Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempts);

type Parts = Pick<Services, 'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl'>;
type Chargeable = { payment: Payment & { amount_micros: number }; customerId: string; methodId: string };

/**
 * Charges a stored payment method. The row says that it was sent before it is: whoever runs the job after a crash asks for the same
 * charge by the same key. Only an event of the provider, or a decline, ends it.
 */
export function autopayHandler(services: Parts, driver: PaymentDriver): JobHandler {
  const { db, clock, log } = services;
  return {
    async run(job) {
      const early = await waitsUntil(db, job.subject, clock());
      if (early !== undefined) return job.postpone(early);
      const charge = await claim(db, job, clock());
      if (charge === undefined) return;
      const { payment, ...names } = charge;
      const result = await driver.charge({
        key: payment.key,
        paymentId: payment.id,
        amountMicros: payment.amount_micros,
        ...names,
      });
      await db.transaction().execute(async (trx) => {
        await lockAccount(trx, payment.organization_id);
        if (result.outcome === 'declined') await declined(trx, services, payment, result.message, clock());
        else
          await trx
            .updateTable('payments')
            .set({ provider_id: result.providerId })
            .where('id', '=', payment.id)
            .execute();
        await job.complete(trx);
      });
    },
    waiting: () => Promise.resolve(),
    async lock(trx, job) {
      const row = await trx
        .selectFrom('payments')
        .select('organization_id')
        .where('id', '=', job.subject)
        .executeTakeFirst();
      if (row !== undefined) await lockAccount(trx, row.organization_id);
    },
    async givenUp(trx, job) {
      log.error({ payment: job.subject }, 'a charge was given up: its outcome is not known');
      const failed = await trx
        .updateTable('payments')
        .set({ state: 'failed', error_message: UNKNOWN })
        .where('id', '=', job.subject)
        .where('state', 'in', ['due', 'sent'])
        .returning('organization_id')
        .executeTakeFirst();
      if (failed !== undefined)
        await stopFor(trx, services, failed.organization_id, UNKNOWN, { now: clock(), nextAt: undefined });
    },
  };
}

/** Until when a try after a decline is to wait; undefined for one that is due, or not wanted any more. */
async function waitsUntil(db: Db, id: string, now: Date): Promise<Date | undefined> {
  const waiting = await db
    .selectFrom('payments')
    .select('run_at')
    .where('id', '=', id)
    .where('state', '=', 'due')
    .where('run_at', '>', now)
    .executeTakeFirst();
  return waiting && nextLook(waiting.run_at, now);
}

/** Marks the charge as sent, or ends the job of one that is not wanted any more. */
async function claim(db: Db, job: RunningJob, now: Date): Promise<Chargeable | undefined> {
  return db.transaction().execute(async (trx) => {
    const found = await trx.selectFrom('payments').selectAll().where('id', '=', job.subject).executeTakeFirst();
    const account = found && (await lockAccount(trx, found.organization_id));
    if (found === undefined || account === undefined) {
      await job.complete(trx);
      return undefined;
    }
    const wanted = chargeable(found, account);
    if (wanted === undefined && found.state !== 'sent') {
      const { numUpdatedRows } = await trx
        .updateTable('payments')
        .set({ state: 'canceled' })
        .where('id', '=', found.id)
        .where('state', '=', 'due')
        .executeTakeFirstOrThrow();
      if (numUpdatedRows > 0n) await armAutopay(trx, found.organization_id, now);
    }
    const sent =
      wanted &&
      (await trx
        .updateTable('payments')
        .set({ state: 'sent', method_id: wanted.methodId })
        .where('id', '=', found.id)
        .where('state', 'in', ['due', 'sent'])
        .returning('id')
        .executeTakeFirst());
    if (sent === undefined) await job.complete(trx);
    return sent && wanted;
  });
}

/** Undefined where nothing may be charged. What was sent is asked for until its outcome is known, whatever the settings say by then. */
function chargeable(
  payment: Payment,
  { customer_id: customerId, method_id, autopay_enabled }: Account,
): Chargeable | undefined {
  const { amount_micros } = payment;
  const methodId = payment.method_id ?? method_id;
  if (amount_micros === null || customerId === null || methodId === null) return undefined;
  if (payment.state !== 'sent' && !autopay_enabled) return undefined;
  return { payment: { ...payment, amount_micros }, customerId, methodId };
}
