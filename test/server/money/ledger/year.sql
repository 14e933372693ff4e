-- The books as an auditor reads them: tables alone, nothing of the server. Micro-dollars; months of UTC, usage in that of its day.
-- First what has changed the balance of each organization by month, in sum, and of all of them; `balance` is what that leaves.
select organization_id as organization, to_char(month, 'YYYY-MM') as month,
  sum(amount) filter (where kind = 'payment') as payments, sum(amount) filter (where kind = 'refund') as refunds,
  sum(amount) filter (where kind = 'failed') as failed_refunds, sum(amount) filter (where kind = 'dispute') as disputes,
  sum(amount) filter (where kind = 'won') as disputes_won, sum(amount) filter (where kind = 'fee') as fees,
  sum(amount) filter (where kind = 'credit') as credits, sum(amount) filter (where kind = 'correction') as corrections,
  sum(amount) filter (where kind = 'usage') as usage, sum(amount) filter (where kind = 'test') as test_money,
  sum(sum(amount)) over (partition by organization_id, grouping(month) order by month) as balance
from (
  select organization_id, date_trunc('month', coalesce(day::timestamp, at at time zone 'UTC')) as month, amount_micros as amount,
    case when mode <> 'live' then 'test' when cause like 'refund-failed:%' then 'failed' when cause like 'dispute-won:%' then 'won'
      else kind end as kind
  from ledger_entries
) as entries
group by grouping sets ((organization_id, month), (organization_id), ())
order by organization_id, month;

-- Then whatever does not fit, one row each; none where the books are right.
with entries as (
  select *, lag(balance_after_micros, 1, 0::bigint) over (partition by organization_id order by position) as balance_before,
    case when kind = 'payment' then 'receipt' when kind = 'refund' then 'credit_note' when cause like 'refund-failed:%' then 'reversal' end as paper
  from ledger_entries
), costs as (select organization_id, cost_micros from usage_rows union all select organization_id, cost_micros from pruned_usage)
select organization, what, which, expected, found from (
  select organization_id as organization, 'chain' as what, cause as which, balance_before + amount_micros as expected, balance_after_micros as found
    from entries
  union all select organization_id, 'balance', 'account', (select sum(amount_micros) from entries e where e.organization_id = a.organization_id),
    balance_micros from accounts a where exists (select from entries e where e.organization_id = a.organization_id) or balance_micros <> 0
  union all select organization_id, 'closed', 'account', 0, balance_micros from accounts where closed_at is not null
  union all select coalesce(p.organization_id, e.organization_id), 'payment', coalesce(p.id, e.id)::text, p.amount_micros, e.amount_micros
    from (select * from payments where state = 'succeeded' and kind <> 'setup') p full join (select * from entries where kind = 'payment') e
      on e.payment_id = p.id and e.organization_id = p.organization_id
  union all select coalesce(e.organization_id, r.organization_id), 'receipt', coalesce(e.cause, r.series || '-' || r.number), abs(e.amount_micros),
    r.total_micros from (select * from entries e where paper is not null
      and (exists (select from payments p where p.id = e.payment_id and p.state = 'succeeded')
        or exists (select from entries paid where paid.kind = 'payment' and paid.payment_id = e.payment_id))) e full join receipts r
      on r.entry_id = e.id and r.kind = e.paper and r.organization_id = e.organization_id
  union all select null, 'series', series, greatest(max(s.next) - 1, max(r.number), count(r.number)), count(distinct r.number) filter (where r.number > 0)
    from receipt_series s full join receipts r using (series) group by series
  union all select organization_id, 'posted', day::text, coalesce(d.micros, 0), coalesce(e.micros, 0)
    from (select organization_id, day, earlier_micros + case when posted then cost_micros else 0 end as micros from usage_days) d
      full join (select organization_id, day, -sum(amount_micros) as micros from entries where kind = 'usage' group by 1, 2) e using (organization_id, day)
  union all select organization_id, 'used', 'requests', (select coalesce(sum(cost_micros), 0) from costs c where c.organization_id = a.organization_id),
    (select coalesce(-sum(amount_micros), 0) from entries e where e.organization_id = a.organization_id and kind = 'usage')
    + (select coalesce(sum(cost_micros), 0) from usage_days d where d.organization_id = a.organization_id and not posted) from accounts a
) as compared where expected is distinct from found order by organization, what, which;
