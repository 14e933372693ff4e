import type { Transaction } from 'kysely';
import type { BillingSettings, BillingSettingsUpdate } from '#contract/billing.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { changesOf, recordAudit, type Act } from '../../tenancy/audit/log.ts';
import { organizationNotFound } from '../../tenancy/not-found.ts';
import { lockAccount, type Account } from '../ledger/accounts.ts';
import { scheduleAutopay } from '../ledger/schedule.ts';
import { dropDue } from '../ledger/life.ts';
import { moveAutopay } from '../payments/stop.ts';
import { toUsd } from '../usage/prices.ts';

export const settingsOf = (account: Account): BillingSettings => ({
  autopay: {
    enabled: account.autopay_enabled,
    threshold_micros: account.threshold_micros,
    amount_micros: account.amount_micros,
  },
  details: { name: account.billing_name, address: account.billing_address, tax_id: account.tax_id },
});

/** @throws Refusal not_found if the organization was deleted meanwhile */
export async function readAccount(db: Db, organizationId: string): Promise<Account> {
  const account = await db
    .selectFrom('accounts')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (account === undefined) throw organizationNotFound();
  return account;
}

/** {@link readAccount} with a lock until the transaction ends. */
export async function holdAccount(trx: Db, organizationId: string): Promise<Account> {
  const account = await lockAccount(trx, organizationId);
  if (account === undefined) throw organizationNotFound();
  return account;
}

/**
 * Changes the settings of autopay and the payer on receipts. Charges if the balance is below a new threshold. Turning
 * autopay off also ends the error of a decline.
 * @throws Refusal not_found, payment_method_missing
 */
export async function updateSettings(
  services: Pick<Services, 'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl'>,
  act: Act,
  organizationId: string,
  wanted: BillingSettingsUpdate,
): Promise<BillingSettings> {
  return services.db.transaction().execute(async (trx) => {
    const account = await holdAccount(trx, organizationId);
    const before = settingsOf(account);
    const after: BillingSettings = {
      autopay: wanted.autopay ?? before.autopay,
      details: wanted.details ?? before.details,
    };
    if (after.autopay.enabled && account.method_id === null)
      throw new Refusal('conflict', 'payment_method_missing', 'Autopay needs a payment method. Set one up first.');
    await trx
      .updateTable('accounts')
      .set({
        autopay_enabled: after.autopay.enabled,
        threshold_micros: after.autopay.threshold_micros,
        amount_micros: after.autopay.amount_micros,
        billing_name: after.details.name,
        billing_address: after.details.address,
        tax_id: after.details.tax_id,
      })
      .where('organization_id', '=', organizationId)
      .execute();
    if (!after.autopay.enabled) {
      await dropDue(trx, organizationId);
      await moveAutopay(trx, services, organizationId, 'ended');
    }
    await noteChanges(trx, act, organizationId, before, after);
    await scheduleAutopay(trx, organizationId, act.at);
    return after;
  });
}

async function noteChanges(
  trx: Transaction<Schema>,
  act: Act,
  organizationId: string,
  before: BillingSettings,
  after: BillingSettings,
): Promise<void> {
  const onOff = ({ autopay }: BillingSettings): string => (autopay.enabled ? 'on' : 'off');
  const usd = (micros: number): string => `${toUsd(micros)} USD`;
  const detail = changesOf({
    autopay: [onOff(before), onOff(after)],
    threshold: [usd(before.autopay.threshold_micros), usd(after.autopay.threshold_micros)],
    amount: [usd(before.autopay.amount_micros), usd(after.autopay.amount_micros)],
    'billing name': [before.details.name, after.details.name],
    'billing address': [before.details.address, after.details.address],
    'tax id': [before.details.tax_id, after.details.tax_id],
  });
  if (detail !== '')
    await recordAudit(trx, act, { organizationId, action: 'billing.updated', subject: 'Billing', detail });
}
