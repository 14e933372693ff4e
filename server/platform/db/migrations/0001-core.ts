import { sql, type Kysely, type Migration } from 'kysely';

/** Accounts, organizations, projects, sessions, mail outbox, rate limits. One statement per query. */
export const core: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table users (
      id uuid primary key, email text not null, email_key text not null unique, password_hash text not null, referral text, created_at timestamptz not null)`.execute(
      db,
    );
    await sql`create table activations (
      token_hash text primary key, email text not null, email_key text not null, referral text,
      created_at timestamptz not null, expires_at timestamptz not null, used_at timestamptz)`.execute(db);
    await sql`create table sessions (
      id uuid primary key, user_id uuid not null references users on delete cascade, created_at timestamptz not null, revoked_at timestamptz)`.execute(
      db,
    );
    await sql`create index sessions_user on sessions (user_id)`.execute(db);
    await sql`create table refresh_tokens (
      token_hash text primary key, session_id uuid not null references sessions on delete cascade,
      created_at timestamptz not null, expires_at timestamptz not null, used_at timestamptz)`.execute(db);
    await sql`create index refresh_tokens_session on refresh_tokens (session_id)`.execute(db);
    await sql`create table organizations (
      id uuid primary key, position bigint generated always as identity, name text not null, contact_email text not null,
      feature_flags text[] not null default '{}', created_at timestamptz not null)`.execute(db);
    await sql`create table memberships (
      organization_id uuid not null references organizations on delete cascade, user_id uuid not null references users on delete cascade,
      role text not null check (role in ('owner', 'admin', 'member', 'billing')), created_at timestamptz not null,
      primary key (organization_id, user_id))`.execute(db);
    await sql`create index memberships_user on memberships (user_id)`.execute(db);
    await sql`create table projects (
      id uuid primary key, position bigint generated always as identity, organization_id uuid not null references organizations on delete cascade,
      name text not null, description text not null, created_at timestamptz not null)`.execute(db);
    await sql`create index projects_organization on projects (organization_id, position)`.execute(db);
    await sql`create table rate_limits (key text primary key, arrival_ms double precision not null)`.execute(db);
    await sql`create table outbox (
      id uuid primary key, position bigint generated always as identity, recipient text not null, subject text not null,
      body_text text not null, body_html text not null, created_at timestamptz not null)`.execute(db);
  },
};
