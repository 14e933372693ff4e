/** Begins payments by hand and setups of payment methods, up to the provider's page. */
import type { Transaction } from 'kysely';
import type { HostedPage } from '#contract/paying.ts';
import { Refusal } from '../../platform/refusal.ts';
import { countCall } from '../../platform/rate-limit.ts';
import type { Services } from '../../platform/context.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { recordAudit, type Act } from '../../tenancy/audit/log.ts';
import { organizationNotFound } from '../../tenancy/not-found.ts';
import { lockAccount, NO_METHOD, type Account, type Payment } from '../ledger/accounts.ts';
import { endOfPageless, FIRST, LEFT, movePayment, ON_PAGE } from '../ledger/life.ts';
import { moneyModeOf } from '../ledger/mode.ts';
import { closeCustomer } from '../payments/leave.ts';
import { methodName } from '../payments/apply-event.ts';
import { hasPrices } from '../usage/price-lists.ts';
import { toUsd } from '../usage/prices.ts';
import { orUnavailable, refuseStale, type Paying } from './paying.ts';
import { holdAccount } from './settings.ts';

/** Payments and setups that an organization may begin at a time. */
const BEGINNINGS = { burst: 20, everyMs: 60_000 };

/** The payment to begin; without an amount, the setup of a payment method. */
interface PaymentRequest {
  attempt: string;
  amountMicros: number | null;
}

/**
 * Begins a payment or a setup. Writes its row before calling the provider, so that every event finds a row. The same
 * attempt again leads to the same page.
 * @throws Refusal not_found, payment_ended or nothing_charged, limit, payment_unavailable
 */
export async function begin(
  paying: Paying,
  act: Act,
  organizationId: string,
  wanted: PaymentRequest,
): Promise<HostedPage> {
  const { services, driver } = paying;
  await countCall(services, `payments:${organizationId}`, BEGINNINGS);
  if (wanted.amountMicros !== null && !(await hasPrices(services.db, services.clock())))
    throw new Refusal('conflict', 'nothing_charged', 'This server charges nothing, and takes no payments.');
  const { account, organization } = await orUnavailable(() =>
    services.db.transaction().execute((trx) => addAttempt(trx, services, act, organizationId, wanted)),
  );
  const place = wanted.amountMicros === null ? 'payment-setup' : 'overview';
  return orUnavailable(async () => {
    const customerId = await driver.createCustomer({
      organizationId,
      name: organization.name,
      email: organization.contact_email,
      customerId: account.customer_id ?? undefined,
    });
    if (account.customer_id !== customerId) await keepCustomer(services, act, organizationId, customerId);
    const { url, id } = await driver.openPage({
      paymentId: wanted.attempt,
      customerId,
      amountMicros: wanted.amountMicros,
      returnUrl: `${services.publicUrl()}/org/${organizationId}/billing/${place}/?attempt=${wanted.attempt}`,
    });
    await keepPage(services, organizationId, wanted.attempt, { url, page_id: id });
    return { attempt: wanted.attempt, url };
  }).catch(async (error: unknown) => {
    await endUnbegun(services, organizationId, wanted.attempt);
    throw error;
  });
}

async function keepPage(
  services: Services,
  organizationId: string,
  id: string,
  page: { url: string; page_id: string },
): Promise<void> {
  await services.db.transaction().execute(async (trx) => {
    if ((await lockAccount(trx, organizationId)) === undefined) throw organizationNotFound();
    await refuseStale(trx, services);
    const payment = await trx
      .selectFrom('payments')
      .select(['state', 'page_id'])
      .where('id', '=', id)
      .executeTakeFirst();
    // The provider has one page for an attempt, which may have ended meanwhile.
    if (payment === undefined || isOver(payment)) throw paymentEnded();
    await trx.updateTable('payments').set(page).where('id', '=', id).execute();
    await movePayment(trx, services, id, 'shown');
  });
}

/** Ends an attempt that got no page. The same attempt may be made again. */
async function endUnbegun(services: Services, organizationId: string, id: string): Promise<void> {
  await services.db.transaction().execute(async (trx) => {
    if ((await lockAccount(trx, organizationId)) === undefined) return;
    const paged = await trx.selectFrom('payments').select('page_id').where('id', '=', id).executeTakeFirst();
    if (paged?.page_id === null) await movePayment(trx, services, id, 'unbegun');
  });
}

/**
 * Stores the customer of the provider. A new customer replaces an old one of another provider, whose payment method is
 * lost. If the organization was deleted meanwhile, closes the customer. @throws Refusal not_found
 */
async function keepCustomer(services: Services, act: Act, organizationId: string, customerId: string): Promise<void> {
  const isKept = await services.db.transaction().execute(async (trx) => {
    const before = await lockAccount(trx, organizationId);
    await refuseStale(trx, services);
    if (before === undefined) {
      await closeCustomer(trx, { organizationId, customerId, methodId: null }, act.at);
      return false;
    }
    const { customer_id } = before;
    if (customer_id === customerId) return true;
    await trx
      .updateTable('accounts')
      .set({ customer_id: customerId, ...(customer_id !== null && NO_METHOD) })
      .where('organization_id', '=', organizationId)
      .execute();
    if (customer_id !== null && before.method_id !== null)
      await recordAudit(trx, act, {
        organizationId,
        action: 'payment_method.removed',
        subject: methodName(before),
        detail: `The payment provider has another customer now${before.autopay_enabled ? '; autopay: on → off' : ''}`,
      });
    return true;
  });
  if (!isKept) throw organizationNotFound();
}

async function addAttempt(
  trx: Transaction<Schema>,
  services: Services,
  act: Act,
  organizationId: string,
  { attempt, amountMicros }: PaymentRequest,
): Promise<{ account: Account; organization: { name: string; contact_email: string } }> {
  const account = await holdAccount(trx, organizationId);
  await refuseStale(trx, services);
  const organization = await trx
    .selectFrom('organizations')
    .select(['name', 'contact_email'])
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  const kind = amountMicros === null ? 'setup' : 'payment';
  // After a restore, the provider may have reported an attempt that this database has lost.
  const refused = trx.selectFrom('refused_events').select('cause').where('payment_id', '=', attempt);
  if ((await refused.executeTakeFirst()) !== undefined) throw paymentEnded();
  const added = await trx
    .insertInto('payments')
    .values({
      id: attempt,
      organization_id: organizationId,
      kind,
      state: FIRST[kind],
      amount_micros: amountMicros,
      mode: moneyModeOf(services.config),
      key: `page:${attempt}`,
      run_at: act.at,
      ends_at: endOfPageless(act.at),
      created_at: act.at,
      begun_by: act.userId,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (added === undefined) await requireOpen(trx, services, organizationId, { attempt, amountMicros });
  else
    await recordAudit(trx, act, {
      organizationId,
      action: kind === 'setup' ? 'payment_method.setup_begun' : 'payment.begun',
      subject: 'Billing',
      detail: amountMicros === null ? '' : `${toUsd(amountMicros)} USD`,
    });
  return { account, organization };
}

/**
 * Requires that a repeated attempt is still open; reopens it if it got no page. A test attempt is over once payments
 * are real.
 * @throws Refusal payment_ended if the attempt is over, or differs from the first one
 */
async function requireOpen(
  trx: Transaction<Schema>,
  services: Services,
  organizationId: string,
  { attempt, amountMicros }: PaymentRequest,
): Promise<void> {
  const known = await trx
    .selectFrom('payments')
    .select(['amount_micros', 'mode', 'state', 'page_id'])
    .where('id', '=', attempt)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  const isOwn = known?.mode === null || known?.mode === moneyModeOf(services.config);
  if (known === undefined || !isOwn || known.amount_micros !== amountMicros) throw paymentEnded();
  if (isOver(known)) throw paymentEnded();
  if (LEFT.includes(known.state)) await movePayment(trx, services, attempt, 'begun');
}

/** Whether the attempt has ended for good. One that got no page can be reopened. */
const isOver = ({ state, page_id }: Pick<Payment, 'state' | 'page_id'>): boolean =>
  !ON_PAGE.includes(state) && (!LEFT.includes(state) || page_id !== null);

const paymentEnded = () => new Refusal('conflict', 'payment_ended', 'This payment is over. Begin another one.');
