import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Whether money is real: of each payment, of its entries, and of the payments of this database as a whole. Of those of before it is known by
 * what the payment provider calls their page; of a charge, by the pages of its organization; or by their receipt. What is not known counts
 * as real. One statement per query.
 */
export const paymentModes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // What servers lock one after the other, in this order: with a part of it, they would wait for each other.
    await sql`lock table payments, accounts, ledger_entries, receipts, refused_events in access exclusive mode`.execute(
      db,
    );
    await sql`create table payment_mode (
      single boolean primary key default true check (single),
      mode text not null check (mode in ('test', 'sandbox', 'live')),
      since timestamptz not null
    )`.execute(db);
    for (const table of ['payments', 'ledger_entries'])
      await sql`alter table ${sql.table(table)} add column mode text check (mode in ('test', 'sandbox', 'live'))`.execute(
        db,
      );
    await sql`update payments set mode = case
        when provider_id like 'test\\_%' then 'test'
        when page_id like 'cs\\_live\\_%' then 'live'
        when page_id like 'cs\\_test\\_%' then 'sandbox'
        when exists (
          select from receipts join ledger_entries on ledger_entries.id = entry_id where payment_id = payments.id and is_test
        ) then 'sandbox'
        when exists (
          select from payments page where page.organization_id = payments.organization_id and page.page_id like 'cs\\_live\\_%'
        ) then 'live'
        when exists (
          select from payments page where page.organization_id = payments.organization_id and page.page_id like 'cs\\_test\\_%'
        ) then 'sandbox' end
      where provider_id is not null or page_id is not null`.execute(db);
    await sql`insert into payment_mode (mode, since) select 'live', now() where exists (select from payments where mode = 'live')`.execute(
      db,
    );
    await sql`alter table ledger_entries disable trigger ledger_entries_stay`.execute(db);
    await sql`update ledger_entries set mode = payments.mode from payments
      where payments.id = payment_id and payments.mode is not null`.execute(db);
    await sql`alter table ledger_entries enable trigger ledger_entries_stay`.execute(db);
    await sql`alter table refused_events drop constraint refused_events_why_check,
      add constraint refused_events_why_check check (why in ('gone', 'currency', 'amount', 'second', 'mode'))`.execute(
      db,
    );
  },
};
