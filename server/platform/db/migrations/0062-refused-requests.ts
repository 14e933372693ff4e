import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Requests of known callers that were refused before they began, so that they have no usage row. A table of its own, because usage rows
 * are charged, rolled up and compared, also by a server of the previous version. Positions come from the sequence of the usage rows, so
 * that one cursor orders both. One statement per query.
 */
export const refusedRequests: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table refused_requests (
      id uuid primary key, position bigint not null default nextval('usage_rows_position'), request_id uuid not null,
      project_id uuid not null references projects on delete cascade,
      origin text not null, api_key_id uuid, user_id uuid, client_reference_id text,
      kind text not null check (kind in ('async', 'real_time')), model text,
      code smallint not null, error_type text not null, message text not null,
      refused_at timestamptz not null, requests integer not null default 1 check (requests > 0))`.execute(db);
    await sql`create index refused_requests_project on refused_requests (project_id, refused_at, position)`.execute(db);
    await sql`create index refused_requests_age on refused_requests (refused_at)`.execute(db);
    await sql`create trigger tell_log after insert on refused_requests for each row execute function tell_log()`.execute(
      db,
    );
  },
};
