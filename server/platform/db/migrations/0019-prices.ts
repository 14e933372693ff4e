import { sql, type Kysely, type Migration } from 'kysely';

/** Price lists by the moment from which on they hold; a list without prices is one too. The server's next start writes the first. */
export const prices: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table price_lists (valid_from timestamptz primary key)`.execute(db);
    await sql`create table prices (
      valid_from timestamptz not null references price_lists (valid_from) on delete cascade,
      name text not null,
      micros_per_hour bigint not null check (micros_per_hour >= 0),
      primary key (valid_from, name)
    )`.execute(db);
  },
};
