import { sql, type Kysely, type Migration } from 'kysely';

/**
 * The ledger. An account is made with its organization, with the starting credit that the last start of a server has set; an
 * organization that is there already gets its account here, with what it has used so far posted and settled, and its credit at the next
 * start. Money that has moved is never rewritten: entries refuse to be changed. One statement per query.
 */
export const ledger: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table billing_defaults (
      single boolean primary key default true check (single),
      starting_credit_micros bigint not null
    )`.execute(db);
    await sql`create table accounts (
      organization_id uuid primary key references organizations (id) on delete cascade,
      balance_micros bigint not null default 0,
      is_credited boolean not null default false,
      below boolean not null default false,
      crossing integer not null default 0,
      autopay_enabled boolean not null default false,
      threshold_micros bigint not null default 5000000,
      amount_micros bigint not null default 20000000,
      customer_id text unique,
      method_id text,
      method_brand text,
      method_last4 text,
      method_expires_month integer,
      method_expires_year integer,
      error_message text,
      error_at timestamptz,
      billing_name text not null default '',
      billing_address text not null default '',
      tax_id text not null default ''
    )`.execute(db);
    await sql`create table usage_days (
      organization_id uuid not null references accounts (organization_id) on delete cascade,
      day date not null,
      cost_micros bigint not null,
      posted boolean not null default false,
      primary key (organization_id, day)
    )`.execute(db);
    await sql`create index usage_days_unposted on usage_days (day) where not posted`.execute(db);
    await sql`create table payments (
      id uuid primary key,
      position bigint generated always as identity,
      organization_id uuid not null references accounts (organization_id) on delete cascade,
      kind text not null check (kind in ('payment', 'autopay', 'setup')),
      state text not null check (state in ('due', 'sent', 'open', 'succeeded', 'failed', 'canceled')),
      amount_micros bigint check ((amount_micros is null) = (kind = 'setup')),
      crossing integer,
      attempt integer not null default 1,
      key text not null unique,
      method_id text,
      sent_at timestamptz,
      asked_at timestamptz,
      provider_id text,
      url text,
      error_message text,
      run_at timestamptz not null,
      created_at timestamptz not null
    )`.execute(db);
    await sql`create unique index payments_autopay_one on payments (organization_id)
      where kind = 'autopay' and state in ('due', 'sent')`.execute(db);
    await sql`create unique index payments_provider on payments (provider_id) where provider_id is not null`.execute(
      db,
    );
    await sql`create index payments_organization on payments (organization_id, position)`.execute(db);
    await sql`create table payment_events (id text primary key, type text not null, received_at timestamptz not null)`.execute(
      db,
    );
    await sql`create table test_payment_words (id uuid primary key, word text not null)`.execute(db);
    await sql`create table ledger_entries (
      id uuid primary key default gen_random_uuid(),
      position bigint generated always as identity,
      organization_id uuid not null references accounts (organization_id) on delete cascade,
      kind text not null check (kind in ('payment', 'usage', 'refund', 'dispute', 'credit', 'correction')),
      amount_micros bigint not null,
      balance_after_micros bigint not null,
      cause text not null unique,
      description text not null,
      day date,
      payment_id uuid references payments (id) on delete cascade,
      at timestamptz not null
    )`.execute(db);
    await sql`create index ledger_entries_organization on ledger_entries (organization_id, position)`.execute(db);
    await sql`create index ledger_entries_payment on ledger_entries (payment_id) where payment_id is not null`.execute(
      db,
    );
    await sql`create function refuse_rewriting() returns trigger language plpgsql as $$
      begin
        raise exception 'ledger entries are only added';
      end $$`.execute(db);
    await sql`create trigger ledger_entries_stay before update on ledger_entries for each row execute function refuse_rewriting()`.execute(
      db,
    );
    await openAccounts(db);
    await settlePastUsage(db);
  },
};

async function openAccounts(db: Kysely<unknown>): Promise<void> {
  await sql`insert into accounts (organization_id) select id from organizations`.execute(db);
  await sql`create function open_account() returns trigger language plpgsql as $$
    declare
      credit bigint := coalesce((select starting_credit_micros from billing_defaults), 10000000);
    begin
      insert into accounts (organization_id, balance_micros, is_credited) values (new.id, credit, true);
      if credit > 0 then
        insert into ledger_entries (organization_id, kind, amount_micros, balance_after_micros, cause, description, at)
          values (new.id, 'credit', credit, credit, 'credit:start:' || new.id, 'Starting credit', new.created_at);
      end if;
      return null;
    end $$`.execute(db);
  await sql`create trigger organization_opens_account after insert on organizations for each row execute function open_account()`.execute(
    db,
  );
}

/** Every past day is posted, and a correction of the same amount pays for it: what was free when it was used stays free. */
async function settlePastUsage(db: Kysely<unknown>): Promise<void> {
  await sql`insert into usage_days (organization_id, day, cost_micros, posted)
    select organization_id, billing_day, sum(cost_micros), true from usage_rows
    where cost_micros is not null group by 1, 2`.execute(db);
  await sql`insert into ledger_entries (organization_id, kind, amount_micros, balance_after_micros, cause, description, day, at)
    select organization_id, 'usage', -cost_micros,
      -sum(cost_micros) over (partition by organization_id order by day),
      'usage:' || organization_id || ':' || day, 'Usage of ' || day, day, now()
    from usage_days where cost_micros <> 0 order by organization_id, day`.execute(db);
  await sql`insert into ledger_entries (organization_id, kind, amount_micros, balance_after_micros, cause, description, at)
    select organization_id, 'correction', sum(cost_micros), 0, 'settled:' || organization_id, 'Usage before billing began', now()
    from usage_days group by organization_id having sum(cost_micros) <> 0`.execute(db);
}
