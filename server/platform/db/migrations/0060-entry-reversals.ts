import { sql, type Kysely, type Migration } from 'kysely';

/**
 * What an entry reverses, and which entry it is about, as columns; so far only its cause said so. A trigger fills them
 * in for a server of an earlier version, which does not know them; a later release drops the trigger and the functions
 * `told_by_cause` and `tell_by_cause`. No entry is reversed twice. One statement per query.
 */
export const entryReversals: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table ledger_entries
      add column reversal text
        check (reversal in ('refund_failed', 'dispute_won', 'unpaid', 'paid_after_all', 'test_payment')),
      add column about text`.execute(db);
    await sql`create function told_by_cause(cause text, out reversal text, out about text) language plpgsql immutable as $$
      declare
        prefix text := split_part(cause, ':', 1);
        name text := substr(cause, length(prefix) + 2);
      begin
        reversal := case when prefix in ('refund-failed', 'dispute-won', 'unpaid', 'paid-after-all', 'test-payment')
          then replace(prefix, '-', '_') end;
        about := case prefix
          when 'refund-failed' then 'refund:' || name
          when 'dispute-won' then 'dispute:' || name
          when 'dispute-fee-taken' then 'dispute:' || name
          when 'dispute-fee-returned' then 'dispute:' || name
          when 'paid-after-all' then 'unpaid:' || name end;
      end $$`.execute(db);
    await sql`alter table ledger_entries disable trigger ledger_entries_stay`.execute(db);
    await sql`update ledger_entries
      set (reversal, about) = (select told.reversal, told.about from told_by_cause(cause) told)
      where payment_id is not null and kind <> 'payment'`.execute(db);
    await sql`alter table ledger_entries enable trigger ledger_entries_stay`.execute(db);
    await sql`create unique index ledger_entries_reversed_once on ledger_entries (about)
      where reversal is not null`.execute(db);
    await sql`create function tell_by_cause() returns trigger language plpgsql as $$
      begin
        select told.reversal, told.about into new.reversal, new.about from told_by_cause(new.cause) told;
        return new;
      end $$`.execute(db);
    await sql`create trigger ledger_entries_by_cause before insert on ledger_entries for each row
      when (new.reversal is null and new.about is null) execute function tell_by_cause()`.execute(db);
    await sql`create or replace function fill_receipt() returns trigger language plpgsql as $$
      declare
        entry ledger_entries;
      begin
        select * into strict entry from ledger_entries where id = new.entry_id;
        new.kind := case entry.kind when 'payment' then 'receipt' when 'refund' then 'credit_note' else 'reversal' end;
        new.refers_to := case new.kind
          when 'credit_note' then (select id from ledger_entries where cause = 'payment:' || entry.payment_id)
          when 'reversal' then (select id from ledger_entries where cause = entry.about)
        end;
        new.organization_id := entry.organization_id;
        new.description := entry.description;
        new.total_micros := abs(entry.amount_micros);
        new.at := entry.at;
        new.series := coalesce(new.series, case when new.is_test then 'TEST-R' else 'R' end);
        insert into receipt_series as known (series, next) values (new.series, 2)
          on conflict (series) do update set next = known.next + 1
          returning next - 1 into new.number;
        return new;
      end $$`.execute(db);
  },
};
