import { sql, type Kysely, type Migration } from 'kysely';

/** Who began a payment, to mail them its result. Null for charges of autopay and for rows of an older version. */
export const payers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table payments add column begun_by uuid references users on delete set null`.execute(db);
    await sql`create index payments_begun_by on payments (begun_by) where begun_by is not null`.execute(db);
  },
};
