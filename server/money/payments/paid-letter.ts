import type { Transaction } from 'kysely';
import { momentOf } from '../../identity/accounts/mails.ts';
import type { Services } from '../../platform/context.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { inUsd } from '../billing/amounts.ts';
import { paidWithText, receiptUrl } from '../billing/receipts.ts';
import type { Payment } from '../ledger/accounts.ts';
import { receiptNumber } from '../ledger/receipts.ts';
import { paidCause } from './entries.ts';
import { mailReaders } from './readers.ts';

/**
 * Mails owners, billing members and the payer that a payment has arrived: what it was paid with, and the number of its
 * receipt with a link to it. Call it in the transaction that issues the receipt, so that the mail is sent once.
 */
export async function mailReceipt(
  trx: Transaction<Schema>,
  services: Pick<Services, 'mail' | 'config' | 'publicUrl' | 'secretFor' | 'clock'>,
  { id, kind, organization_id: organizationId, begun_by }: Payment,
): Promise<void> {
  const receipt = await trx
    .selectFrom('receipts')
    .innerJoin('ledger_entries', 'ledger_entries.id', 'receipts.entry_id')
    .innerJoin('payments', 'payments.id', 'ledger_entries.payment_id')
    .select(['entry_id', 'receipts.series', 'receipts.number', 'total_micros', 'is_test', 'paid_brand', 'paid_last4'])
    .where('ledger_entries.cause', '=', paidCause(id))
    .executeTakeFirstOrThrow();
  const { url, expires_at } = await receiptUrl({ ...services, db: trx }, organizationId, receipt.entry_id);
  const number = receiptNumber(receipt.series, receipt.number);
  const paidWith = paidWithText(receipt);
  const amount = `${inUsd(receipt.total_micros)} USD`;
  const untilWhen = `This link works until ${momentOf(new Date(expires_at))}.`;
  const list = `${services.publicUrl()}/org/${organizationId}/billing/transactions/`;
  const write = (organization: string, { mayPay }: { mayPay: boolean }) => ({
    page: 'transactions' as const,
    link: url,
    action: 'Open the receipt',
    title: `Payment of ${amount} received`,
    before: [
      `${kind === 'autopay' ? `Autopay charged ${amount}` : `We received your payment of ${amount}`} and added it to the balance of ${organization}.`,
      ...(paidWith === null ? [] : [`It was paid with ${paidWith}.`]),
      `The receipt is ${number}.`,
      ...(receipt.is_test ? ['This was a test: no money moved.'] : []),
    ].join(' '),
    after: mayPay ? `${untilWhen} After that, open the receipt among the transactions: ${list}` : untilWhen,
  });
  await mailReaders(trx, services, organizationId, write, begun_by);
}
