import { sql, type Kysely, type Migration } from 'kysely';

/** What a request cost, in micro-USD; null for one without a price, as all were until now. */
export const usageCost: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table usage_logs add column cost_micros bigint`.execute(db);
  },
};
