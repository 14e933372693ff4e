import { sql, type Kysely, type Migration } from 'kysely';

/** Recovery, single sign-on, invitations, members of projects, the audit log. One statement per query. */
export const people: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table users add column name text not null default '', alter column password_hash drop not null`.execute(
      db,
    );
    await sql`alter table activations add column from_path text`.execute(db);
    await sql`create table recoveries (
      token_hash text primary key, user_id uuid not null references users on delete cascade,
      created_at timestamptz not null, expires_at timestamptz not null, used_at timestamptz)`.execute(db);
    await sql`create index recoveries_user on recoveries (user_id)`.execute(db);
    await sql`create table sso_attempts (
      state_hash text primary key, nonce text not null, code_verifier text not null, from_path text,
      created_at timestamptz not null, expires_at timestamptz not null)`.execute(db);
    await sql`create table sso_identities (
      issuer text not null, subject text not null, user_id uuid not null references users on delete cascade, created_at timestamptz not null,
      primary key (issuer, subject))`.execute(db);
    await sql`create index sso_identities_user on sso_identities (user_id)`.execute(db);
    await sql`create table sso_signups (
      token_hash text primary key, issuer text not null, subject text not null, email text not null, name text not null,
      created_at timestamptz not null, expires_at timestamptz not null, used_at timestamptz)`.execute(db);
    await sql`create table invitations (
      id uuid primary key, position bigint generated always as identity, organization_id uuid not null references organizations on delete cascade,
      email text not null, email_key text not null, role text not null check (role in ('owner', 'admin', 'member', 'billing')), project_ids uuid[],
      invited_by uuid references users on delete set null, created_at timestamptz not null, expires_at timestamptz not null,
      accepted_at timestamptz, revoked_at timestamptz)`.execute(db);
    await sql`create index invitations_organization on invitations (organization_id, position)`.execute(db);
    await sql`create table project_members (
      project_id uuid not null references projects on delete cascade, user_id uuid not null references users on delete cascade,
      created_at timestamptz not null, primary key (project_id, user_id))`.execute(db);
    await sql`create index project_members_user on project_members (user_id)`.execute(db);
    // Until now everybody saw every project of their organization.
    await sql`insert into project_members (project_id, user_id, created_at)
      select projects.id, memberships.user_id, memberships.created_at from projects
      join memberships on memberships.organization_id = projects.organization_id where memberships.role = 'member'`.execute(
      db,
    );
    await sql`create table audit_log (
      id uuid primary key, position bigint generated always as identity, organization_id uuid not null references organizations on delete cascade,
      actor_id uuid references users on delete set null, actor text not null, action text not null, subject text not null, project text,
      detail text not null, request_id text not null, at timestamptz not null)`.execute(db);
    await sql`create index audit_log_organization on audit_log (organization_id, position)`.execute(db);
    await sql`alter table temporary_keys add column user_id uuid references users on delete cascade`.execute(db);
    await sql`create index usage_logs_ended on usage_logs (project_id, ended_at)`.execute(db);
  },
};
