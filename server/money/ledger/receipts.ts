import { sql } from 'kysely';
import type { Config } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';

/** Kinds of entries that have a receipt, or a note of what was given back. */
export const WITH_RECEIPT = ['payment', 'refund'] as const;
export const hasReceipt = (kind: string): kind is (typeof WITH_RECEIPT)[number] =>
  WITH_RECEIPT.some((one) => one === kind);

/** How much of an organization's id its receipts may be named by, digits: as little as no other has. */
const CODE_LENGTHS = [8, 12, 16, 32] as const;

/** What the numbers of an organization's receipts begin with: unique, and the same for good. */
export async function receiptCode(db: Db, organizationId: string): Promise<string> {
  const digits = organizationId.replaceAll('-', '').toUpperCase();
  for (const length of CODE_LENGTHS) {
    const known = await db
      .selectFrom('receipt_codes')
      .select('code')
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
    if (known !== undefined) return known.code;
    const added = await db
      .insertInto('receipt_codes')
      .values({ code: digits.slice(0, length), organization_id: organizationId })
      .onConflict((conflict) => conflict.doNothing())
      .returning('code')
      .executeTakeFirst();
    if (added !== undefined) return added.code;
  }
  throw new Error(`No code is free for the receipts of ${organizationId}.`);
}

/**
 * Writes down whom the receipt of an entry is from and for, as the transaction that enters it finds it. What is given back of a payment
 * names those whom the payment's receipt names. Entries of other kinds have none.
 */
export async function keepReceipt(
  trx: Db,
  cause: string,
  { seller, stripe }: Pick<Config, 'seller' | 'stripe'>,
): Promise<void> {
  await sql`
    insert into receipts (entry_id, organization, name, address, tax_id, seller, is_test)
    select e.id, coalesce(paid.organization, o.name), coalesce(paid.name, a.billing_name),
      coalesce(paid.address, a.billing_address), coalesce(paid.tax_id, a.tax_id),
      coalesce(paid.seller, ${seller.join('\n')}), coalesce(paid.is_test, ${stripe === undefined}::boolean)
    from ledger_entries e
      join accounts a on a.organization_id = e.organization_id
      join organizations o on o.id = e.organization_id
      left join lateral (
        select r.* from receipts r join ledger_entries p on p.id = r.entry_id
        where p.payment_id = e.payment_id and p.kind = 'payment'
      ) paid on e.kind = 'refund'
    where e.cause = ${cause} and e.kind in (${sql.join(WITH_RECEIPT)})`.execute(trx);
}
