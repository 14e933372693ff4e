import { sql, type Kysely, type Migration } from 'kysely';

/**
 * The migrations that a version must know to work on the database. One that only adds (expand) names itself nowhere: versions before
 * it go on beside those that have it. One that takes away (contract) inserts its name here.
 */
export const requiredMigrations: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table required_migrations (name text primary key)`.execute(db);
  },
};
