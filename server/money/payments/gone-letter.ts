import type { Transaction } from 'kysely';
import { receiptTitle } from '#contract/transactions.ts';
import { momentOf } from '../../identity/accounts/mails.ts';
import type { Services } from '../../platform/context.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { inUsd } from '../billing/amounts.ts';
import { receiptNumber } from '../ledger/receipts.ts';
import { toUsd } from '../usage/prices.ts';
import { mailReaders } from './readers.ts';

/** The largest number of receipts that the mail lists. */
const LISTED = 50;

/**
 * Mails owners and billing members that their organization was deleted, with a list of its receipts, which nobody can
 * open any more. Call it before the memberships are deleted.
 * @param gone `by`: an e-mail address; `forfeitedMicros`: the lost balance, micro-USD; negative for a debt
 */
export async function mailDeletion(
  trx: Transaction<Schema>,
  services: Pick<Services, 'mail' | 'config' | 'publicUrl'>,
  { organizationId, by, forfeitedMicros }: { organizationId: string; by: string; forfeitedMicros: number },
): Promise<void> {
  const receipts = await listReceipts(trx, organizationId);
  const { supportEmail } = services.config;
  const seller = supportEmail === undefined ? 'the seller' : `the seller (${supportEmail})`;
  await mailReaders(trx, services, organizationId, (organization) => ({
    page: null,
    action: 'Open the console',
    title: 'Your organization was deleted',
    before: [
      `${organization} was deleted by ${by}, with all of its projects.`,
      ...(forfeitedMicros > 0 ? [`Its balance of ${toUsd(forfeitedMicros)} USD was lost.`] : []),
      ...(forfeitedMicros < 0 ? [`What it owed, ${toUsd(-forfeitedMicros)} USD, was written off.`] : []),
      ...(receipts.length > 0
        ? [`Its receipts can't be opened any more. Ask ${seller} for copies of them by their numbers:`]
        : []),
    ].join(' '),
    list: receipts,
    after: 'Nothing is charged for it any more.',
  }));
}

/** A line for each receipt, latest first: title, date and total. The last line counts those beyond {@link LISTED}. */
async function listReceipts(trx: Transaction<Schema>, organizationId: string): Promise<string[]> {
  const receipts = trx.selectFrom('receipts').where('organization_id', '=', organizationId);
  const rows = await receipts
    .select(['kind', 'series', 'number', 'at', 'total_micros'])
    .orderBy('at', 'desc')
    .orderBy('number', 'desc')
    .limit(LISTED)
    .execute();
  const { count } = await receipts.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow();
  const more = Number(count) - rows.length;
  return [
    ...rows.map(
      ({ kind, series, number, at, total_micros }) =>
        `${receiptTitle({ kind, number: receiptNumber(series, number) })}, ${momentOf(at)}: ${inUsd(total_micros)} USD`,
    ),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}
