import { sql } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { repeat } from '../../platform/repeat.ts';
import { lockAccount, type Payment } from '../ledger/accounts.ts';
import { scheduleAutopay } from '../ledger/schedule.ts';
import { listed, movePayment, ON_PAGE, ORDERED, UNASKED, WAITING, WAITS_MS } from '../ledger/life.ts';
import { isStale, moneyModeOf, OUTDATED } from '../ledger/mode.ts';
import { holdSilent } from './holds.ts';
import { reconcilePast } from './past.ts';
import { PaymentUnavailable, type MoneyEvent, type PaymentDriver, type OpenPayment } from './port.ts';
import { applyPaymentEvent } from './apply-event.ts';
import { moveAutopay, tellUnknown } from './stop.ts';

/** First wait for a payment's events before the provider is asked, milliseconds. Doubles each time. */
const PATIENCE_MS = 600_000;
/** Longest wait between two questions about a payment, milliseconds. */
const LONGEST_MS = 6 * 3_600_000;
/** After this time without an answer about a charge, owners and billing members are mailed, milliseconds. */
const TOLD_AFTER_MS = 1_800_000;
const LOOK_EVERY_MS = 60_000;
/** Payments of one round. */
const AT_ONCE = 50;

type Parts = Pick<
  Services,
  'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl' | 'secretFor' | 'closing' | 'meters'
>;

interface Overdue extends OpenPayment {
  organizationId: string;
  kind: Payment['kind'];
  state: Payment['state'];
  mode: Payment['mode'];
  /** Since when the provider has not answered about it; null if it has, or was not asked. */
  unheardSince: Date | null;
  /** Time since the payment should have expired, milliseconds; negative before. */
  overMs: number;
}

/**
 * Asks the provider about payments whose events have not come, and applies the answers as events. These have the same
 * causes, so an event that also comes changes nothing twice. Leaves charges that the provider has not confirmed to
 * their jobs, which look them up. Expires payments that have waited too long. Every few hours, also reconciles past
 * payments, refunds and disputes.
 */
export async function reconcile(services: Parts, driver: PaymentDriver): Promise<void> {
  await reconcilePayments(services, driver);
  if (!services.closing.begun) await reconcilePast(services, driver, LOOK_EVERY_MS);
}

async function reconcilePayments(services: Parts, driver: PaymentDriver): Promise<void> {
  if (await isStale(services.db, services.config)) return;
  for (const payment of await takeOverdue(services.db, await databaseNow(services.db, services.clock))) {
    if (services.closing.begun) return;
    try {
      const event = await answerAbout(services, driver, payment);
      if (event !== undefined) await applyPaymentEvent(services, event);
      else if (payment.unheardSince !== null) await noteHeard(services, payment);
    } catch (error) {
      const fields = { err: error, payment: payment.paymentId };
      if (error instanceof PaymentUnavailable) {
        services.log.warn(fields, 'the payment provider did not say what became of it');
        if (payment.kind === 'autopay') await noteUnheard(services, payment);
      } else services.log.error(fields, 'what became of a payment could not be written down');
    }
    if (payment.overMs >= (isOnPage(payment) ? WAITS_MS.sent : 0)) await expire(services, payment);
  }
}

/** Whether somebody may be on the payment's page, so that the provider must end it first. */
const isOnPage = ({ state, pageId }: Overdue): boolean => ON_PAGE.includes(state) && pageId !== null;

const OF_A_TEST = 'This was a test payment, from before payments were set up. No money was moved.';

/** The provider's answer about a payment. Fails payments of an outdated test mode. @throws PaymentUnavailable */
async function answerAbout(
  { config }: Parts,
  driver: PaymentDriver,
  payment: Overdue,
): Promise<MoneyEvent | undefined> {
  const { paymentId, mode } = payment;
  if (mode !== null && OUTDATED[moneyModeOf(config)].includes(mode))
    return { id: `asked:${paymentId}:failed`, type: 'failed', paymentId, message: OF_A_TEST };
  if (payment.pageId === null && payment.providerId === null) return undefined;
  return isOnPage(payment) && payment.overMs >= 0 ? driver.expire(payment) : driver.ask(payment);
}

/** Expires a payment that has waited too long. If money comes later, it still counts. */
async function expire(services: Parts, { paymentId, organizationId }: Overdue): Promise<void> {
  await services.db.transaction().execute(async (trx) => {
    if ((await lockAccount(trx, organizationId)) === undefined) return;
    const now = await databaseNow(trx, services.clock);
    const payment = await trx
      .selectFrom('payments')
      .select(['id', 'organization_id', 'kind', 'state'])
      .where('id', '=', paymentId)
      .where(sql`${endsAt}`, '<=', now)
      .where('state', 'in', WAITING)
      .executeTakeFirst();
    if (payment === undefined) return;
    const isOrdered = ORDERED.includes(payment.state);
    const error_message = isOrdered ? WORDLESS : null;
    await movePayment(trx, services, paymentId, 'expired', { error_message });
    services.meters.count('parlance_payment_events_total', { event: 'expired' });
    if (isOrdered) services.log.error({ payment: paymentId }, 'a payment had no end for 30 days');
    if (payment.kind === 'autopay')
      await (isOrdered ? holdSilent(trx, services, payment) : moveAutopay(trx, services, organizationId, 'ended'));
    await scheduleAutopay(trx, organizationId, now);
  });
}

/** The error of a payment that has expired without an answer. */
export const WORDLESS =
  'The payment provider has not said for 30 days what became of it. If it is paid after all, it counts.';

const since = sql<Date>`coalesce(payments.sent_at, payments.created_at)`;
const longest = sql<Date>`${since} + ${WAITS_MS.sent}::float8 * interval '1 millisecond'`;
/** When a payment expires. Earlier versions wrote no `ends_at`, or left the page's. */
const endsAt = sql<Date>`coalesce(
  case when payments.state in ${listed(ORDERED)} then greatest(payments.ends_at, ${longest}) else payments.ends_at end,
  ${longest}
)`;
const msUntil = (now: Date, from: typeof since) =>
  sql<number>`(extract(epoch from ${now}::timestamptz - ${from}) * 1000)::float8`;

/** Payments that should have expired a day ago: no server runs, or the provider does not answer about their page. */
export async function listEndless(db: Db): Promise<{ id: string; organization_id: string; ends_at: Date }[]> {
  const { rows } = await sql<{ id: string; organization_id: string; ends_at: Date }>`
    select id, organization_id, ${endsAt} as ends_at from payments
    where state in ${listed(WAITING)} and ${endsAt} < now() - interval '1 day' order by position`.execute(db);
  return rows;
}

/** Claims overdue payments for one round of this process, and sets when each is due again. */
async function takeOverdue(db: Db, now: Date): Promise<Overdue[]> {
  const ageMs = msUntil(now, since);
  const { rows } = await sql<Overdue>`
    update payments set check_at = greatest(
      ${now}::timestamptz + ${PATIENCE_MS}::float8 * interval '1 millisecond',
      least(
        ${now}::timestamptz + least(${LONGEST_MS}::float8, ${ageMs}) * interval '1 millisecond',
        case when ${endsAt} > ${now} then ${endsAt} end
      )
    )
    where id in (
      select id from payments where state in ${listed(WAITING)}
        and (
          ${endsAt} <= ${now}
          or (state not in ${listed(UNASKED)} and page_id is not null)
          or (kind = 'autopay' and state in ${listed(ORDERED)} and provider_id is not null)
        )
        and coalesce(check_at, ${since} + ${PATIENCE_MS}::float8 * interval '1 millisecond') <= ${now}
      order by created_at limit ${AT_ONCE} for update skip locked
    )
    returning id as "paymentId", organization_id as "organizationId", kind, state, mode, page_id as "pageId",
      provider_id as "providerId", unheard_since as "unheardSince",
      ${msUntil(now, endsAt)} as "overMs"`.execute(db);
  return rows;
}

/** Notes that the provider did not answer about a charge, and asks again soon. Mails people after half an hour. */
async function noteUnheard(services: Parts, { paymentId, organizationId, unheardSince }: Overdue): Promise<void> {
  await services.db.transaction().execute(async (trx) => {
    if ((await lockAccount(trx, organizationId)) === undefined) return;
    const now = await databaseNow(trx, services.clock);
    await trx
      .updateTable('payments')
      .set({ unheard_since: unheardSince ?? now, check_at: new Date(now.getTime() + PATIENCE_MS) })
      .where('id', '=', paymentId)
      .execute();
    if (unheardSince !== null && now.getTime() - unheardSince.getTime() >= TOLD_AFTER_MS)
      await tellUnknown(trx, services, paymentId, unheardSince);
  });
}

/** Notes that the provider has answered: the charge is under way. */
async function noteHeard(services: Parts, { paymentId, organizationId }: Overdue): Promise<void> {
  await services.db.transaction().execute(async (trx) => {
    if ((await lockAccount(trx, organizationId)) === undefined) return;
    await trx.updateTable('payments').set({ unheard_since: null }).where('id', '=', paymentId).execute();
    await moveAutopay(trx, services, organizationId, 'answered');
    await scheduleAutopay(trx, organizationId, await databaseNow(trx, services.clock));
  });
}

/** Reconciles payments every minute, until the server closes. */
export function keepReconciling(services: Parts, driver: PaymentDriver): void {
  repeat(services, {
    name: 'questions about payments',
    everyMs: LOOK_EVERY_MS,
    run: () => reconcile(services, driver),
  });
}
