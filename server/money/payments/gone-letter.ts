import type { Transaction } from 'kysely';
import { momentOf } from '../../identity/accounts/mails.ts';
import type { Services } from '../../platform/context.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { inUsd } from '../billing/amounts.ts';
import { receiptTitle } from '../billing/receipts.ts';
import { receiptNumber } from '../ledger/receipts.ts';
import { toUsd } from '../usage/prices.ts';
import { mailReaders } from './readers.ts';

/** Receipts that the mail lists. */
const LISTED = 50;

/**
 * Mails the owners of an organization that is being deleted, and who looks after its billing, that it is gone, and which receipts it had:
 * nobody can open those any more. Its memberships must still be there.
 * @param gone `by`: an e-mail address; `forfeitedMicros`: of its balance, micro-USD; below zero what it owed
 */
export async function tellGone(
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

/** Number, date and total of each, in words, the latest first; of those that are too many only how many they are. */
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
