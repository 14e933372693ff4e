import { sql, type Kysely, type Migration } from 'kysely';

/** Which live session a transcription was kept from; each is kept once. One statement per query. */
export const keptSession: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table transcriptions add column session_request_id uuid`.execute(db);
    await sql`create unique index transcriptions_session on transcriptions (project_id, session_request_id)
      where session_request_id is not null`.execute(db);
    await sql`create index live_sessions_request on live_sessions (project_id, request_id)`.execute(db);
    await sql`create index usage_logs_request on usage_logs (project_id, request_id)`.execute(db);
  },
};
