import { sql, type Kysely, type Migration } from 'kysely';

/**
 * What is kept for so many days only: by what its rows are found, and what is still known of usage rows that are gone. A migration that
 * makes rollups anew from the rows has to leave those of months before `usage_floor` as they are. One statement per query.
 */
export const retention: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create index files_created on files (created_at)`.execute(db);
    await sql`create index transcriptions_finished on transcriptions (finished_at) where finished_at is not null`.execute(
      db,
    );
    await sql`create index audit_log_at on audit_log (at)`.execute(db);
    await sql`create index live_sessions_ended on live_sessions (ended_at) where status <> 'running'`.execute(db);
    await sql`create index jobs_dead on jobs (run_at) where state = 'dead'`.execute(db);
    await sql`create table usage_floor (
      single boolean primary key default true check (single), from_month timestamptz not null)`.execute(db);
    await sql`create table pruned_usage (
      organization_id uuid not null references organizations on delete cascade, month date not null,
      requests bigint not null, cost_micros bigint not null, primary key (organization_id, month))`.execute(db);
  },
};
