import { sql, type Kysely, type Migration } from 'kysely';

/**
 * The settings of refused requests and of live sessions that failed, as JSON text: a client's text may be none that
 * `jsonb` takes. Servers of the previous version leave them null. One statement per query.
 */
export const askedSettings: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table refused_requests add column settings text`.execute(db);
    await sql`alter table live_sessions add column settings text, add column error_message text`.execute(db);
  },
};
