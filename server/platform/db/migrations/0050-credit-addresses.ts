import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Who has had the starting credit is counted by the address that all spellings of one mailbox have in common: without what follows a
 * plus, and at Gmail without dots. Rows from before are of addresses as they are: those of people who are there get a row of the new form;
 * the others are looked for as well. One statement per query.
 */
export const creditAddresses: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // An organization that is made meanwhile waits, and is counted.
    await sql`lock table organizations, users in share row exclusive mode`.execute(db);
    await sql`create function credit_address(address text) returns text language plpgsql immutable as $$
      declare
        own text := regexp_replace(address, '@[^@]*$', '');
        domain text := substr(address, length(own) + 2);
        mailbox text := coalesce(nullif(split_part(own, '+', 1), ''), own);
      begin
        if domain in ('gmail.com', 'googlemail.com') then
          return replace(mailbox, '.', '') || '@gmail.com';
        end if;
        return mailbox || '@' || domain;
      end $$`.execute(db);
    await sql`create or replace function keep_credit_given() returns trigger language plpgsql as $$
      begin
        insert into credits_given (person_key, given_at, organization_id)
          select credit_person_key(credit_address(new.email_key)), given_at, organization_id from credits_given
          where person_key in (credit_person_key(credit_address(old.email_key)), credit_person_key(old.email_key))
          on conflict do nothing;
        return null;
      end $$`.execute(db);
    await sql`create or replace function take_starting_credit(maker uuid, organization uuid, moment timestamptz) returns boolean
      language plpgsql as $$
      declare
        address text;
      begin
        select email_key into address from users where id = maker for key share;
        -- Nobody can make another one as nobody.
        if not found then
          return true;
        end if;
        if exists (select from credits_given where person_key = credit_person_key(address)) then
          return false;
        end if;
        insert into credits_given (person_key, given_at, organization_id)
          values (credit_person_key(credit_address(address)), moment, organization) on conflict do nothing;
        return found;
      end $$`.execute(db);
    await sql`create trigger credits_given_are_kept before delete or truncate on credits_given
      for each statement execute function refuse_removal()`.execute(db);
    await sql`insert into credits_given (person_key, given_at, organization_id)
      select credit_person_key(credit_address(u.email_key)), given.given_at, given.organization_id
      from users u join credits_given given on given.person_key = credit_person_key(u.email_key)
      where credit_address(u.email_key) <> u.email_key
      order by given.given_at
      on conflict do nothing`.execute(db);
  },
};
