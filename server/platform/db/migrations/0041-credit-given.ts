import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Who has had the starting credit: it is given once per person, and counted as it is given, in a row that outlives organization and account.
 * A person is named by the HMAC-SHA256 of their address (`email_key`) alone, under a key of this database, which comes with the row of
 * `installation`. Whoever is known to have had it by now does not get it again: the makers of organizations that have it, and those whom
 * `used_credits` names and whose account is there. That table is not read any more; versions before this one go on to write it. One
 * statement per query.
 */
export const creditGiven: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // An organization that is made meanwhile waits, and is counted.
    await sql`lock table organizations, users in share row exclusive mode`.execute(db);
    await sql`alter table installation add column credit_key bytea not null
      default decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')`.execute(db);
    await sql`create table credits_given (person_key bytea primary key, given_at timestamptz not null, organization_id uuid not null)`.execute(
      db,
    );
    await makeKeys(db);
    await takeCredits(db);
    await sql`insert into credits_given (person_key, given_at, organization_id)
      select distinct on (u.id) credit_person_key(u.email_key), e.at, o.id
      from organizations o join users u on u.id = o.created_by
        join ledger_entries e on e.cause = 'credit:start:' || o.id
      order by u.id, e.at`.execute(db);
    await sql`insert into credits_given (person_key, given_at, organization_id)
      select credit_person_key(u.email_key), now(), used.organization_id
      from used_credits used join users u on u.id = used.user_id
      on conflict do nothing`.execute(db);
  },
};

/** HMAC-SHA256 by hand, since not every PostgreSQL has pgcrypto. Of several first calls at once all but one wait for the key. */
async function makeKeys(db: Kysely<unknown>): Promise<void> {
  await sql`create function credit_person_key(address text) returns bytea language plpgsql as $$
    declare
      secret bytea;
      inner_pad bytea := decode(repeat('36', 64), 'hex');
      outer_pad bytea := decode(repeat('5c', 64), 'hex');
    begin
      select credit_key into secret from installation;
      if not found then
        insert into installation default values on conflict do nothing;
        select credit_key into strict secret from installation;
      end if;
      for n in 0 .. length(secret) - 1 loop
        inner_pad := set_byte(inner_pad, n, get_byte(inner_pad, n) # get_byte(secret, n));
        outer_pad := set_byte(outer_pad, n, get_byte(outer_pad, n) # get_byte(secret, n));
      end loop;
      return sha256(outer_pad || sha256(inner_pad || convert_to(address, 'UTF8')));
    end $$`.execute(db);
  // Whoever changes their address has had what they had under the one before.
  await sql`create function keep_credit_given() returns trigger language plpgsql as $$
    begin
      insert into credits_given (person_key, given_at, organization_id)
        select credit_person_key(new.email_key), given_at, organization_id from credits_given
        where person_key = credit_person_key(old.email_key)
        on conflict do nothing;
      return null;
    end $$`.execute(db);
  await sql`create trigger person_keeps_credit_given after update of email_key on users
    for each row when (old.email_key is distinct from new.email_key) execute function keep_credit_given()`.execute(db);
}

/** Of several organizations of one person at once, all but the first wait for it, and get nothing. */
async function takeCredits(db: Kysely<unknown>): Promise<void> {
  await sql`create function take_starting_credit(maker uuid, organization uuid, moment timestamptz) returns boolean language plpgsql as $$
    declare
      address text;
    begin
      select email_key into address from users where id = maker for key share;
      -- Nobody can make another one as nobody.
      if not found then
        return true;
      end if;
      insert into credits_given (person_key, given_at, organization_id)
        values (credit_person_key(address), moment, organization) on conflict do nothing;
      return found;
    end $$`.execute(db);
  await sql`create or replace function open_account() returns trigger language plpgsql as $$
    declare
      credit bigint := coalesce((select starting_credit_micros from billing_defaults), 10000000);
    begin
      if credit > 0 then
        if not take_starting_credit(new.created_by, new.id, new.created_at) then
          credit := 0;
        end if;
      end if;
      insert into accounts (organization_id, balance_micros, is_credited) values (new.id, credit, true);
      if credit > 0 then
        insert into ledger_entries (organization_id, kind, amount_micros, balance_after_micros, cause, description, at)
          values (new.id, 'credit', credit, credit, 'credit:start:' || new.id, 'Starting credit', new.created_at);
      end if;
      return null;
    end $$`.execute(db);
}
