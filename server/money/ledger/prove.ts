import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** An organization whose books are wrong, with both sides of what should be equal; micro-USD. */
export interface Imbalance {
  organizationId: string;
  what: 'balance' | 'posted' | 'used';
  expected: number;
  found: number;
}

/**
 * Proves the books of every organization in one statement, and so of one moment: the sum of the entries is the balance, the entries of
 * usage are the posted days, and posted and unposted days together are what the requests cost. Empty: all is right.
 */
export async function proveLedger(db: Db): Promise<Imbalance[]> {
  const { rows } = await sql<Imbalance>`
    with entries as (
      select organization_id, sum(amount_micros) as balance, -sum(amount_micros) filter (where kind = 'usage') as usage
      from ledger_entries group by organization_id
    ), days as (
      select organization_id, sum(cost_micros) as used, sum(cost_micros) filter (where posted) as posted
      from usage_days group by organization_id
    ), requests as (${costOfRequests})
    select a.organization_id as "organizationId", side.what, side.expected::bigint as expected, side.found::bigint as found
    from accounts a
      left join entries using (organization_id) left join days using (organization_id) left join requests using (organization_id)
      cross join lateral (values
        ('balance', coalesce(entries.balance, 0), a.balance_micros),
        ('posted', coalesce(days.posted, 0), coalesce(entries.usage, 0)),
        ('used', coalesce(requests.cost, 0), coalesce(days.used, 0))
      ) as side (what, expected, found)
    where side.expected <> side.found
    order by 1, 2`.execute(db);
  return rows;
}

/** What the requests of each organization cost that have ended; of those whose rows were removed for their age, their sums tell. */
const costOfRequests = sql`
  select organization_id, sum(cost_micros) as cost from (
    select organization_id, cost_micros from usage_rows union all select organization_id, cost_micros from pruned_usage
  ) as ended group by organization_id`;
