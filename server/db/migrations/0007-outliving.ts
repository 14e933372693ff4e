import { sql, type Kysely, type Migration } from 'kysely';

/** Mails that wait for the mail server. One statement per query. */
export const outliving: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table mails (id uuid primary key, sealed text not null, expires_at timestamptz, created_at timestamptz not null)`.execute(db);
  },
};
