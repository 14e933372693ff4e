import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { ApiProblem } from '../../http/errors.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import { availableMicros, lockAccount } from '../ledger/accounts.ts';
import { statesBefore, waitingStates } from '../ledger/life.ts';
import { hasPrices } from '../usage/price-lists.ts';
import { toUsd } from '../usage/prices.ts';
import { PaymentUnavailable, type PaymentDriver } from './port.ts';
import { settle } from './settle.ts';

/** The kind of job that closes a customer at the payment provider. Its subject is the row in `gone_customers`. */
export const CLOSE_CUSTOMER = 'close_customer';

/** A customer at the payment provider whose organization is gone. */
interface GoneCustomer {
  organizationId: string;
  customerId: string;
  methodId: string | null;
}

/**
 * Ends the pages of an organization that is to be deleted, on which nobody has paid; what has been paid counts. Where the provider does not
 * answer, they stay.
 */
export async function leavePages(
  services: Parameters<typeof settle>[0],
  driver: PaymentDriver,
  organizationId: string,
): Promise<void> {
  const open = await services.db
    .selectFrom('payments')
    .select(['id as paymentId', 'page_id as pageId', 'provider_id as providerId'])
    .where('organization_id', '=', organizationId)
    .where('state', '=', 'open')
    .where('page_id', 'is not', null)
    .execute();
  for (const page of open)
    try {
      const event = await driver.expire(page);
      if (event !== undefined) await settle(services, event);
    } catch (error) {
      if (!(error instanceof PaymentUnavailable)) throw error;
      services.log.warn({ err: error, payment: page.paymentId }, 'the payment provider did not end a page');
    }
}

/**
 * The last step before an organization is deleted, which takes its account along: money that is on its way would be lost with it, and so would
 * what it owes. Its customer at the payment provider is closed after that, and what its payments had changed is remembered for events that
 * tell it again.
 * @throws ApiProblem 409 payment_under_way or balance_negative; then nothing is deleted
 */
export async function closeAccount(trx: Transaction<Schema>, organizationId: string, now: Date): Promise<void> {
  const account = await lockAccount(trx, organizationId);
  const underWay = await trx
    .selectFrom('payments')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where((eb) =>
      eb.or([
        eb.and([eb('kind', '=', 'payment'), eb('state', 'in', waitingStates('payment'))]),
        eb.and([eb('kind', '=', 'autopay'), eb('state', 'in', statesBefore('autopay', 'never_made'))]),
      ]),
    )
    .executeTakeFirst();
  if (underWay !== undefined)
    throw new ApiProblem(
      409,
      'payment_under_way',
      'A payment is under way. Delete the organization when it has ended.',
    );
  const left = (await availableMicros(trx, organizationId)) ?? 0;
  // Where nothing has a price, nobody can pay.
  if (left < 0 && (await hasPrices(trx, now)))
    throw new ApiProblem(
      409,
      'balance_negative',
      `The organization owes ${toUsd(-left)} USD. Pay first, then delete it.`,
    );
  await trx
    .insertInto('gone_entries')
    .columns(['cause', 'payment_id', 'organization_id'])
    .expression(
      trx
        .selectFrom('ledger_entries')
        .select((eb) => ['cause', eb.ref('payment_id').$notNull().as('payment_id'), 'organization_id'])
        .where('organization_id', '=', organizationId)
        .where('payment_id', 'is not', null),
    )
    .execute();
  if (account !== undefined && account.customer_id !== null)
    await closeCustomer(trx, { organizationId, customerId: account.customer_id, methodId: account.method_id }, now);
}

/** Leaves the work of closing a customer, which goes on until it is done. */
export async function closeCustomer(
  trx: Transaction<Schema>,
  { organizationId, customerId, methodId }: GoneCustomer,
  now: Date,
): Promise<void> {
  const id = randomUUID();
  await trx
    .insertInto('gone_customers')
    .values({ id, organization_id: organizationId, customer_id: customerId, method_id: methodId, gone_at: now })
    .execute();
  await enqueue(trx, { kind: CLOSE_CUSTOMER, subject: id, now });
}

/** Customers whose closing is not done. */
export const listGoneCustomers = (db: Db) =>
  db.selectFrom('gone_customers').selectAll().orderBy('gone_at').orderBy('id').execute();

/** Has the payment provider forget the method, and then the customer; each may be gone already. */
export function closeCustomerHandler({ db }: Pick<Services, 'db'>, driver: PaymentDriver): JobHandler {
  return {
    async run(job) {
      const gone = await db.selectFrom('gone_customers').selectAll().where('id', '=', job.subject).executeTakeFirst();
      if (gone !== undefined) {
        if (gone.method_id !== null) await driver.forget(gone.method_id);
        await driver.closeCustomer(gone.customer_id);
      }
      await db.transaction().execute(async (trx) => {
        await trx.deleteFrom('gone_customers').where('id', '=', job.subject).execute();
        await job.complete(trx);
      });
    },
    waiting: () => Promise.resolve(),
    givenUp: () => Promise.resolve(),
  };
}
