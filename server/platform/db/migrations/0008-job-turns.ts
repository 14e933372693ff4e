import { sql, type Kysely, type Migration } from 'kysely';

/** Jobs in turn by organization, how far each is, and what interrupted it. One statement per query. */
export const jobTurns: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table jobs add column organization_id uuid, add column runs integer not null default 0, add column place_ms integer, add column total_ms integer,
      add column interruptions integer not null default 0, add column interrupted_at_ms integer, add column payload jsonb`.execute(
      db,
    );
    await sql`update jobs set organization_id = projects.organization_id from transcriptions
      join projects on projects.id = transcriptions.project_id where transcriptions.id = jobs.subject`.execute(db);
    await sql`create index jobs_running on jobs (organization_id) where state = 'running'`.execute(db);
    // Without a foreign key: a claim must not wait for an organization that is being deleted.
    await sql`create table job_turns (
      organization_id uuid not null, kind text not null, served bigint not null generated always as identity, primary key (organization_id, kind))`.execute(
      db,
    );
  },
};
