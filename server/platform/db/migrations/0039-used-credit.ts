import { sql, type Kysely, type Migration } from 'kysely';

/**
 * What somebody has used of the starting credit of an organization that they had made and have deleted: the next that they make begins with so
 * much less. It names people by their ids alone, and holds no lock of theirs. The account of an organization is made by its trigger, and so
 * versions before this one keep to it, too. One statement per query.
 */
export const usedCredit: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table used_credits (organization_id uuid primary key, user_id uuid not null, micros bigint not null)`.execute(
      db,
    );
    await sql`create index used_credits_user on used_credits (user_id)`.execute(db);
    await sql`create or replace function open_account() returns trigger language plpgsql as $$
      declare
        credit bigint := greatest(0, coalesce((select starting_credit_micros from billing_defaults), 10000000)
          - coalesce((select sum(micros) from used_credits where user_id = new.created_by), 0));
      begin
        insert into accounts (organization_id, balance_micros, is_credited) values (new.id, credit, true);
        if credit > 0 then
          insert into ledger_entries (organization_id, kind, amount_micros, balance_after_micros, cause, description, at)
            values (new.id, 'credit', credit, credit, 'credit:start:' || new.id, 'Starting credit', new.created_at);
        end if;
        return null;
      end $$`.execute(db);
  },
};
