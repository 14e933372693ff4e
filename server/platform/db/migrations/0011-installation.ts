import { sql, type Kysely, type Migration } from 'kysely';

/** One row at most: the name of this database, for the data directories whose recordings it knows. */
export const installation: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table installation (single boolean primary key default true check (single), id uuid not null default gen_random_uuid())`.execute(
      db,
    );
  },
};
