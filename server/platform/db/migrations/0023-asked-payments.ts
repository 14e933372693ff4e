import { sql, type Kysely, type Migration } from 'kysely';

/**
 * What a provider is asked by about a payment whose event does not come, and when it is asked next. That it is asked is no news for an
 * open page: a payment is told of when something changed that people see.
 */
export const askedPayments: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table payments add column page_id text, add column check_at timestamptz`.execute(db);
    await sql`create index payments_unended on payments (created_at) where state in ('open', 'sent')`.execute(db);
    await sql`drop trigger tell_payment_changed on payments`.execute(db);
    await sql`create trigger tell_payment_changed after update of state, amount_micros, error_message, run_at on payments
      for each row when (old.* is distinct from new.*) execute function tell_billing()`.execute(db);
  },
};
