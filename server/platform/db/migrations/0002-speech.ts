import { sql, type Kysely, type Migration } from 'kysely';

/** Files, transcriptions, jobs, temporary keys, live sessions. One statement per query. */
export const speech: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table files (
      id uuid primary key, position bigint generated always as identity, project_id uuid not null references projects on delete cascade,
      filename text not null, size bigint not null, client_reference_id text, origin text not null, created_at timestamptz not null)`.execute(
      db,
    );
    await sql`create index files_project on files (project_id, position)`.execute(db);
    await sql`create table transcriptions (
      id uuid primary key, position bigint generated always as identity, project_id uuid not null references projects on delete cascade,
      status text not null check (status in ('queued', 'processing', 'completed', 'error')), model text not null,
      file_id uuid references files on delete set null, filename text not null, audio_duration_ms integer,
      error_type text, error_message text, language_hints jsonb, context jsonb,
      enable_speaker_diarization boolean not null, enable_language_identification boolean not null, client_reference_id text,
      origin text not null, created_at timestamptz not null, finished_at timestamptz)`.execute(db);
    await sql`create index transcriptions_project on transcriptions (project_id, position)`.execute(db);
    await sql`create index transcriptions_file on transcriptions (file_id)`.execute(db);
    await sql`create table transcripts (
      transcription_id uuid primary key references transcriptions on delete cascade, text text not null, tokens jsonb not null)`.execute(
      db,
    );
    await sql`create table jobs (
      id bigint primary key generated always as identity, kind text not null, subject uuid not null,
      state text not null check (state in ('ready', 'running', 'dead')), attempts integer not null, run_at timestamptz not null,
      worker text, lease_until timestamptz, last_error text, created_at timestamptz not null)`.execute(db);
    await sql`create index jobs_due on jobs (run_at, id) where state <> 'dead'`.execute(db);
    await sql`create index jobs_subject on jobs (subject)`.execute(db);
    await sql`create table temporary_keys (
      key_hash text primary key, project_id uuid not null references projects on delete cascade, expires_at timestamptz not null,
      single_use boolean not null, used_at timestamptz, max_session_ms integer, client_reference_id text, created_at timestamptz not null)`.execute(
      db,
    );
    await sql`create index temporary_keys_expiry on temporary_keys (expires_at)`.execute(db);
    await sql`create table live_sessions (
      id uuid primary key, project_id uuid not null references projects on delete cascade, model text not null,
      status text not null check (status in ('running', 'completed', 'failed', 'aborted')), client_reference_id text,
      worker text not null, lease_until timestamptz not null, started_at timestamptz not null, ended_at timestamptz,
      audio_ms integer not null, error_code integer, error_type text)`.execute(db);
    await sql`create index live_sessions_project on live_sessions (project_id, started_at)`.execute(db);
    await sql`create index live_sessions_running on live_sessions (project_id) where status = 'running'`.execute(db);
  },
};
