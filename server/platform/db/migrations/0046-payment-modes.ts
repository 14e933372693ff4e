import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Whether money is real: of each payment that has any in a balance, of its entries, and of the payments of this database as a whole. What a
 * key for tests has brought is known where its receipt says so. One statement per query.
 */
export const paymentModes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
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
        when exists (
          select from receipts join ledger_entries on ledger_entries.id = entry_id where payment_id = payments.id and is_test
        ) then 'sandbox' end
      where exists (select from ledger_entries where payment_id = payments.id)`.execute(db);
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
