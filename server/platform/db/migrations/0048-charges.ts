import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Of which charge of a payment an entry, or money that no balance has, is told; of what is there already nobody knows. What no balance has is
 * kept as it was told: it may fit later. Disputes, and the last charge of autopay, are looked up with each request that begins, the
 * receipts of an organization as it is deleted.
 */
export const charges: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table ledger_entries add column charge_id text`.execute(db);
    await sql`alter table refused_events add column charge_id text, add column told jsonb`.execute(db);
    await sql`alter table refused_events drop constraint refused_events_why_check,
      add constraint refused_events_why_check check (why in ('gone', 'currency', 'amount', 'second', 'mode', 'settled'))`.execute(
      db,
    );
    await sql`create index account_holds_disputed on account_holds (organization_id) where why = 'disputed'`.execute(
      db,
    );
    await sql`create index payments_charged on payments (organization_id, position)
      where kind = 'autopay' and state in ('succeeded', 'failed')`.execute(db);
    await sql`create index receipts_organization on receipts (organization_id, at)`.execute(db);
  },
};
