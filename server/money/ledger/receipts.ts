import { sql } from 'kysely';
import type { Config, StripeConfig } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';

/** What the series of receipts without money begins with. */
const TEST_SERIES = 'TEST-';
/** At least so many digits. */
const DIGITS = 6;

/** A number as people know it, such as R-000017. */
export const receiptNumber = (series: string, number: number): string =>
  `${series}-${String(number).padStart(DIGITS, '0')}`;

/** Whether payments move no money: there is no Stripe, or only what it has for tests, as the key says. */
export const isTestMode = (stripe: Pick<StripeConfig, 'secretKey'> | undefined): boolean =>
  stripe === undefined || /^(sk|rk)_test_/.test(stripe.secretKey);

/**
 * Issues the receipt of an entry, in the transaction that enters it: a receipt for a payment, a credit note for a refund, and for a refund
 * that failed the reversal of its credit note. It says whom it is from and for as they are then; what is given back of a payment, those
 * whom the payment's receipt names. Its number is the next of its series, which other transactions wait for until this one has ended; one
 * that is rolled back leaves no gap. Entries of other kinds have none. Once for each entry: a second time is an error of the database.
 */
export async function keepReceipt(
  trx: Db,
  cause: string,
  { seller, stripe, receiptSeries }: Pick<Config, 'seller' | 'stripe' | 'receiptSeries'>,
): Promise<void> {
  await sql`
    insert into receipts (entry_id, organization, name, address, tax_id, seller, is_test, series)
    select e.id, coalesce(paid.organization, o.name), coalesce(paid.name, a.billing_name),
      coalesce(paid.address, a.billing_address), coalesce(paid.tax_id, a.tax_id),
      coalesce(paid.seller, ${seller.join('\n')}), mode.is_test,
      case when mode.is_test then ${TEST_SERIES}::text else '' end || ${receiptSeries}
    from ledger_entries e
      join accounts a on a.organization_id = e.organization_id
      join organizations o on o.id = e.organization_id
      left join ledger_entries before on before.cause = case e.kind
        when 'refund' then 'payment:' || e.payment_id
        when 'correction' then replace(e.cause, 'refund-failed:', 'refund:')
      end
      left join receipts paid on paid.entry_id = before.id
      cross join lateral (select coalesce(paid.is_test, ${isTestMode(stripe)}::boolean) as is_test) mode
    where e.cause = ${cause}
      and (e.kind in ('payment', 'refund') or (e.kind = 'correction' and e.cause like 'refund-failed:%'))`.execute(trx);
}
