import { sql, type Kysely, type Migration } from 'kysely';

/**
 * What holds autopay, one row each, and when a payment that waits ends by itself. What holds it already goes on: a dispute that is not won
 * since, and whatever else has stopped it.
 */
export const paymentLives: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // This migration and those that follow change what servers lock one after the other, in this order: with a part of it, they would wait for each other.
    await sql`lock table users, organizations, files, transcriptions, live_sessions, payments, accounts, ledger_entries, receipts
      in access exclusive mode`.execute(db);
    await sql`create table account_holds (
      cause text primary key,
      organization_id uuid not null references accounts (organization_id) on delete cascade,
      why text not null check (why in ('refunded', 'mismatched', 'disputed')),
      card text,
      since timestamptz not null,
      ended_at timestamptz,
      ended_by text check (ended_by in ('reset', 'method', 'provider'))
    )`.execute(db);
    await sql`create index account_holds_open on account_holds (organization_id) where ended_at is null`.execute(db);
    await sql`insert into account_holds (cause, organization_id, why, card, since)
      select cause, entries.organization_id, 'disputed', method_brand || ' ' || method_last4, entries.at
      from ledger_entries entries join accounts using (organization_id)
      where error_message is not null and error_why = 'disputed' and cause like 'dispute:%' and entries.at >= error_at
        and not exists (select from ledger_entries won where won.cause = 'dispute-won:' || substr(entries.cause, 9))`.execute(
      db,
    );
    await sql`insert into account_holds (cause, organization_id, why, card, since)
      select 'before:' || organization_id, organization_id, error_why, method_brand || ' ' || method_last4, error_at
      from accounts where error_message is not null and error_why in ('refunded', 'mismatched', 'disputed') and error_at is not null
        and not exists (select from account_holds held where held.organization_id = accounts.organization_id)`.execute(
      db,
    );
    await sql`alter table payments add column ends_at timestamptz, add column refusal text`.execute(db);
    await sql`update payments set ends_at = case state
        when 'open' then created_at + case when page_id is null then interval '1 hour' else interval '1 day' end
        when 'due' then run_at + interval '30 days'
        else coalesce(sent_at, created_at) + interval '30 days' end
      where state in ('open', 'due', 'sent')`.execute(db);
    await sql`alter table refused_events add column amount_micros bigint`.execute(db);
    await sql`alter table refused_events drop constraint refused_events_why_check,
      add constraint refused_events_why_check check (why in ('gone', 'currency', 'amount', 'second'))`.execute(db);
    await sql`alter table ledger_entries drop constraint ledger_entries_kind_check, add constraint ledger_entries_kind_check
      check (kind in ('payment', 'usage', 'refund', 'dispute', 'fee', 'credit', 'correction'))`.execute(db);
    await sql`create index payments_ends on payments (ends_at) where state in ('open', 'due', 'sent')`.execute(db);
  },
};
