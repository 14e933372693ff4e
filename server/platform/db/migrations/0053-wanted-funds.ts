import { sql, type Kysely, type Migration } from 'kysely';

/** A request that the balance refuses though it is not below autopay's threshold makes autopay charge, too. */
export const wantedFunds: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table payments add column wanted_micros bigint not null default 0`.execute(db);
  },
};
