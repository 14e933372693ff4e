import { sql, type Kysely, type Migration } from 'kysely';

/** Project API keys, usage logs, and what a transcription asks for beyond its file. One statement per query. */
export const speechService: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table api_keys (
      id uuid primary key, position bigint generated always as identity, project_id uuid not null references projects on delete cascade,
      name text not null, masked text not null, key_hash text not null unique, created_by uuid references users on delete set null,
      created_at timestamptz not null, expires_at timestamptz, last_used_at timestamptz, revoked_at timestamptz)`.execute(
      db,
    );
    await sql`create index api_keys_project on api_keys (project_id, position)`.execute(db);
    await sql`create table usage_logs (
      id uuid primary key, position bigint generated always as identity, project_id uuid not null references projects on delete cascade,
      request_id uuid not null, kind text not null check (kind in ('async', 'real_time')), origin text not null,
      api_key_id uuid references api_keys on delete set null, client_reference_id text, model text not null,
      status text not null check (status in ('completed', 'failed', 'aborted')), error_type text,
      started_at timestamptz not null, ended_at timestamptz not null, latency_ms integer,
      input_audio_ms bigint not null, input_text_tokens integer not null, output_text_tokens integer not null)`.execute(
      db,
    );
    await sql`create index usage_logs_project on usage_logs (project_id, position)`.execute(db);
    await sql`create index usage_logs_time on usage_logs (project_id, started_at)`.execute(db);
    await sql`alter table transcriptions
      add column audio_url text, add column translation jsonb, add column language_hints_strict boolean,
      add column webhook_url text, add column webhook_auth_header_name text, add column webhook_auth_header_value text, add column webhook_status_code integer,
      add column request_id uuid, add column api_key_id uuid references api_keys on delete set null`.execute(db);
    await sql`alter table live_sessions
      add column request_id uuid, add column origin text not null default 'playground', add column api_key_id uuid references api_keys on delete set null`.execute(
      db,
    );
    await sql`alter table temporary_keys
      add column origin text not null default 'playground', add column api_key_id uuid references api_keys on delete cascade`.execute(
      db,
    );
  },
};
