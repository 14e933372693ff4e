import { sql, type Kysely, type Migration } from 'kysely';

/** The processes that work on this database, each by its own word. */
export const processes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table processes (
      id uuid primary key,
      role text not null,
      host text not null,
      pid integer not null,
      started_at timestamptz not null,
      seen_at timestamptz not null,
      state text not null,
      streams integer not null,
      max_streams integer not null
    )`.execute(db);
  },
};
