import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { MICROS_PER_CENT } from '#contract/billing.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import { availableMicros, postEntry, lockAccount, NO_METHOD } from '../ledger/accounts.ts';
import { chargedLately } from '../ledger/charge.ts';
import { dropDue, movePayment, ON_PAGE, statesBefore, waitingStates } from '../ledger/life.ts';
import { postAllDays } from '../ledger/posting.ts';
import { removeUsage } from '../usage/leave.ts';
import { hasPrices } from '../usage/price-lists.ts';
import { toUsd } from '../usage/prices.ts';
import { cancelOnDelete } from '../usage/record.ts';
import type { Books } from '../../tenancy/organizations/delete.ts';
import { mailDeletion } from './gone-letter.ts';
import { PaymentUnavailable, type PaymentDriver, type OpenPayment } from './port.ts';
import { applyPaymentEvent } from './apply-event.ts';
import { GOES_ON } from './stop.ts';

type Parts = Parameters<typeof applyPaymentEvent>[0];

/** The columns that identify a page at the provider. */
const PAGE = ['id as paymentId', 'page_id as pageId', 'provider_id as providerId'] as const;

/** The kind of job that closes a customer at the payment provider. Its subject is the row in `gone_customers`. */
export const CLOSE_CUSTOMER = 'close_customer';

/** A server must know this migration to leave closed accounts as they are. */
const MIGRATION = '0045-closed-accounts';

/** A customer at the payment provider whose organization is gone. */
interface GoneCustomer {
  organizationId: string;
  customerId: string;
  methodId: string | null;
}

/**
 * Ends open pages at the provider. If somebody has paid or stored a method on one, that counts. If the provider does
 * not answer, the page stays.
 */
export async function endPages(services: Parts, driver: PaymentDriver, pages: readonly OpenPayment[]): Promise<void> {
  for (const page of pages)
    try {
      const event = await driver.expire(page);
      if (event !== undefined) await applyPaymentEvent(services, event);
    } catch (error) {
      if (!(error instanceof PaymentUnavailable)) throw error;
      services.log.warn({ err: error, payment: page.paymentId }, 'the payment provider did not end a page');
    }
}

/**
 * Checks whether an organization may be deleted, then ends its open pages. Closing the account checks again, because
 * meanwhile somebody may pay on a page, a payment or charge may begin, or usage may be charged.
 * @throws Refusal payment_under_way, balance_negative, balance_positive; then no page has ended
 */
async function endOrganizationPages(
  services: Parts,
  driver: PaymentDriver,
  { organizationId, forfeitedMicros }: { organizationId: string; forfeitedMicros: number },
): Promise<void> {
  const { db, clock } = services;
  await refuseUnderWay(db, organizationId, { exceptPages: true });
  const left = (await availableMicros(db, organizationId)) ?? 0;
  await refuseBalance(db, { organizationId, left, forfeitedMicros }, clock());
  const pages = await db
    .selectFrom('payments')
    .select(PAGE)
    .where('organization_id', '=', organizationId)
    .where('state', 'in', ON_PAGE)
    .where('page_id', 'is not', null)
    .execute();
  await endPages(services, driver, pages);
}

/** The cause of an account's last entry, which brings the balance to 0. */
const closedCause = (organizationId: string): string => `closed:${organizationId}`;

/**
 * Closes the account of an organization that is being deleted: posts its usage, forfeits the balance, and ends what
 * waits. Keeps the account with its entries and payments. Queues the closing of the customer at the payment provider.
 * @returns the forfeited balance, micro-USD
 * @throws Refusal payment_under_way, balance_negative, or balance_positive if the caller has read another
 * balance
 */
async function closeAccount(
  trx: Transaction<Schema>,
  services: Parts,
  { organizationId, forfeitedMicros }: { organizationId: string; forfeitedMicros: number },
  now: Date,
): Promise<number> {
  const account = await lockAccount(trx, organizationId);
  if (account === undefined) return 0;
  await refuseUnderWay(trx, organizationId);
  await postAllDays(trx, organizationId, now);
  const left = (await availableMicros(trx, organizationId)) ?? 0;
  await refuseBalance(trx, { organizationId, left, forfeitedMicros }, now);
  if (left !== 0)
    await postEntry(trx, {
      organizationId,
      kind: 'correction',
      micros: -left,
      cause: closedCause(organizationId),
      description: `${left > 0 ? 'Balance forfeited' : 'Debt written off'}: the organization was deleted`,
      at: now,
    });
  await endWaits(trx, services, organizationId);
  await trx
    .insertInto('required_migrations')
    .values({ name: MIGRATION })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await trx
    .updateTable('accounts')
    .set({
      closed_at: now,
      ...NO_METHOD,
      ...GOES_ON,
      customer_id: null,
      // Receipts have copies of these.
      billing_name: '',
      billing_address: '',
      tax_id: '',
    })
    .where('organization_id', '=', organizationId)
    .execute();
  if (account.customer_id !== null)
    await closeCustomer(trx, { organizationId, customerId: account.customer_id, methodId: account.method_id }, now);
  return left;
}

/** Whether a negative balance must be paid: from one cent on, and only if anything has a price, else nobody can pay. */
const isDebt = async (db: Db, left: number, now: Date): Promise<boolean> =>
  left <= -MICROS_PER_CENT && (await hasPrices(db, now));

/**
 * Refuses the deletion if there is a debt that must be paid, or if the caller has confirmed less than would be lost.
 * The balance may have fallen since the caller read it, by usage of at least a day.
 * @param balance `left`: the present balance; `forfeitedMicros`: the balance that the caller has confirmed; micro-USD
 * @throws Refusal balance_negative, balance_positive
 */
async function refuseBalance(
  db: Db,
  { organizationId, left, forfeitedMicros }: { organizationId: string; left: number; forfeitedMicros: number },
  now: Date,
): Promise<void> {
  if (await isDebt(db, left, now))
    throw new Refusal(
      'conflict',
      'balance_negative',
      `The organization owes ${toUsd(-left)} USD. Pay first, or have the operator settle it, then delete it.`,
    );
  const readMicros = left + (await chargedLately(db, organizationId, now));
  if (forfeitedMicros < left || forfeitedMicros > Math.max(0, readMicros))
    throw new Refusal(
      'conflict',
      'balance_positive',
      left > 0
        ? `The balance of ${toUsd(left)} USD would be lost. To delete the organization anyway, confirm that amount in lost_micros.`
        : 'Nothing of the balance would be lost. To delete the organization, leave lost_micros out.',
    );
}

/** The balance to show before a deletion, micro-USD; a debt that need not be paid is 0. Undefined if it is gone. */
async function balanceAtEnd({ db, clock }: Parts, organizationId: string): Promise<number | undefined> {
  const left = await availableMicros(db, organizationId);
  return left !== undefined && left < 0 && !(await isDebt(db, left, clock())) ? 0 : left;
}

/**
 * Refuses the deletion while a payment is under way, because its money would come to a closed account.
 * @param exceptPages ignore payments whose page can be ended first
 * @throws Refusal payment_under_way
 */
async function refuseUnderWay(db: Db, organizationId: string, { exceptPages = false } = {}): Promise<void> {
  const underWay = await db
    .selectFrom('payments')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where((eb) =>
      eb.or([
        eb.and([eb('kind', '=', 'payment'), eb('state', 'in', waitingStates('payment'))]),
        eb.and([eb('kind', '=', 'autopay'), eb('state', 'in', statesBefore('autopay', 'never_made'))]),
      ]),
    )
    .$if(exceptPages, (query) =>
      query.where((eb) => eb.or([eb('state', 'not in', ON_PAGE), eb('page_id', 'is', null)])),
    )
    .executeTakeFirst();
  if (underWay !== undefined)
    throw new Refusal(
      'conflict',
      'payment_under_way',
      'A payment is under way. Delete the organization when it has ended.',
    );
}

/** Drops charges that are not sent, ends setups, and removes pages and holds. */
async function endWaits(trx: Transaction<Schema>, services: Parts, organizationId: string): Promise<void> {
  await dropDue(trx, organizationId, { evenRefused: true });
  await endSetups(trx, services, organizationId, 'expired');
  await trx.updateTable('payments').set({ url: null }).where('organization_id', '=', organizationId).execute();
  await trx.deleteFrom('account_holds').where('organization_id', '=', organizationId).execute();
}

/** Ends setups that wait. Requires the account's lock. @returns their pages, which are still open at the provider */
export async function endSetups(
  trx: Transaction<Schema>,
  services: Parts,
  organizationId: string,
  event: 'expired' | 'removed',
  error_message: string | null = null,
): Promise<OpenPayment[]> {
  const setups = await trx
    .selectFrom('payments')
    .select(PAGE)
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'setup')
    .where('state', 'in', waitingStates('setup'))
    .execute();
  for (const { paymentId } of setups) await movePayment(trx, services, paymentId, event, { error_message });
  return setups.filter(({ pageId }) => pageId !== null);
}

/** What the deletion of an organization needs from this area. */
export const booksOf = (services: Parts, driver: PaymentDriver): Books => ({
  endPages: (organizationId, forfeitedMicros) =>
    endOrganizationPages(services, driver, { organizationId, forfeitedMicros }),
  balance: (organizationId) => balanceAtEnd(services, organizationId),
  cancelOnDelete,
  removeUsage,
  closeAccount: (trx, closing, now) => closeAccount(trx, services, closing, now),
  mailDeletion: (trx, gone) => mailDeletion(trx, services, gone),
});

/** Queues the closing of a customer; the job retries until it is done. */
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

/** Customers that are not closed yet. */
export const listGoneCustomers = (db: Db) =>
  db.selectFrom('gone_customers').selectAll().orderBy('gone_at').orderBy('id').execute();

/** Removes the method and then the customer at the payment provider; each may be gone already. */
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
