import { sql, type Kysely, type Migration } from 'kysely';

/**
 * What the numbers of an organization's receipts begin with, unique for good: it stays when the organization is gone, since its receipts are in
 * people's hands. Whoever has receipts already keeps the first eight digits of their id, which these named so far; of two that share them,
 * who is first.
 */
export const receiptCodes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table receipt_codes (code text primary key, organization_id uuid not null unique)`.execute(db);
    await sql`insert into receipt_codes (code, organization_id)
      select upper(left(organization_id::text, 8)), organization_id from ledger_entries
      where kind in ('payment', 'refund') group by organization_id order by min(position)
      on conflict do nothing`.execute(db);
  },
};
