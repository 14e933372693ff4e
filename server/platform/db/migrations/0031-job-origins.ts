import { sql, type Kysely, type Migration } from 'kysely';

/** By which request a job was made, and of which trace it is a part. */
export const jobOrigins: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table jobs add column request_id text, add column traceparent text`.execute(db);
  },
};
