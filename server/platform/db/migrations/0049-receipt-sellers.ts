import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Whose a series of receipts is, and after which name. Of one that is there: who sold by its last receipt; null where no receipt says so,
 * and where a version before has begun it: the next who issues one. One statement per query.
 */
export const receiptSellers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // This migration and those that follow change what servers lock one after the other, in this order: with a part of it, they would
    // wait for each other.
    await sql`lock table users, organizations, payments, accounts, ledger_entries, receipts, receipt_series, provider_looks
      in access exclusive mode`.execute(db);
    await sql`alter table receipt_series add column base text, add column seller text`.execute(db);
    await sql`update receipt_series set base = series, seller = (
      select split_part(r.seller, E'\n', 1) from receipts r
      where r.series = receipt_series.series and r.seller <> '' order by r.kind = 'receipt' desc, r.number desc limit 1
    )`.execute(db);
    await sql`create unique index receipt_series_seller on receipt_series (seller, base)`.execute(db);
  },
};
