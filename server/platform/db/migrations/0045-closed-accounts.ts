import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Books that outlive their organization: its account stays, closed, with entries, days and payments; so do what its requests cost by
 * month, and the line of the audit log that says who deleted it. None of them can be removed any more; a version before this one can't
 * delete an organization. One statement per query.
 */
export const closedAccounts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // What servers lock one after the other, in this order: with a part of it, they would wait for each other.
    await sql`lock table pruned_usage, organizations, payments, accounts, usage_days, ledger_entries, receipts, receipt_series, audit_log
      in access exclusive mode`.execute(db);
    await sql`alter table accounts add column closed_at timestamptz, drop constraint accounts_organization_id_fkey`.execute(
      db,
    );
    await sql`alter table audit_log drop constraint audit_log_organization_id_fkey`.execute(db);
    await sql`alter table pruned_usage drop constraint pruned_usage_organization_id_fkey`.execute(db);
    await sql`create function keep_account() returns trigger language plpgsql as $$
      begin
        if exists (select from accounts where organization_id = old.id and closed_at is null) then
          raise exception 'the account of an organization is closed before it is deleted';
        end if;
        return old;
      end $$`.execute(db);
    await sql`create trigger organization_keeps_account before delete on organizations for each row execute function keep_account()`.execute(
      db,
    );
    await sql`create function refuse_removal() returns trigger language plpgsql as $$
      begin
        raise exception 'rows of % are kept', tg_table_name;
      end $$`.execute(db);
    // A version before that still runs knows no closed accounts, and its sweep none of these lines.
    await sql`create function refuse_closed() returns trigger language plpgsql as $$
      begin
        if exists (select from accounts where organization_id = new.organization_id and closed_at is not null) then
          raise exception 'the account is closed';
        end if;
        return new;
      end $$`.execute(db);
    await sql`create trigger ledger_entries_open before insert on ledger_entries for each row execute function refuse_closed()`.execute(
      db,
    );
    await sql`create function keep_line() returns trigger language plpgsql as $$ begin return null; end $$`.execute(db);
    await sql`create trigger audit_log_keeps_deletions before delete on audit_log for each row
      when (old.action = 'organization.deleted') execute function keep_line()`.execute(db);
    await sql`create trigger audit_log_is_kept before truncate on audit_log for each statement execute function refuse_removal()`.execute(
      db,
    );
    for (const table of KEPT)
      await sql`create trigger ${sql.id(`${table}_are_kept`)} before delete or truncate on ${sql.table(table)}
        for each statement execute function refuse_removal()`.execute(db);
  },
};

const KEPT = [
  'accounts',
  'usage_days',
  'payments',
  'ledger_entries',
  'receipts',
  'receipt_series',
  'pruned_usage',
] as const;
