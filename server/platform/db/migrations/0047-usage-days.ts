import { sql, type Kysely, type Migration } from 'kysely';

/**
 * What is counted after its day was posted opens that day again, and is posted as another part of it: so the entries of a day are what
 * reports say of it. A version before posts a day once, and leaves later parts to this one. Of days that are there already, and the next two, some parts may
 * stand on the day after. One statement per query.
 */
export const usageDays: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table usage_days
      add column part integer not null default 0,
      add column earlier_micros bigint not null default 0,
      add column posted_at timestamptz`.execute(db);
    await sql`create table exact_days (single boolean primary key default true check (single), from_day date not null)`.execute(
      db,
    );
    // Those that are under way may be written by a version before.
    await sql`insert into exact_days (from_day) select (now() at time zone 'UTC')::date + 2 where exists (select from usage_days)`.execute(
      db,
    );
    await sql`create function skip_day() returns trigger language plpgsql as $$ begin return null; end $$`.execute(db);
    await sql`create trigger usage_days_parts before update on usage_days for each row
      when (new.posted and not old.posted and new.part > 0 and new.posted_at is null) execute function skip_day()`.execute(
      db,
    );
  },
};
