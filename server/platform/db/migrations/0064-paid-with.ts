import { sql, type Kysely, type Migration } from 'kysely';

/**
 * What a payment was paid with, as the payment provider says: a name such as `Visa`, and the last four digits, if it has
 * any. Null for payments from before, and where the provider does not say.
 */
export const paidWith: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table payments add column paid_brand text, add column paid_last4 text`.execute(db);
  },
};
