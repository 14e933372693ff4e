import { sql, type Kysely, type Migration } from 'kysely';

/** What webhooks are signed with, and what became of each. One statement per query. */
export const webhooks: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table webhook_secrets (
      id uuid primary key, project_id uuid not null references projects on delete cascade, sealed text not null,
      created_at timestamptz not null, shown_at timestamptz, expires_at timestamptz)`.execute(db);
    await sql`create unique index webhook_secrets_current on webhook_secrets (project_id) where expires_at is null`.execute(
      db,
    );
    await sql`create index webhook_secrets_project on webhook_secrets (project_id)`.execute(db);
    await sql`create table webhook_deliveries (
      transcription_id uuid primary key, position bigint generated always as identity,
      project_id uuid not null references projects on delete cascade, status text not null, address text not null, target text,
      state text not null, tries integer not null default 0, status_code integer, failure text,
      created_at timestamptz not null, changed_at timestamptz not null, next_try_at timestamptz)`.execute(db);
    await sql`create index webhook_deliveries_project on webhook_deliveries (project_id, position)`.execute(db);
    await sql`create index webhook_deliveries_state on webhook_deliveries (project_id, state, position)`.execute(db);
    await sql`create index webhook_deliveries_changed on webhook_deliveries (changed_at)`.execute(db);
    await sql`create table webhook_tries (
      job_id bigint not null, run integer not null,
      transcription_id uuid not null references webhook_deliveries on delete cascade,
      started_at timestamptz not null, duration_ms integer, status_code integer, failure text, primary key (job_id, run))`.execute(
      db,
    );
    await sql`create index webhook_tries_delivery on webhook_tries (transcription_id, started_at)`.execute(db);
    await sql`create function tell_webhook() returns trigger language plpgsql as $$
      begin
        perform pg_notify('console_events', json_build_object('type', 'webhook.changed', 'project_uuid', new.project_id)::text);
        return null;
      end $$`.execute(db);
    await sql`create trigger tell_webhook_changed after insert or update on webhook_deliveries for each row execute function tell_webhook()`.execute(
      db,
    );
  },
};
