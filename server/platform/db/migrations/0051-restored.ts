import { sql, type Kysely, type Migration } from 'kysely';

/** After a restore autopay waits until the payment provider has told of all charges that the rows may have lost. */
export const restored: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table provider_looks add column restored boolean not null default false`.execute(db);
    // A server that charges has written this row. It is missing only where a version before has restored a backup.
    await sql`insert into provider_looks (next_at, restored)
      select to_timestamp(0), true where exists (select from accounts where customer_id is not null)
      on conflict do nothing`.execute(db);
  },
};
