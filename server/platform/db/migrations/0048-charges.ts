import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Of which charge of a payment an entry, or money that no balance has, is told; of what is there already nobody knows. What no balance has
 * may bring a fee, and may end what the operator has dealt with.
 */
export const charges: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table ledger_entries add column charge_id text`.execute(db);
    await sql`alter table refused_events add column charge_id text, add column fee_micros bigint not null default 0`.execute(
      db,
    );
    await sql`alter table refused_events drop constraint refused_events_why_check,
      add constraint refused_events_why_check check (why in ('gone', 'currency', 'amount', 'second', 'mode', 'settled'))`.execute(
      db,
    );
  },
};
