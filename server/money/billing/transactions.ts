import { sql } from 'kysely';
import type { Transaction, TransactionKind, TransactionPage } from '#contract/transactions.ts';
import type { Db } from '../../platform/db/database.ts';
import { atOneMoment } from '../../platform/db/moment.ts';
import { readLeft } from '../ledger/accounts.ts';
import { usageCause, usageText } from '../ledger/posting.ts';
import { receiptNumber } from '../ledger/receipts.ts';

/** Without a kind, transactions of all kinds. */
type OfKind = { kind?: TransactionKind | undefined };

/**
 * A page of the entries that changed the balance, newest first; and the balance with what is not posted yet, at one
 * moment (BIL-08).
 */
export const readTransactionPage = (
  db: Db,
  organizationId: string,
  { return_total, ...asked }: OfKind & { limit: number; offset: number; return_total: 'true' | 'false' },
): Promise<TransactionPage> =>
  atOneMoment(db, async (trx) => {
    const { left, unposted } = (await readLeft(trx, organizationId)) ?? { left: 0, unposted: 0 };
    return {
      transactions: await readTransactions(trx, organizationId, asked),
      total: return_total === 'true' ? await countTransactions(trx, organizationId, asked) : null,
      unposted_micros: unposted,
      balance_micros: left,
    };
  });

const entriesOf = (db: Db, organizationId: string, { kind }: OfKind) =>
  db
    .selectFrom('ledger_entries as e')
    .where('e.organization_id', '=', organizationId)
    .where((eb) => (kind === undefined ? eb.lit(true) : eb('e.kind', '=', kind)));

async function countTransactions(db: Db, organizationId: string, of: OfKind): Promise<number> {
  const { total } = await entriesOf(db, organizationId, of)
    .select((eb) => eb.fn.countAll().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** Transactions, newest first. */
export async function readTransactions(
  db: Db,
  organizationId: string,
  { limit, offset = 0, ...of }: OfKind & { limit: number; offset?: number },
): Promise<Transaction[]> {
  const rows = await withReceipts(db, organizationId, of)
    .limit(limit)
    .offset(sql<number>`${offset}`)
    .execute();
  return rows.map((row) => toTransaction(organizationId, row));
}

/** All transactions, newest first, in pieces. Those that are entered meanwhile are left out. */
export async function* transactionPieces(
  db: Db,
  organizationId: string,
  of: OfKind,
  size: number,
): AsyncGenerator<Transaction[]> {
  let before: number | undefined;
  do {
    const rows = await withReceipts(db, organizationId, of)
      .where((eb) => (before === undefined ? eb.lit(true) : eb('e.position', '<', before)))
      .limit(size)
      .execute();
    yield rows.map((row) => toTransaction(organizationId, row));
    before = rows.length < size ? undefined : rows.at(-1)?.position;
  } while (before !== undefined);
}

const withReceipts = (db: Db, organizationId: string, of: OfKind) =>
  entriesOf(db, organizationId, of)
    .leftJoin('receipts', 'receipts.entry_id', 'e.id')
    .select([
      'e.id',
      'e.position',
      'e.kind',
      'e.cause',
      'e.amount_micros',
      'e.balance_after_micros',
      'e.description',
      'e.at',
      sql<string | null>`day::text`.as('day'),
      'receipts.kind as receipt_kind',
      'receipts.series',
      'receipts.number',
    ])
    .orderBy('e.position', 'desc');

type Row = Awaited<ReturnType<ReturnType<typeof withReceipts>['executeTakeFirstOrThrow']>>;

const toTransaction = (
  organizationId: string,
  { id, kind, at, day, cause, description, receipt_kind, series, number, ...row }: Row,
): Transaction => ({
  uuid: id,
  kind,
  amount_micros: row.amount_micros,
  balance_after_micros: row.balance_after_micros,
  // Entries of earlier versions have another wording.
  description:
    kind === 'usage' && day !== null ? usageText(day, cause !== usageCause(organizationId, day)) : description,
  day,
  at: at.toISOString(),
  receipt:
    receipt_kind === null || series === null || number === null
      ? null
      : { kind: receipt_kind, number: receiptNumber(series, number) },
});
