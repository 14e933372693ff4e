import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Who began a payment, to mail them its result, and when it failed, to tell of that. Both are null in rows of an older
 * version; no person begins a charge of autopay.
 */
export const payers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table payments add column begun_by uuid references users on delete set null`.execute(db);
    await sql`create index payments_begun_by on payments (begun_by) where begun_by is not null`.execute(db);
    await sql`alter table payments add column failed_at timestamptz`.execute(db);
  },
};
