import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Tells of money that came or went, of payments, and of how an organization pays, as migration 0010 does of other changes. What is used
 * is not told: `log.added` is.
 */
export const billingEvents: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create function tell_billing() returns trigger language plpgsql as $$
      begin
        perform pg_notify('console_events', json_build_object('type', 'billing.changed', 'organization_uuid', new.organization_id)::text);
        return null;
      end $$`.execute(db);
    await sql`create trigger tell_account_changed after update on accounts for each row when (old.* is distinct from new.*) execute function tell_billing()`.execute(
      db,
    );
    await sql`create trigger tell_payment_made after insert on payments for each row execute function tell_billing()`.execute(
      db,
    );
    await sql`create trigger tell_payment_changed after update on payments for each row when (old.* is distinct from new.*) execute function tell_billing()`.execute(
      db,
    );
  },
};
