import { sql } from 'kysely';
import type { BillingOverview } from '#contract/billing.ts';
import { daysAfter, daysFrom, MS_PER_DAY } from '#contract/usage.ts';
import { invalidRequest } from '../../platform/refusal.ts';
import type { Db } from '../../platform/db/database.ts';
import { atOneMoment } from '../../platform/db/moment.ts';
import { isBudgetReached } from '../limits/budget.ts';
import type { LimitDefaults } from '../limits/defaults.ts';
import { isExhausted } from '../ledger/admission.ts';
import { type Payment, readLeft } from '../ledger/accounts.ts';
import { dayOf } from '../ledger/charge.ts';
import { LEFT, ORDERED, statesAfter, UNASKED } from '../ledger/life.ts';
import { hasPrices } from '../usage/price-lists.ts';
import { readTotalCost } from './cost-table.ts';
import { errorOf } from './error.ts';
import { attemptOf, isPutOff, methodOf, type Paying } from './paying.ts';
import { readAccount, settingsOf } from './settings.ts';
import { readTransactions } from './transactions.ts';

/** Number of payments in the overview. */
const LAST = 5;
const FAILED = statesAfter('payment', 'declined');
/** Whole days before today over which the pace of spending is measured. */
const PACE_DAYS = 7;

type PeriodRequest = { start_date?: string | undefined; end_date?: string | undefined };

/**
 * Balance, cost of a period and status of payments, read at one moment (BIL-01).
 * @throws Refusal invalid if reversed, not_found
 */
export async function readOverview(
  { services: { db, clock }, driver, limitDefaults }: Paying & { limitDefaults: LimitDefaults },
  organizationId: string,
  asked: PeriodRequest,
): Promise<BillingOverview> {
  const now = clock();
  const period = periodOf(asked, dayOf(now));
  return atOneMoment(db, async (trx) => ({
    currency: 'USD',
    mode: driver.mode,
    period,
    ...(await readStanding(trx, organizationId, period, limitDefaults, now)),
  }));
}

async function readStanding(
  db: Db,
  organizationId: string,
  period: BillingOverview['period'],
  limitDefaults: LimitDefaults,
  now: Date,
): Promise<Omit<BillingOverview, 'currency' | 'mode' | 'period'>> {
  const account = await readAccount(db, organizationId);
  const { left, unposted } = (await readLeft(db, organizationId)) ?? { left: 0, unposted: 0 };
  const isCharging = await hasPrices(db, now);
  const pending = await db
    .selectFrom('payments')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('kind', '<>', 'setup')
    .where('state', 'in', [...ORDERED, ...UNASKED])
    .where(({ not }) => not(isPutOff(now)))
    .orderBy('position', 'desc')
    .executeTakeFirst();
  const failed = await readFailed(db, organizationId, now);
  return {
    is_charging: isCharging,
    balance_micros: left,
    unposted_micros: unposted,
    is_exhausted: isCharging && (await isExhausted(db, organizationId)),
    is_budget_reached: isCharging && (await isBudgetReached(db, organizationId, limitDefaults, now)),
    cost_micros: await readTotalCost(db, organizationId, period),
    ...(await readPace(db, organizationId, left, now)),
    autopay: settingsOf(account).autopay,
    method: methodOf(account),
    error: await errorOf(db, account),
    pending: pending === undefined ? null : attemptOf(pending),
    failed: failed === undefined ? null : attemptOf(failed),
    payments: await readTransactions(db, organizationId, { kind: 'payment', limit: LAST }),
  };
}

/** The payment that failed last, if that was less than a day ago and no other was begun since (PAY-26). */
function readFailed(db: Db, organizationId: string, now: Date): Promise<Payment | undefined> {
  const failedAt = sql<Date>`coalesce(payments.failed_at, payments.created_at)`;
  return (
    db
      .selectFrom('payments')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('kind', '=', 'payment')
      .where('state', 'in', FAILED)
      .where(failedAt, '>', new Date(now.getTime() - MS_PER_DAY))
      // Money that was taken and does not fit what was asked for: the error of autopay tells of it.
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('refused_events').whereRef('payment_id', '=', 'payments.id'))),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('payments as next')
              .select('next.id')
              .where('next.organization_id', '=', organizationId)
              .where('next.kind', '=', 'payment')
              .where('next.state', 'not in', LEFT)
              .whereRef('next.position', '>', 'payments.position')
              .where('next.created_at', '>=', failedAt),
          ),
        ),
      )
      .orderBy(failedAt, 'desc')
      .executeTakeFirst()
  );
}

function periodOf({ start_date, end_date }: PeriodRequest, today: string): BillingOverview['period'] {
  const end = end_date ?? (start_date !== undefined && start_date > today ? start_date : today);
  const start = start_date ?? `${end.slice(0, 7)}-01`;
  if (start > end)
    throw invalidRequest([
      { error_type: 'check', location: 'query.end_date', message: 'The last day must not be before the first.' },
    ]);
  return { start_date: start, end_date: end };
}

/**
 * What was spent today, and the days until the balance is used up at the pace of the last {@link PACE_DAYS} days and
 * today so far, or since the day of the first request. Less than a day is no pace.
 */
async function readPace(
  db: Db,
  organizationId: string,
  left: number,
  now: Date,
): Promise<Pick<BillingOverview, 'today_micros' | 'days_left'>> {
  const today = dayOf(now);
  const { spent, spentToday, first } = await db
    .selectFrom('usage_days')
    .select((eb) => {
      const cost = eb.fn.sum(eb('cost_micros', '+', eb.ref('earlier_micros')));
      return [
        cost.filterWhere('day', '>=', daysAfter(today, -PACE_DAYS)).as('spent'),
        cost.filterWhere('day', '=', today).as('spentToday'),
        eb.fn.min<string | null>('day').as('first'),
      ];
    })
    .where('organization_id', '=', organizationId)
    .where('day', '<=', today)
    .executeTakeFirstOrThrow();
  const today_micros = Number(spentToday ?? 0);
  const micros = Number(spent ?? 0);
  const wholeDays = Math.min(PACE_DAYS, daysFrom(first ?? today, today) - 1);
  if (micros <= 0 || wholeDays < 1) return { today_micros, days_left: null };
  const days = wholeDays + (now.getTime() - Date.parse(today)) / MS_PER_DAY;
  return { today_micros, days_left: Math.floor((Math.max(0, left) * days) / micros) };
}
