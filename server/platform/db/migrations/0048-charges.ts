import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Entries, and money that no balance has, name the charge of their payment; of what is there already nobody knows it. Money that no balance
 * has is kept as it was told, as it may fit later. The indexes: each request that begins looks up disputes and the last charge of autopay;
 * deleting an organization, its receipts.
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
