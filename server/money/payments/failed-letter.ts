import type { Transaction } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { inUsd } from '../billing/amounts.ts';
import type { Payment } from '../ledger/accounts.ts';
import { mailPayer } from './readers.ts';

/** Mails the payer that a payment that the provider had taken has failed after all. */
export async function mailFailure(
  trx: Transaction<Schema>,
  services: Pick<Services, 'mail' | 'config' | 'publicUrl'>,
  payment: Payment,
  message: string,
): Promise<void> {
  const amount = `${inUsd(payment.amount_micros ?? 0)} USD`;
  await mailPayer(trx, services, payment, (organization, { isPayer, mayPay }) => ({
    page: 'overview',
    action: 'Open billing',
    title: 'A payment failed',
    before: `${isPayer ? 'Your' : 'A'} payment of ${amount} for ${organization} failed: ${message}`,
    after: `Nothing was added to the balance.${mayPay ? ' Pay again, with another payment method if this one fails again.' : ''}`,
  }));
}
