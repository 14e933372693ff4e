import { sql, type Kysely, type Migration } from 'kysely';

/** Texts of autopay's errors from before the column `error_why`. Every other text was a decline. */
const SAID = {
  unknown:
    'The payment provider has not said whether the last charge went through. Until it does, nothing else is charged.',
  refunded: 'A payment was refunded. So that it is not charged again at once, autopay waits for a reset.',
  disputed: 'A payment was disputed with the bank. Autopay waits for a reset.',
};

/**
 * Columns and tables for: why autopay has stopped; customers and entries of deleted organizations; refused events of the
 * payment provider; and when to ask the provider again for refunds and disputes.
 */
export const paymentEnds: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table accounts add column error_why text
      check (error_why in ('declined', 'unknown', 'refunded', 'disputed', 'mismatched'))`.execute(db);
    await sql`update accounts set error_why = case error_message
        when ${SAID.unknown} then 'unknown' when ${SAID.refunded} then 'refunded' when ${SAID.disputed} then 'disputed'
        else 'declined' end
      where error_message is not null`.execute(db);
    await sql`create table gone_customers (
      id uuid primary key,
      organization_id uuid not null,
      customer_id text not null,
      method_id text,
      gone_at timestamptz not null
    )`.execute(db);
    await sql`create table gone_entries (cause text primary key, payment_id uuid not null, organization_id uuid not null)`.execute(
      db,
    );
    await sql`create index gone_entries_payment on gone_entries (payment_id)`.execute(db);
    await sql`create table refused_events (
      cause text primary key,
      event_id text not null,
      why text not null check (why in ('gone', 'currency', 'amount')),
      type text not null,
      payment_id uuid not null,
      organization_id uuid,
      amount text not null,
      received_at timestamptz not null,
      settled_at timestamptz
    )`.execute(db);
    await sql`create table provider_looks (single boolean primary key default true check (single), next_at timestamptz not null)`.execute(
      db,
    );
  },
};
