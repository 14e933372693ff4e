import { sql } from 'kysely';
import type { PaymentAttempt, PaymentMethod } from '#contract/billing.ts';
import type { PaymentStatus } from '#contract/paying.ts';
import { Refusal, notFound } from '../../platform/refusal.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { atOneMoment } from '../../platform/db/moment.ts';
import { hurryJobs } from '../../platform/jobs/queue.ts';
import { recordAudit, type Act } from '../../tenancy/audit/log.ts';
import { NO_METHOD, type Account, type Payment } from '../ledger/accounts.ts';
import { scheduleAutopay, AUTOPAY } from '../ledger/schedule.ts';
import { isStale } from '../ledger/mode.ts';
import { dropDue, listed, ORDERED, UNASKED, WAITING } from '../ledger/life.ts';
import { releaseAll } from '../payments/holds.ts';
import { endPages, endSetups } from '../payments/leave.ts';
import { PaymentUnavailable, type PaymentDriver } from '../payments/port.ts';
import { methodName } from '../payments/apply-event.ts';
import { moveAutopay } from '../payments/stop.ts';
import { hasPrices } from '../usage/price-lists.ts';
import { chargesAtOnce } from './charges-at-once.ts';
import { errorOf, versionOf } from './error.ts';
import { holdAccount, readAccount } from './settings.ts';

/** What calls about payments need. */
export interface Paying {
  services: Services;
  driver: PaymentDriver;
}

/** @throws PaymentUnavailable if this server has test payments and the database real ones */
export async function refuseStale(db: Db, { config }: Services): Promise<void> {
  if (await isStale(db, config)) throw new PaymentUnavailable(new Error('Payments are real now.'));
}

/**
 * Removes the payment method, even one that is stored meanwhile. Turns autopay off, drops charges that are not sent
 * yet, and ends setups that were begun before.
 */
export async function removeMethod(paying: Paying, act: Act, organizationId: string): Promise<PaymentStatus> {
  const { services, driver } = paying;
  const { method_id } = await readAccount(services.db, organizationId);
  if (method_id === null) return readStatus(paying, organizationId);
  await orUnavailable(async () => {
    await refuseStale(services.db, services);
    await driver.forget(method_id);
  });
  const pages = await services.db.transaction().execute(async (trx) => {
    const account = await holdAccount(trx, organizationId);
    if (account.method_id !== method_id) return undefined;
    await trx.updateTable('accounts').set(NO_METHOD).where('organization_id', '=', organizationId).execute();
    await dropDue(trx, organizationId);
    await moveAutopay(trx, services, organizationId, 'removed');
    await scheduleAutopay(trx, organizationId, act.at);
    await recordAudit(trx, act, { organizationId, action: 'payment_method.removed', subject: methodName(account) });
    return endSetups(trx, services, organizationId, 'removed', REMOVED_SINCE);
  });
  if (pages === undefined) return removeMethod(paying, act, organizationId);
  await endPages(services, driver, pages);
  return readStatus(paying, organizationId);
}

const REMOVED_SINCE = 'The payment method was removed after this setup was begun. Begin another one to store a method.';

/**
 * Resets the payment error. Autopay charges at once if the balance is below its threshold, and soon asks the provider
 * about charges without an outcome.
 * @param version of the error that the caller has read; a newer error is not reset
 * @returns the status just after the reset; the next charge may bring another error
 * @throws Refusal not_found, payment_error_changed
 */
export async function resetError(
  paying: Paying,
  act: Act,
  organizationId: string,
  version: string,
): Promise<PaymentStatus> {
  return paying.services.db.transaction().execute(async (trx) => {
    const account = await holdAccount(trx, organizationId);
    const { error_message } = account;
    if (error_message !== null) {
      if ((await versionOf(trx, account)) !== version) throw errorChanged();
      await dropDue(trx, organizationId);
      await releaseAll(trx, paying.services, organizationId);
      await scheduleAutopay(trx, organizationId, act.at);
      await hurryJobs(trx, { kind: AUTOPAY, subjects: await askSoon(trx, organizationId, act.at), now: act.at });
      await recordAudit(trx, act, {
        organizationId,
        action: 'payment_error.reset',
        subject: 'Billing',
        detail: error_message,
      });
    }
    return statusOf(trx, paying, organizationId);
  });
}

const errorChanged = () =>
  new Refusal('conflict', 'payment_error_changed', 'The error has changed since it was shown. Read what it says now.');

/** Makes sent charges due to be asked about. @returns their ids */
async function askSoon(trx: Db, organizationId: string, now: Date): Promise<string[]> {
  const rows = await trx
    .updateTable('payments')
    .set({ check_at: now, unheard_since: null })
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'autopay')
    .where('state', 'in', ORDERED)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * SQL over a row of `payments`: a postponed try of autopay, which is shown with the error, or a refused one, which is
 * only looked for. Neither is a pending payment.
 */
export const isPutOff = (now: Date) => sql<boolean>`(
  (payments.state in ${listed(UNASKED)} and payments.run_at > ${now})
  or (payments.state in ${listed(WAITING)} and payments.refusal is not null)
)`;

/** The status of payments, read at one moment. @throws Refusal not_found for an attempt of another organization */
export const readStatus = (paying: Paying, organizationId: string, attempt?: string): Promise<PaymentStatus> =>
  atOneMoment(paying.services.db, (trx) => statusOf(trx, paying, organizationId, attempt));

async function statusOf(
  db: Db,
  { services, driver }: Paying,
  organizationId: string,
  attempt?: string,
): Promise<PaymentStatus> {
  const account = await readAccount(db, organizationId);
  const row = await db
    .selectFrom('payments')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where((eb) => (attempt === undefined ? eb.not(isPutOff(services.clock())) : eb('id', '=', attempt)))
    .orderBy('position', 'desc')
    .executeTakeFirst();
  if (attempt !== undefined && row === undefined) throw notFound();
  return {
    mode: driver.mode,
    is_charging: await hasPrices(db, services.clock()),
    method: methodOf(account),
    attempt: row === undefined ? null : attemptOf(row),
    error: await errorOf(db, account),
    ...(await chargesAtOnce(db, account, services.clock())),
  };
}

export function methodOf(account: Account): PaymentMethod | null {
  const { method_id, method_brand: brand, method_last4: last4 } = account;
  if (method_id === null || brand === null || last4 === null) return null;
  return {
    brand,
    last4,
    expires_month: account.method_expires_month ?? 12,
    expires_year: account.method_expires_year ?? 9999,
  };
}

/** States on the wire. */
const WIRE_STATES: Record<Payment['state'], PaymentAttempt['state']> = {
  due: 'processing',
  sent: 'processing',
  open: 'open',
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'canceled',
};

export const attemptOf = ({ id, kind, state, amount_micros, error_message, created_at }: Payment): PaymentAttempt => ({
  uuid: id,
  kind,
  state: WIRE_STATES[state],
  amount_micros,
  error: error_message,
  created_at: created_at.toISOString(),
});

/** Turns PaymentUnavailable into an answer. @throws Refusal payment_unavailable */
export async function orUnavailable<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof PaymentUnavailable)) throw error;
    throw new Refusal(
      'unavailable',
      'payment_unavailable',
      'The payment provider does not answer. Nothing was charged. Please try again later.',
    );
  }
}
