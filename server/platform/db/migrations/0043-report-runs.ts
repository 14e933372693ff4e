import { sql, type Kysely, type Migration } from 'kysely';

/** Reports that are being made: a person has some places for them, whichever process does it. A row whose process has died is taken over. */
export const reportRuns: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table report_runs (
      user_id uuid not null references users (id) on delete cascade,
      place smallint not null,
      id uuid not null,
      lease_until timestamptz not null,
      primary key (user_id, place)
    )`.execute(db);
  },
};
