import { sql, type Kysely, type Migration } from 'kysely';

/** Which storage has the recordings of the database. */
export const storage: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table installation add column storage_id uuid`.execute(db);
  },
};
