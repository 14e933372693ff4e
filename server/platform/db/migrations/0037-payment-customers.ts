import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Which customer of the payment provider a charge was sent for: its organization may have another one by the time that the provider is asked
 * about it. Null: sent by a version before, and so for the customer that the organization has.
 */
export const paymentCustomers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table payments add column customer_id text`.execute(db);
  },
};
