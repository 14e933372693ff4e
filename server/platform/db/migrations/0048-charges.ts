import { sql, type Kysely, type Migration } from 'kysely';

/** Of which charge of a payment an entry, or money that no balance has, is told. Of what is there already nobody knows. */
export const charges: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table ledger_entries add column charge_id text`.execute(db);
    await sql`alter table refused_events add column charge_id text`.execute(db);
  },
};
