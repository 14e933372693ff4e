import { sql, type Kysely, type Migration } from 'kysely';

/**
 * What organizations and projects may use, over the defaults that the program has; and what is counted for it. An organization that has
 * no rows of its own is bounded by the defaults alone. One statement per query.
 */
export const limits: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table organization_limits (
      organization_id uuid not null references organizations (id) on delete cascade,
      name text not null,
      is_granted boolean not null default false,
      granted bigint check (granted >= 0 and (is_granted or granted is null)),
      own bigint check (own >= 0),
      primary key (organization_id, name)
    )`.execute(db);
    await sql`create table project_limits (
      project_id uuid not null references projects (id) on delete cascade,
      name text not null,
      own bigint not null check (own >= 0),
      primary key (project_id, name)
    )`.execute(db);
    await sql`create table begun_requests (
      organization_id uuid not null references organizations (id) on delete cascade,
      project_id uuid not null,
      at timestamptz not null
    )`.execute(db);
    await sql`create index begun_requests_organization on begun_requests (organization_id, at)`.execute(db);
    await sql`create table upload_reservations (
      id uuid primary key,
      project_id uuid not null references projects (id) on delete cascade,
      bytes bigint not null,
      lease_until timestamptz not null
    )`.execute(db);
    await sql`create index upload_reservations_project on upload_reservations (project_id)`.execute(db);
    await sql`create table limit_increases (
      id uuid primary key,
      position bigint generated always as identity,
      organization_id uuid not null references organizations (id) on delete cascade,
      name text not null,
      value bigint not null,
      reason text not null,
      state text not null check (state in ('pending', 'granted', 'declined')),
      asked_by uuid references users (id) on delete set null,
      asked_at timestamptz not null,
      decided_at timestamptz check ((decided_at is null) = (state = 'pending')),
      answer text not null default ''
    )`.execute(db);
    await sql`create unique index limit_increases_pending on limit_increases (organization_id, name) where state = 'pending'`.execute(
      db,
    );
    await sql`create index limit_increases_organization on limit_increases (organization_id, name, position)`.execute(
      db,
    );
    await sql`create table budget_alerts (
      id uuid not null unique,
      organization_id uuid not null references organizations (id) on delete cascade,
      month date not null,
      percent smallint not null,
      budget_micros bigint not null,
      used_micros bigint not null,
      primary key (organization_id, month, percent, budget_micros)
    )`.execute(db);
    await sql`create index transcriptions_waiting on transcriptions (project_id) where status in ('queued', 'processing')`.execute(
      db,
    );
  },
};
