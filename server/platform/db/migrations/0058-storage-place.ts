import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Where the recordings of the database are: what stands in the mark beside them, what operators call that place, and when a server has last
 * begun with it. One row at most; none until a server of this version begins. A version before neither reads nor writes it.
 */
export const storagePlace: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table storage_place (
      single boolean primary key default true check (single),
      mark uuid not null,
      name text not null,
      taken_at timestamptz not null)`.execute(db);
  },
};
