import { sql, type Kysely, type Migration } from 'kysely';

/**
 * A charge that ended without a word of the payment provider holds autopay, as disputes and refunds do. The version before knows no word
 * for that: an account says `unknown` of it, and `silent` beside; where that version writes another error, or none, `silent` goes. Since
 * when the provider has not answered about a charge is written down, not reckoned from its age.
 */
export const silentHolds: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // In the order in which servers lock them.
    await sql`lock table payments, accounts in access exclusive mode`.execute(db);
    await sql`alter table payments add column unheard_since timestamptz`.execute(db);
    await sql`alter table accounts add column silent boolean not null default false`.execute(db);
    await sql`create function forget_silence() returns trigger language plpgsql as $$
      begin
        new.silent := false;
        return new;
      end $$`.execute(db);
    await sql`create trigger forget_silence before update on accounts for each row
      when (new.silent and new.error_why is distinct from 'unknown') execute function forget_silence()`.execute(db);
    await sql`update accounts set silent = true, error_message = 'The payment provider has not said for 30 days whether a charge '
        || 'went through. So that it is not charged twice, autopay waits for a reset.'
      where error_message is not null and error_why = 'unknown' and exists (
        select from payments where payments.organization_id = accounts.organization_id and payments.silent and state <> 'succeeded')`.execute(
      db,
    );
  },
};
