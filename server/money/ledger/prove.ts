import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { FLOOR } from '../usage/retention.ts';
import { COUNTED, listed } from './life.ts';

/** An error in the books of an organization: two amounts that should be equal, micro-USD. */
export interface Imbalance {
  organizationId: string;
  /**
   * The amount that is compared:
   * - `balance`, `posted`, `used`: the sums of {@link proveLedger}.
   * - `closed`: the balance of a closed account, which must be 0.
   * - `day`: the cost of a day's requests. `posting`: the part of it that is posted.
   * - `chain`: the balance after an entry.
   * - `payment`: a payment's amount in the balance.
   * - `returned`: the amount of a refund, at most the payment's; or of a dispute, which must be of a payment.
   * - `reversed`: the returned part of a refund or dispute, at most its amount.
   * - `given`: all refunds of a payment, at most its amount.
   * - `fee`: the rest of a dispute's fee after its return, which must not be a gain. Its cause is the dispute's.
   * - `unpaid`: the sum of entries of a payment that did not succeed, or of a charge that does not count, which must be
   *   0.
   */
  what:
    | 'balance'
    | 'posted'
    | 'used'
    | 'closed'
    | 'day'
    | 'posting'
    | 'chain'
    | 'payment'
    | 'returned'
    | 'reversed'
    | 'given'
    | 'fee'
    | 'unpaid';
  /** The cause of the wrong or missing entry; undefined for sums. */
  cause?: string;
  expected: number;
  found: number;
}

/**
 * Checks the books of every organization, in one statement, so at one moment. Returns an empty list if all are right.
 *
 * - The balance is the sum of the entries. The entries of usage equal the posted days. All days together equal the cost
 *   of
 *   the requests; so does each day whose requests are all there. The balance of a closed account is 0.
 * - The balance after each entry is the balance before it plus its amount, starting at 0. So the last one is the
 *   account's
 *   balance.
 * - Each payment that succeeded has an entry of its amount, and each entry of a payment belongs to one that succeeded.
 * - Each refund and dispute belongs to a payment of the organization. Refunds take no more than was paid, each and
 *   together. No more of a dispute's fee is returned than was taken, and only taken money is reversed. Events come in
 * any
 *   order: a payment may succeed up to a day after its refund, else the refund is reversed. Refunds of a charge that
 * does
 *   not count are reversed.
 */
export async function proveLedger(db: Db): Promise<Imbalance[]> {
  const { rows } = await sql<Omit<Imbalance, 'cause'> & { cause: string | null }>`
    with ${ofRequests}, ${sums}, ${byDay}, ${ofEntries}, ${ofPayments}
    select organization_id as "organizationId", what, cause, expected::bigint as expected, found::bigint as found
    from (
      select organization_id, what, null as cause, 0 as position, expected, found from sums
      union all select * from daily
      union all select * from chain
      union all select * from paid
      union all select * from returned
      union all select * from reversed
      union all select * from unpaid
      union all select * from given
    ) as wrong
    where expected <> found
    order by organization_id, position, what, cause`.execute(db);
  return rows.map(({ cause, ...sides }) => (cause === null ? sides : { ...sides, cause }));
}

/** The cost of each organization's requests, by day and in all. The latter includes deleted old rows, by their sums. */
const ofRequests = sql`
  costs as (
    select organization_id, (ended_at at time zone 'UTC')::date as day, sum(cost_micros) as cost from usage_rows group by 1, 2
  ), requests as (
    select organization_id, sum(cost) as cost from (
      select organization_id, cost from costs union all select organization_id, cost_micros from pruned_usage
    ) as ended group by organization_id
  )`;

const sums = sql`
  entries as (
    select organization_id, sum(amount_micros) as balance, -sum(amount_micros) filter (where kind = 'usage') as usage
    from ledger_entries group by organization_id
  ), days as (
    select organization_id, sum(cost_micros + earlier_micros) as used,
      sum(earlier_micros + case when posted then cost_micros else 0 end) as posted
    from usage_days group by organization_id
  ), sums as (
    select a.organization_id, side.what, side.expected, side.found
    from accounts a
      left join entries using (organization_id) left join days using (organization_id) left join requests using (organization_id)
      cross join lateral (values
        ('balance', coalesce(entries.balance, 0), a.balance_micros),
        ('posted', coalesce(days.posted, 0), coalesce(entries.usage, 0)),
        ('used', coalesce(requests.cost, 0), coalesce(days.used, 0)),
        ('closed', 0, case when a.closed_at is null then 0 else a.balance_micros end)
      ) as side (what, expected, found)
  )`;

/** Compares days with their requests and entries. Leaves out months whose rows were deleted, and closed accounts. */
const byDay = sql`
  postings as (
    select organization_id, day, -sum(amount_micros) as posted from ledger_entries where kind = 'usage' group by 1, 2
  ), daily as (
    select d.organization_id, side.what, 'usage:' || d.organization_id || ':' || d.day as cause, 0 as position,
      side.expected, side.found
    from usage_days d join accounts a using (organization_id)
      left join costs using (organization_id, day) left join postings using (organization_id, day)
      cross join lateral (values
        ('day', coalesce(costs.cost, 0), d.cost_micros + d.earlier_micros),
        ('posting', d.earlier_micros + case when d.posted then d.cost_micros else 0 end, coalesce(postings.posted, 0))
      ) as side (what, expected, found)
    where a.closed_at is null
      and d.day >= coalesce((select from_day from exact_days), '-infinity'::date)
      and d.day >= coalesce((${FLOOR} at time zone 'UTC')::date, '-infinity'::date)
  )`;

/** Whether an entry returns what a dispute took. Refunds and disputes that do not are `returned`, not `reversed`. */
const isWonDispute = sql`(e.kind = 'dispute' and e.reversal = 'dispute_won')`;

/** Compares each entry with the one before it, and each reversal with the entry that it reverses. */
const ofEntries = sql`
  chain as (
    select organization_id, 'chain' as what, cause, position,
      amount_micros + coalesce(lag(balance_after_micros) over (partition by organization_id order by position), 0) as expected,
      balance_after_micros as found
    from ledger_entries
  ), reversed as (
    select e.organization_id, 'reversed' as what, e.cause, e.position,
      -- A refund or dispute may return in part; 'paid_after_all' enters a reversal again as a whole. Others are invalid.
      case
        when e.reversal in ('unpaid', 'test_payment') then e.amount_micros
        when e.reversal = 'paid_after_all' then -coalesce(o.amount_micros, 0)
        when e.reversal in ('refund_failed', 'dispute_won')
          then least(e.amount_micros, greatest(0, -coalesce(o.amount_micros, 0)))
        else 0 end as expected,
      e.amount_micros as found
    from ledger_entries e
      left join ledger_entries o on o.organization_id = e.organization_id and o.payment_id = e.payment_id
        and o.cause = e.about
        and case e.reversal when 'refund_failed' then o.kind = 'refund' when 'dispute_won' then o.kind = 'dispute'
          else o.reversal = 'unpaid' end
    where e.payment_id is not null
      and (e.kind not in ('payment', 'refund', 'dispute', 'fee') or ${isWonDispute})
  )`;

/** Compares payments with their entries, in both directions. Leaves out setups, which have no money. */
const ofPayments = sql`
  paid as (
    select coalesce(p.organization_id, e.organization_id) as organization_id, 'payment' as what,
      coalesce(e.cause, 'payment:' || p.id) as cause, coalesce(e.position, 0) as position,
      coalesce(p.amount_micros, 0) as expected, coalesce(e.amount_micros, 0) as found
    from (select * from payments where state in ${listed(COUNTED)} and kind <> 'setup') p
      full join (select * from ledger_entries where kind = 'payment') e
        on e.cause = 'payment:' || p.id and e.payment_id = p.id and e.organization_id = p.organization_id
  ), returned as (
    select e.organization_id, 'returned' as what, e.cause, e.position,
      case when e.kind = 'dispute' and p.id is not null then least(e.amount_micros, 0)
        else greatest(-coalesce(p.amount_micros, 0), least(e.amount_micros, 0)) end as expected, e.amount_micros as found
    from ledger_entries e
      left join payments p on p.id = e.payment_id and p.organization_id = e.organization_id
    where e.kind in ('refund', 'dispute') and (${isWonDispute} is not true or e.payment_id is null)
  ), unpaid as (
    select p.organization_id, 'unpaid' as what, 'payment:' || p.id as cause, min(e.position) as position,
      0 as expected, sum(e.amount_micros) as found
    from payments p join ledger_entries e on e.payment_id = p.id and e.kind <> 'payment'
    where p.state not in ${listed(COUNTED)}
    group by p.organization_id, p.id having max(e.at) < now() - interval '1 day'
    union all
    select p.organization_id, 'unpaid' as what, 'payment:' || p.id || ':' || e.charge_id as cause, min(e.position) as position,
      0 as expected, sum(e.amount_micros) as found
    from payments p join ledger_entries e on e.payment_id = p.id and e.charge_id <> p.provider_id
    where p.state in ${listed(COUNTED)}
    group by p.organization_id, p.id, e.charge_id
  ), given as (
    select e.organization_id, 'given' as what, 'payment:' || p.id as cause, min(e.position) as position,
      greatest(-coalesce(p.amount_micros, 0), sum(e.amount_micros)) as expected, sum(e.amount_micros) as found
    from ledger_entries e join payments p on p.id = e.payment_id and p.organization_id = e.organization_id
    where e.kind = 'refund' or e.reversal = 'refund_failed'
    group by e.organization_id, p.id, coalesce(e.charge_id, p.provider_id)
    union all
    select organization_id, 'fee' as what, coalesce(about, cause) as cause, min(position) as position,
      least(0, sum(amount_micros)) as expected, sum(amount_micros) as found
    from ledger_entries where kind = 'fee' group by organization_id, coalesce(about, cause)
  )`;
