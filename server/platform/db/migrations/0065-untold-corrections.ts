import { sql, type Kysely, type Migration } from 'kysely';

/** Test money that was taken back is kept until the operator's mail about it is queued. */
export const untoldCorrections: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table untold_corrections (organization_id uuid primary key, micros bigint not null)`.execute(db);
  },
};
