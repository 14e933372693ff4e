import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Addresses of receipts that count no more: all that were made of a receipt up to then. They are counted, and an address is signed
 * with how often that was. One that was never withdrawn is signed as by versions before.
 */
export const receiptLinks: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table withdrawn_links (
      entry_id uuid not null references ledger_entries (id) on delete cascade,
      round integer not null,
      withdrawn_at timestamptz not null,
      primary key (entry_id, round)
    )`.execute(db);
  },
};
