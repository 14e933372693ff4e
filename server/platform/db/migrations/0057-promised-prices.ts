import { sql, type Kysely, type Migration } from 'kysely';

/** What a request was promised is in its row: a list of prices that it began by may be gone once the database's clock was set back. */
export const promisedPrices: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // In the order of 0040.
    await sql`lock table transcriptions, live_sessions in access exclusive mode`.execute(db);
    for (const table of ['transcriptions', 'live_sessions'])
      await sql`alter table ${sql.table(table)} add column micros_per_hour bigint`.execute(db);
  },
};
