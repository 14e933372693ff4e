import { sql, type Kysely, type Migration } from 'kysely';

/**
 * What a receipt says of those who sold and paid, as it was when the money came or went back: like its entry it is never rewritten.
 * Entries of before have none, and their receipts name how it stands today.
 */
export const receipts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table receipts (
      entry_id uuid primary key references ledger_entries (id) on delete cascade,
      organization text not null,
      name text not null,
      address text not null,
      tax_id text not null,
      seller text not null,
      is_test boolean not null
    )`.execute(db);
    await sql`create or replace function refuse_rewriting() returns trigger language plpgsql as $$
      begin
        raise exception '% are only added', replace(tg_table_name, '_', ' ');
      end $$`.execute(db);
    await sql`create trigger receipts_stay before update on receipts for each row execute function refuse_rewriting()`.execute(
      db,
    );
  },
};
