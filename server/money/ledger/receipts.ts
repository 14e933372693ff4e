import { sql } from 'kysely';
import type { Config } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import type { SellerTax } from '../../platform/seller-tax.ts';
import { moneyModeOf } from './mode.ts';
import { continued, sellerName, seriesOf } from './receipt-series.ts';
import { taxPayment, taxRefund, type Taxed } from './tax.ts';

/** What the series of receipts without money begins with. */
const TEST_SERIES = 'TEST-';
/** At least so many digits. */
const DIGITS = 6;

/** A number as people know it, such as R-000017. */
export const receiptNumber = (series: string, number: number): string =>
  `${series}-${String(number).padStart(DIGITS, '0')}`;

/**
 * Issues the receipt of an entry, in the transaction that enters it: a receipt for a payment, a credit note for a refund, and for a refund
 * that failed the reversal of its credit note. It says whom it is from and for, and what of it is tax, as they are then; what is given
 * back of a payment, whom the payment's receipt names, by its rate; a reversal, what its credit note does. Its number is the next of its
 * seller's series, which other transactions wait for until this one has ended; one that is rolled back leaves no gap. What is given back of
 * a payment to another seller is in the series of that one, or in that seller's next once it has ended. Entries of other kinds have none. Once for each entry: a second time is an
 * error of the database.
 */
export async function keepReceipt(
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
          : await continued(trx, formerSeries, sellerName(then)),
      country: taxed.country,
      tax_rate: taxed.rate,
      tax_micros: taxed.micros,
      tax_note: taxed.note,
    })
    .execute();
}

/** The same for a payment that counts from now on, and for what was given back of its charge before, in that order. */
export async function keepReceipts(
  trx: Db,
  { paymentId, providerId }: { paymentId: string; providerId: string },
  config: Parameters<typeof keepReceipt>[2],
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
  for (const { cause } of entries) await keepReceipt(trx, cause, config);
}

type Entered = NonNullable<Awaited<ReturnType<typeof readEntry>>>;

/** An entry that has a receipt; who sold, and whether it was a test, where a receipt before it says so, with what that says of tax. */
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
        when 'correction' then replace(e.cause, 'refund-failed:', 'refund:')
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
      and (e.kind in ('payment', 'refund') or (e.kind = 'correction' and e.cause like 'refund-failed:%'))`.execute(trx);
  return rows[0];
}

function taxOf(of: Entered, seller: SellerTax | undefined): Taxed {
  if (of.kind === 'payment' || of.tax_note === null) return taxPayment(of.total_micros, of.tax_id, seller);
  const former = { country: of.country, rate: of.tax_rate, note: of.tax_note };
  return of.kind === 'correction'
    ? { ...former, micros: of.tax_micros ?? 0 }
    : taxRefund(of.total_micros, former, { totalMicros: of.given_micros, taxMicros: of.given_tax_micros });
}
