import { sql, type Kysely, type Migration } from 'kysely';

/** A charge that ended without a word of the payment provider goes on stopping autopay once what held that has ended. */
export const silentCharges: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table payments add column silent boolean not null default false`.execute(db);
  },
};
