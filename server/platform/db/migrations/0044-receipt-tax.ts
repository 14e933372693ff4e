import { sql, type Kysely, type Migration } from 'kysely';

/**
 * What receipts say of tax: it is part of their total, and with the net amount makes up all of it. Receipts of before, and of processes of
 * versions that know no tax, have none.
 */
export const receiptTax: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table receipts
      add column country text,
      add column tax_rate integer,
      add column tax_micros bigint not null default 0,
      add column tax_note text not null default '',
      add column net_micros bigint not null generated always as (total_micros - tax_micros) stored,
      add constraint receipts_tax check (tax_micros between 0 and total_micros)`.execute(db);
  },
};
