import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Usage that outlives its project, figures of live sessions while they run, mails that wait to be sent, and sealed secrets of
 * webhooks. One statement per query.
 */
export const outliving: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table deleted_projects (
      id uuid primary key, organization_id uuid not null references organizations on delete cascade,
      name text not null, deleted_at timestamptz not null)`.execute(db);
    await sql`create index deleted_projects_organization on deleted_projects (organization_id, deleted_at)`.execute(db);
    // What was used stays as it was written, whatever becomes of the project and of its keys.
    await sql`alter table usage_logs drop constraint usage_logs_project_id_fkey, drop constraint usage_logs_api_key_id_fkey`.execute(
      db,
    );
    await sql`alter table live_sessions drop constraint live_sessions_project_id_fkey, drop constraint live_sessions_api_key_id_fkey`.execute(
      db,
    );
    await sql`alter table live_sessions
      add column output_tokens integer not null default 0, add column latency_ms integer, add column usage_log_id uuid`.execute(
      db,
    );
    await sql`create table mails (id uuid primary key, sealed text not null, expires_at timestamptz, created_at timestamptz not null)`.execute(
      db,
    );
    await sql`alter table transcriptions add column webhook_auth_sealed text`.execute(db);
  },
};
