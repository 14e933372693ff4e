import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { AUTOPAY } from '#server/money/ledger/schedule.ts';
import { autopayHandler, chargeBackoff } from '#server/money/payments/autopay.ts';
import { FORGET_METHOD, forgetMethodHandler } from '#server/money/payments/forget.ts';
import { CLOSE_CUSTOMER, closeCustomerHandler } from '#server/money/payments/leave.ts';
import { PaymentUnavailable, type PaymentDriver } from '#server/money/payments/port.ts';
import type { Services } from '#server/platform/context.ts';
import type { Db } from '#server/platform/db/database.ts';
import { claim, Hold, LeaseEnded } from '#server/platform/jobs/queue.ts';

const DAY_MS = 86_400_000;
const LEASE_MS = 30_000;

/** When the next job of some organizations is due, or its lease runs out; milliseconds. */
export async function nextJob(db: Db, organizations: readonly string[]): Promise<number> {
  const { rows } = await sql<{
    at: Date | null;
  }>`select min(case when jobs.state = 'ready' then jobs.run_at else jobs.lease_until end) as at
    from jobs left join payments on payments.id = jobs.subject left join gone_customers on gone_customers.id = jobs.subject
    where coalesce(payments.organization_id, gone_customers.organization_id) in (${sql.join(organizations)})`.execute(
    db,
  );
  return rows[0]?.at?.getTime() ?? 0;
}

/** What a worker does with a job, but that it ends with its process. */
export async function work(
  services: Services,
  driver: PaymentDriver,
): Promise<'no job' | 'done' | 'lease lost' | 'no answer'> {
  const { db, clock } = services;
  const worker = randomUUID();
  const handlers = new Map([
    [AUTOPAY, autopayHandler(services, driver)],
    [CLOSE_CUSTOMER, closeCustomerHandler(services, driver)],
    [FORGET_METHOD, forgetMethodHandler(services, driver)],
  ]);
  const kinds = [...handlers.keys()];
  const job = await claim(db, { kinds, worker, now: clock(), leaseMs: LEASE_MS, putOffMs: 4 * DAY_MS });
  const handler = job && handlers.get(job.kind);
  if (job === undefined || handler === undefined) return 'no job';
  const hold = new Hold(job, worker);
  try {
    await handler.run({
      ...job,
      signal: new AbortController().signal,
      complete: (trx) => hold.complete(trx),
      postpone: (until) => hold.giveBack(db, until),
      reached: () => Promise.resolve(),
    });
    return 'done';
  } catch (error) {
    if (error instanceof LeaseEnded) return 'lease lost';
    if (!(error instanceof PaymentUnavailable)) throw error;
    await db
      .transaction()
      .execute(async (trx) => {
        await handler.lock?.(trx, job);
        await hold.retry(trx, new Date(clock().getTime() + chargeBackoff(job.attempts)), String(error));
        await handler.waiting(trx, job, error);
      })
      // Another has it: time passed meanwhile.
      .catch((failure: unknown) => {
        if (!(failure instanceof LeaseEnded)) throw failure;
      });
    return 'no answer';
  }
}
