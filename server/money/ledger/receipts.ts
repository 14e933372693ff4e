import { sql } from 'kysely';
import type { Config } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import type { SellerTax } from '../../platform/seller-tax.ts';
import { moneyModeOf } from './mode.ts';
import { continuedSeries, sellerName, seriesOf } from './receipt-series.ts';
import { taxPayment, taxRefund, type Taxed } from './tax.ts';

/** Prefix of the series of test receipts, for which no money moved. */
const TEST_SERIES = 'TEST-';
/** Least number of digits of a receipt number. */
const DIGITS = 6;

/** The number on a receipt, such as R-000017. */
export const receiptNumber = (series: string, number: number): string =>
  `${series}-${String(number).padStart(DIGITS, '0')}`;

/**
 * Issues the receipt of an entry, in the transaction that enters it: a receipt for a payment, a credit note for a
 * refund, a reversal for a refund that failed. Other entries have none. Calling it twice for an entry is a database
 * error.
 *
 * A receipt names the present seller and payer, with the present tax. A credit note takes these from the payment's
 * receipt, a reversal from its credit note.
 *
 * The number is the next one of the seller's series. It stays locked until the transaction ends, so a rollback leaves
 * no gap. A credit note for a payment to an earlier seller is in that seller's series.
 */
export async function issueReceipt(
  trx: Db,
  cause: string,
  { seller, stripe, receiptSeries, tax }: Pick<Config, 'seller' | 'stripe' | 'receiptSeries' | 'tax'>,
): Promise<void> {
  const of = await readEntry(trx, cause);
  if (of === undefined) return;
  const isTest = of.is_test ?? moneyModeOf({ stripe }) !== 'live';
  const taxed = taxOf(of, tax);
  const [now, then] = [seller.join('\n'), of.seller ?? ''];
  const formerSeries = then !== '' && sellerName(then) !== sellerName(now) ? of.series : null;
  const base = (isTest ? TEST_SERIES : '') + receiptSeries;
  await trx
    .insertInto('receipts')
    .values({
      entry_id: of.id,
      organization: of.organization,
      name: of.name,
      address: of.address,
      tax_id: of.tax_id,
      seller: of.seller ?? now,
      is_test: isTest,
      series:
        formerSeries === null
          ? await seriesOf(trx, base, sellerName(now))
          : await continuedSeries(trx, formerSeries, sellerName(then)),
      country: taxed.country,
      tax_rate: taxed.rate,
      tax_micros: taxed.micros,
      tax_note: taxed.note,
    })
    .execute();
}

/** Issues the receipt of a payment that counts from now on, then the credit notes of its charge's earlier refunds. */
export async function issueReceipts(
  trx: Db,
  { paymentId, providerId }: { paymentId: string; providerId: string },
  config: Parameters<typeof issueReceipt>[2],
): Promise<void> {
  const entries = await trx
    .selectFrom('ledger_entries')
    .leftJoin('receipts', 'receipts.entry_id', 'ledger_entries.id')
    .select('cause')
    .where('payment_id', '=', paymentId)
    .where((eb) => eb.or([eb('charge_id', 'is', null), eb('charge_id', '=', providerId)]))
    .where('receipts.entry_id', 'is', null)
    .orderBy(sql`ledger_entries.kind <> 'payment'`)
    .orderBy('position')
    .execute();
  for (const { cause } of entries) await issueReceipt(trx, cause, config);
}

type Entered = NonNullable<Awaited<ReturnType<typeof readEntry>>>;

/** An entry that needs a receipt, with the seller, mode and tax of the receipt that it refers to (`former`). */
async function readEntry(trx: Db, cause: string) {
  const { rows } = await sql<{
    id: string;
    kind: 'payment' | 'refund' | 'correction';
    total_micros: number;
    organization: string;
    name: string;
    address: string;
    tax_id: string;
    seller: string | null;
    series: string | null;
    is_test: boolean | null;
    country: string | null;
    tax_rate: number | null;
    tax_micros: number | null;
    tax_note: string | null;
    given_micros: number;
    given_tax_micros: number;
  }>`
    select e.id, e.kind, abs(e.amount_micros) as total_micros, coalesce(former.organization, o.name, '') as organization,
      coalesce(former.name, a.billing_name) as name, coalesce(former.address, a.billing_address) as address,
      coalesce(former.tax_id, a.tax_id) as tax_id, former.seller, former.series, former.is_test,
      former.country, former.tax_rate, former.tax_micros, former.tax_note, given.*
    from ledger_entries e
      join accounts a on a.organization_id = e.organization_id
      left join organizations o on o.id = e.organization_id
      left join ledger_entries before on before.cause = case e.kind
        when 'refund' then 'payment:' || e.payment_id
        when 'correction' then e.about
      end
      left join receipts former on former.entry_id = before.id
      cross join lateral (
        select coalesce(sum(sign * r.total_micros), 0)::bigint as given_micros,
          coalesce(sum(sign * r.tax_micros), 0)::bigint as given_tax_micros
        from ledger_entries other join receipts r on r.entry_id = other.id
          cross join lateral (select case r.kind when 'credit_note' then 1 when 'reversal' then -1 else 0 end as sign) s
        where other.payment_id = e.payment_id
      ) given
    where e.cause = ${cause}
      and (e.kind in ('payment', 'refund') or e.reversal = 'refund_failed')`.execute(trx);
  return rows[0];
}

function taxOf(of: Entered, seller: SellerTax | undefined): Taxed {
  if (of.kind === 'payment' || of.tax_note === null) return taxPayment(of.total_micros, of.tax_id, seller);
  const former = { country: of.country, rate: of.tax_rate, note: of.tax_note };
  return of.kind === 'correction'
    ? { ...former, micros: of.tax_micros ?? 0 }
    : taxRefund(of.total_micros, former, { totalMicros: of.given_micros, taxMicros: of.given_tax_micros });
}
