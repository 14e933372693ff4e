import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Numbers of receipts, one series after another without a gap: the database takes the next one of a series in the transaction that
 * writes a receipt, so what is rolled back takes none. What an entry says of its receipt – kind, total, what it is for and refers to – is
 * copied from it there, too, for versions of the server that know no numbers as for those that do. A receipt stays when its
 * organization is gone. One statement per query.
 *
 * Receipts of before are numbered in the order of their time, and keep the number that they were known by beside the new one. An entry of
 * before receipts were kept gets one that names how it stands today; its seller is empty, which means whoever sells now.
 */
export const receiptSeries: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table receipt_series (series text primary key, next bigint not null check (next > 0))`.execute(db);
    await sql`alter table receipts
      add column series text,
      add column number bigint,
      add column kind text check (kind in ('receipt', 'credit_note', 'reversal')),
      add column refers_to uuid,
      add column organization_id uuid,
      add column description text,
      add column total_micros bigint,
      add column at timestamptz,
      add column earlier_number text`.execute(db);
    await addMissing(db);
    await numberPast(db);
    await sql`alter table receipts
      alter column series set not null,
      alter column number set not null,
      alter column kind set not null,
      alter column organization_id set not null,
      alter column description set not null,
      alter column total_micros set not null,
      alter column at set not null,
      add constraint receipts_number unique (series, number),
      drop constraint receipts_entry_id_fkey`.execute(db);
    await sql`create function fill_receipt() returns trigger language plpgsql as $$
      declare
        entry ledger_entries;
      begin
        select * into strict entry from ledger_entries where id = new.entry_id;
        new.kind := case entry.kind when 'payment' then 'receipt' when 'refund' then 'credit_note' else 'reversal' end;
        new.refers_to := case new.kind
          when 'credit_note' then
            (select id from ledger_entries where cause = 'payment:' || entry.payment_id)
          when 'reversal' then
            (select id from ledger_entries where cause = replace(entry.cause, 'refund-failed:', 'refund:'))
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
    await sql`create trigger receipts_fill before insert on receipts for each row execute function fill_receipt()`.execute(
      db,
    );
  },
};

/** Receipts of entries that have none: of before they were kept, and of refunds that failed. */
async function addMissing(db: Kysely<unknown>): Promise<void> {
  await sql`insert into receipts (entry_id, organization, name, address, tax_id, seller, is_test)
    select e.id, o.name, a.billing_name, a.billing_address, a.tax_id, '', coalesce(p.provider_id like 'test\\_%', false)
    from ledger_entries e
      join accounts a on a.organization_id = e.organization_id
      join organizations o on o.id = e.organization_id
      left join payments p on p.id = e.payment_id
    where e.kind in ('payment', 'refund') and not exists (select from receipts r where r.entry_id = e.id)`.execute(db);
  await sql`insert into receipts (entry_id, organization, name, address, tax_id, seller, is_test)
    select e.id, r.organization, r.name, r.address, r.tax_id, r.seller, r.is_test
    from ledger_entries e
      join ledger_entries refund on refund.cause = replace(e.cause, 'refund-failed:', 'refund:')
      join receipts r on r.entry_id = refund.id
    where e.kind = 'correction' and e.cause like 'refund-failed:%'`.execute(db);
}

async function numberPast(db: Kysely<unknown>): Promise<void> {
  // Nothing is rewritten: what is filled in was not there.
  await sql`alter table receipts disable trigger receipts_stay`.execute(db);
  await sql`with past as (
      select e.*, receipts.is_test,
        row_number() over (partition by receipts.is_test order by e.at, e.position) as number,
        case when e.kind <> 'correction' then
          count(*) filter (where e.kind <> 'correction') over (partition by e.organization_id order by e.position)
        end as counted
      from receipts join ledger_entries e on e.id = receipts.entry_id
    )
    update receipts set
      series = case when past.is_test then 'TEST-R' else 'R' end,
      number = past.number,
      kind = case past.kind when 'payment' then 'receipt' when 'refund' then 'credit_note' else 'reversal' end,
      refers_to = case past.kind
        when 'refund' then
          (select id from ledger_entries paid where paid.cause = 'payment:' || past.payment_id)
        when 'correction' then
          (select id from ledger_entries refund where refund.cause = replace(past.cause, 'refund-failed:', 'refund:'))
      end,
      organization_id = past.organization_id,
      description = past.description,
      total_micros = abs(past.amount_micros),
      at = past.at,
      earlier_number = (
        select 'R-' || code || '-' || lpad(past.counted::text, greatest(4, length(past.counted::text)), '0')
        from receipt_codes where receipt_codes.organization_id = past.organization_id
      )
    from past where past.id = receipts.entry_id`.execute(db);
  await sql`alter table receipts enable trigger receipts_stay`.execute(db);
  await sql`insert into receipt_series (series, next) select series, max(number) + 1 from receipts group by series`.execute(
    db,
  );
}
