/** The funds that an organization may use. Callers check first whether anything has a price. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { CHARGED, COUNTED, listed, waitingStates } from './life.ts';
import { DISPUTED, GOING_ON, stateOfAutopay } from './autopay-life.ts';

/** Whether the organization has no funds left, including pending charges. False if it is gone. */
export async function isExhausted(db: Db, organizationId: string): Promise<boolean> {
  const { rows } = await sql<{ micros: number | null }>`select ${fundsOf(organizationId)} as micros`.execute(db);
  const micros = rows[0]?.micros ?? null;
  return micros !== null && Number(micros) <= 0;
}

/**
 * An SQL expression of an organization's funds, micro-USD: its balance, less unposted usage, plus autopay's pending or
 * next charge. Counts that charge only up to what the last one brought (less refunds), by the same payment method and
 * mode; and not while autopay has an error, or a dispute is open or lost. So a card that has never paid, or has
 * declined since, adds nothing. One expression, so that a posted day or a paid charge is not counted twice. Null if the
 * organization is gone.
 *
 * A hold with the cause `before:` is of a version that kept no holds: which dispute it was, is not known.
 */
export const fundsOf = (organizationId: string): RawBuilder<number | null> => sql`(
  select accounts.balance_micros
    - coalesce((select sum(cost_micros) from usage_days where usage_days.organization_id = accounts.organization_id and not posted), 0)
    + case when accounts.autopay_enabled and ${stateOfAutopay} in ${listed(GOING_ON)} and not exists (
          select from account_holds where account_holds.organization_id = accounts.organization_id
            and why in ${listed(DISPUTED)} and cause <> 'before:' || organization_id and ended_by is distinct from 'provider')
        then least(
          coalesce(
            (select case when refusal is null then payments.amount_micros else 0 end from payments
              where payments.organization_id = accounts.organization_id and kind = 'autopay'
                and state in ${listed(waitingStates('autopay'))}),
            accounts.amount_micros),
          coalesce(
            (select case when state in ${listed(COUNTED)} and payments.method_id = accounts.method_id
                and coalesce(payments.mode = (select payment_mode.mode from payment_mode), true) then
                greatest(0, payments.amount_micros + coalesce((select sum(amount_micros)::bigint from ledger_entries
                  where ledger_entries.payment_id = payments.id and ledger_entries.kind <> 'payment'), 0)) else 0 end
              from payments where payments.organization_id = accounts.organization_id and kind = 'autopay'
                and state in ${listed(CHARGED)}
              order by payments.position desc limit 1),
            0))
        else 0 end
  from accounts where accounts.organization_id = ${organizationId})`;
