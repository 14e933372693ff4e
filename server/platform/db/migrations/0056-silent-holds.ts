import { sql, type Kysely, type Migration } from 'kysely';

/**
 * A charge that ended without a word of the payment provider holds autopay as disputes and refunds do; `payments.silent` is not read any
 * more. An account says `unknown` of it, and `silent` beside, as versions before know no other word. Since when the provider has not
 * answered about a charge is written down, not reckoned from its age.
 */
export const silentHolds: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // In the order in which servers lock them.
    await sql`lock table payments, accounts, account_holds in access exclusive mode`.execute(db);
    await sql`alter table payments add column unheard_since timestamptz`.execute(db);
    await sql`alter table accounts add column silent boolean not null default false`.execute(db);
    await sql`alter table account_holds drop constraint account_holds_why_check, add constraint account_holds_why_check
      check (why in ('silent', 'refunded', 'disputed', 'mismatched'))`.execute(db);
    await sql`insert into account_holds (cause, organization_id, why, since)
      select 'silent:' || id, organization_id, 'silent', coalesce(sent_at, created_at) + interval '30 days'
      from payments join accounts using (organization_id) where payments.silent and state <> 'succeeded' and closed_at is null`.execute(
      db,
    );
    await sql`update accounts set error_why = 'unknown', silent = true, error_at = held.since, error_message = 'The payment provider has not said '
        || 'for 30 days whether a charge went through. So that it is not charged twice, autopay waits for a reset.'
      from (select organization_id, min(since) as since from account_holds where why = 'silent' group by 1) held
      where held.organization_id = accounts.organization_id and (error_message is null or error_why is null or error_why in ('declined', 'unknown'))`.execute(
      db,
    );
  },
};
