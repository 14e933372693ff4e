import { sql, type Kysely, type Migration } from 'kysely';

/** When somebody new was given a first organization and project; whoever has an account already is not new. One statement per query. */
export const welcome: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table users add column welcomed_at timestamptz`.execute(db);
    await sql`update users set welcomed_at = created_at`.execute(db);
  },
};
