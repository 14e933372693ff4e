import { sql, type Kysely, type Migration } from 'kysely';

/** Finds requests that did not complete, whose latencies the metrics leave out. */
export const incompleteRequests: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create index usage_rows_incomplete on usage_rows (project_id, ended_at) where status <> 'completed'`.execute(
      db,
    );
  },
};
