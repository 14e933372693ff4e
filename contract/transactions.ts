/** What changed an organization's balance, and the papers of it (BIL-08). Amounts are whole micro-USD. */
import * as v from 'valibot';
import { PAGE_SIZE, PAGE_SIZE_MAX, Timestamp, Uuid, pageLimit } from './fields.ts';
import { UsageDay } from './usage.ts';

const Micros = v.pipe(v.number(), v.safeInteger());
const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** `usage`: of one day, posted once after it; `fee`: what a dispute costs besides; `correction`: by the operator. */
export const TRANSACTION_KINDS = ['payment', 'usage', 'refund', 'dispute', 'fee', 'credit', 'correction'] as const;
export const TransactionKind = v.picklist(TRANSACTION_KINDS);
export type TransactionKind = v.InferOutput<typeof TransactionKind>;
/** The kinds in words for people. */
export const TRANSACTION_NAMES: Readonly<Record<TransactionKind, string>> = {
  payment: 'Payment',
  usage: 'Usage',
  refund: 'Refund',
  dispute: 'Dispute',
  fee: 'Dispute fee',
  credit: 'Credit',
  correction: 'Correction',
};

/** Papers of a payment, of a refund, and of a refund that failed. */
export const RECEIPT_KINDS = ['receipt', 'credit_note', 'reversal'] as const;
export type ReceiptKind = (typeof RECEIPT_KINDS)[number];
/** The papers in words for people. */
export const RECEIPT_NAMES: Readonly<Record<ReceiptKind, string>> = {
  receipt: 'Receipt',
  credit_note: 'Credit note',
  reversal: 'Reversal',
};

/** 'Credit note R-000017'. */
export const receiptTitle = ({ kind, number }: { kind: ReceiptKind; number: string }): string =>
  `${RECEIPT_NAMES[kind]} ${number}`;

export const Transaction = v.object({
  uuid: Uuid,
  kind: TransactionKind,
  /** Positive if it raises the balance. */
  amount_micros: Micros,
  /** The posted balance after it, without usage that is not posted yet. */
  balance_after_micros: Micros,
  /** A text for people, such as `Usage on May 4, 2026 (UTC)`. */
  description: v.string(),
  /** The day of the usage; null for other kinds. */
  day: v.optional(v.nullable(UsageDay), null),
  /** When it was posted; usage is posted after its day. */
  at: Timestamp,
  /** The number is never used again. Null if the transaction has no receipt. */
  receipt: v.nullable(v.object({ kind: v.picklist(RECEIPT_KINDS), number: v.string() })),
});
export type Transaction = v.InferOutput<typeof Transaction>;

/** Which transactions are meant; those of all kinds without one. */
const kind = v.optional(TransactionKind);

/** Query of GET …/billing/transactions/ (BIL-08), newest first. */
export const TransactionsQuery = v.object({
  kind,
  limit: v.optional(pageLimit(PAGE_SIZE_MAX), String(PAGE_SIZE)),
  offset: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,9}$/, 'offset must be a whole number, 0 or above.'),
      v.transform(Number),
      v.number(),
    ),
    '0',
  ),
  /** Whether to count the transactions of the kind. */
  return_total: v.optional(v.picklist(['true', 'false']), 'false'),
});
export const TransactionPage = v.object({
  transactions: v.array(Transaction),
  /** Null unless `return_total` asked for it. */
  total: v.nullable(Count),
  /** Usage that is not posted yet: the balance is the one after the newest transaction, less this. May be negative. */
  unposted_micros: v.optional(Micros, 0),
  /** The balance: the newest transaction may be of another kind. Null from servers that know no kinds. */
  balance_micros: v.optional(v.nullable(Micros), null),
});
export type TransactionPage = v.InferOutput<typeof TransactionPage>;

/** Query of GET …/billing/transactions/export/. */
export const TransactionExportQuery = v.object({ kind });
/** The name of the file: 'transactions-2026-05-04.csv', or 'transactions-dispute-fee-2026-05-04.csv'. */
export const transactionsFileName = (of: TransactionKind | undefined, now: Date): string =>
  [
    'transactions',
    ...(of === undefined ? [] : [TRANSACTION_NAMES[of].toLowerCase().replaceAll(' ', '-')]),
    `${now.toISOString().slice(0, 10)}.csv`,
  ].join('-');

/** GET …/billing/transaction/{transaction}/receipt-url/: an absolute address that works for a while, without a session. */
export const ReceiptUrl = v.object({ url: v.pipe(v.string(), v.url()), expires_at: Timestamp });
export type ReceiptUrl = v.InferOutput<typeof ReceiptUrl>;
