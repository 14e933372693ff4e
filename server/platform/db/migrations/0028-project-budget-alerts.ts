import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Alerts of projects have a table of their own: a server of the release before writes to that of the organizations by its old key, and
 * could end no request of an organization with a budget without it.
 */
export const projectBudgetAlerts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table project_budget_alerts (
      id uuid primary key,
      project_id uuid not null references projects (id) on delete cascade,
      month date not null,
      percent smallint not null,
      budget_micros bigint not null,
      used_micros bigint not null,
      unique (project_id, month, percent, budget_micros)
    )`.execute(db);
  },
};
