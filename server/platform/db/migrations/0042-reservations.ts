import { sql, type Kysely, type Migration } from 'kysely';

/**
 * What transcriptions that wait or run, and live sessions that run, have reserved of what their organizations may use in a month. It counts
 * as long as they do: nothing takes it away. Versions before this one reserve nothing. One statement per query.
 */
export const reservations: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['transcriptions', 'live_sessions'])
      await sql`alter table ${sql.table(table)} add column reserved_ms bigint not null default 0, add column reserved_micros bigint not null default 0`.execute(
        db,
      );
    await sql`alter table files add column length_ms bigint`.execute(db);
  },
};
