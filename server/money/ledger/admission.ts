/** What an organization may use of its balance. Where nothing has a price everything may start. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { CHARGED, COUNTED, DISPUTED, GOING_ON, listed, stateOfAutopay, waitingStates } from './life.ts';

/** Words of the public API for an organization that has nothing left. */
export const EXHAUSTED = 'Organization balance exhausted. Please either add funds manually or enable autopay.';

/** Whether nothing is left and nothing is on its way. False for an organization that is gone. */
export async function isExhausted(db: Db, organizationId: string): Promise<boolean> {
  const { rows } = await sql<{ micros: number | null }>`select ${fundsOf(organizationId)} as micros`.execute(db);
  const micros = rows[0]?.micros ?? null;
  return micros !== null && Number(micros) <= 0;
}

/**
 * What an organization may still use, micro-USD, as an expression: its balance, less what is not posted, plus what autopay charges next or
 * is charging. Autopay counts for at most what its last charge brought, less what was given back of it, with the same payment method and
 * mode, and only while it has no error and no dispute is open or lost: a card that has never paid, or has declined since, is not money. One
 * statement, so that each counts once. Null for an organization that is gone.
 */
export const fundsOf = (organizationId: string): RawBuilder<number | null> => sql`(
  select accounts.balance_micros
    - coalesce((select sum(cost_micros) from usage_days where usage_days.organization_id = accounts.organization_id and not posted), 0)
    + case when accounts.autopay_enabled and ${stateOfAutopay} in ${listed(GOING_ON)} and not exists (
          select from account_holds where account_holds.organization_id = accounts.organization_id
            and why in ${listed(DISPUTED)} and cause like 'dispute:%' and ended_by is distinct from 'provider')
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
