import { sql } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { repeat } from '../../platform/repeat.ts';
import { lockAccount } from '../ledger/accounts.ts';
import { PaymentUnavailable, type PaymentDriver, type Unended } from './port.ts';
import { settle } from './settle.ts';
import { tellUnknown } from './stop.ts';

/** How long a payment is left to its events before the provider is asked; then again, each time after twice as long. Milliseconds. */
const PATIENCE_MS = 600_000;
const LONGEST_MS = 6 * 3_600_000;
/** How long a payment waits for a page that nobody was ever shown, milliseconds. */
const PAGELESS_MS = 3_600_000;
/** How long a charge has no answer before owners, and who looks after billing, are told, milliseconds. */
const TOLD_AFTER_MS = 1_800_000;
const LOOK_EVERY_MS = 60_000;
/** Payments that are asked about in one round. */
const AT_ONCE = 50;

/** How often the provider is asked for refunds and disputes; soon again where it did not answer. Milliseconds. */
const PAST_EVERY_MS = 6 * 3_600_000;
const PAST_AGAIN_MS = 600_000;
/** How long ago they may have begun, milliseconds: a refund may fail weeks later, and a bank takes months over a dispute. */
const PAST_MS = 120 * 24 * 3_600_000;

type Parts = Pick<Services, 'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl' | 'closing' | 'meters'>;

interface Overdue extends Unended {
  organizationId: string;
  kind: 'payment' | 'autopay' | 'setup';
  /** How long it has been under way, milliseconds. */
  ageMs: number;
}

/**
 * Asks the provider about payments whose events have not come, and does what it answers as if an event had told it: the same causes, so
 * that an event that comes after all, before or at the same time, changes nothing twice. A charge that the provider has not
 * confirmed yet is left to its job, which asks by itself. Of refunds and disputes it is asked every few hours.
 */
export async function reconcile(services: Parts, driver: PaymentDriver): Promise<void> {
  await endPageless(services);
  await reconcilePayments(services, driver);
  if (!services.closing.begun) await reconcilePast(services, driver);
}

async function reconcilePayments(services: Parts, driver: PaymentDriver): Promise<void> {
  for (const payment of await takeOverdue(services.db, await databaseNow(services.db, services.clock))) {
    if (services.closing.begun) return;
    try {
      const event = await driver.ask(payment);
      if (event !== undefined) await settle(services, event);
    } catch (error) {
      if (!(error instanceof PaymentUnavailable)) throw error;
      services.log.warn(
        { err: error, payment: payment.paymentId },
        'the payment provider did not say what became of it',
      );
      if (payment.kind === 'autopay' && payment.ageMs >= TOLD_AFTER_MS) await tell(services, payment);
    }
  }
}

/** Whose process ended before it had a page, or whose provider was out of reach: nobody can pay it, and it would wait for ever. Should money come all the same, it counts. */
async function endPageless({ db, clock }: Parts): Promise<void> {
  const now = await databaseNow(db, clock);
  await db
    .updateTable('payments')
    .set({ state: 'canceled' })
    .where('state', '=', 'open')
    .where('page_id', 'is', null)
    .where('url', 'is', null)
    .where('created_at', '<=', new Date(now.getTime() - PAGELESS_MS))
    .execute();
}

/** Several processes take each of them once; what one does not come to is due again later. */
async function takeOverdue(db: Db, now: Date): Promise<Overdue[]> {
  const since = sql`coalesce(payments.sent_at, payments.created_at)`;
  const ageMs = sql<number>`(extract(epoch from ${now}::timestamptz - ${since}) * 1000)::float8`;
  const { rows } = await sql<Overdue>`
    update payments set check_at = ${now}::timestamptz
      + greatest(${PATIENCE_MS}::float8, least(${LONGEST_MS}::float8, ${ageMs})) * interval '1 millisecond'
    where id in (
      select id from payments where state in ('open', 'sent')
        and (page_id is not null or (kind = 'autopay' and state = 'sent' and provider_id is not null))
        and coalesce(check_at, ${since} + ${PATIENCE_MS}::float8 * interval '1 millisecond') <= ${now}
      order by created_at limit ${AT_ONCE} for update skip locked
    )
    returning id as "paymentId", organization_id as "organizationId", kind, page_id as "pageId",
      provider_id as "providerId", ${ageMs} as "ageMs"`.execute(db);
  return rows;
}

/**
 * Asks the provider, now and then, what has become of money that was paid, and does what it answers as if an event had told it. What came
 * back longer ago is for the operator.
 */
async function reconcilePast(services: Parts, driver: PaymentDriver): Promise<void> {
  const { db, clock, log, closing } = services;
  const now = await databaseNow(db, clock);
  if (!(await takePast(db, now))) return;
  try {
    for await (const event of driver.past(new Date(now.getTime() - PAST_MS))) {
      if (closing.begun) return await againAt(db, now);
      if (!(await isHandled(db, event.id))) await settle(services, event);
    }
  } catch (error) {
    if (!(error instanceof PaymentUnavailable)) throw error;
    log.warn({ err: error }, 'the payment provider did not list refunds and disputes');
    await againAt(db, new Date(now.getTime() + PAST_AGAIN_MS));
  }
}

/**
 * Of several processes, one asks. A time more than a minute beyond the interval was written by a clock that was ahead, and puts nothing
 * off; one within that minute is of a process that has read a slightly later time.
 */
async function takePast(db: Db, now: Date): Promise<boolean> {
  const next_at = new Date(now.getTime() + PAST_EVERY_MS);
  const tooLate = new Date(next_at.getTime() + LOOK_EVERY_MS);
  const taken = await db
    .insertInto('provider_looks')
    .values({ next_at })
    .onConflict((conflict) =>
      conflict
        .column('single')
        .doUpdateSet({ next_at })
        .where((eb) => eb.or([eb('provider_looks.next_at', '<=', now), eb('provider_looks.next_at', '>', tooLate)])),
    )
    .returning('next_at')
    .executeTakeFirst();
  return taken !== undefined;
}

async function againAt(db: Db, next_at: Date): Promise<void> {
  await db.updateTable('provider_looks').set({ next_at }).execute();
}

const isHandled = async (db: Db, id: string): Promise<boolean> =>
  (await db.selectFrom('payment_events').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;

async function tell(services: Parts, { paymentId, organizationId }: Overdue): Promise<void> {
  await services.db.transaction().execute(async (trx) => {
    if (await lockAccount(trx, organizationId)) await tellUnknown(trx, services, paymentId, services.clock());
  });
}

/** Looks every minute, until the server closes. */
export function keepReconciling(services: Parts, driver: PaymentDriver): void {
  repeat(services, {
    name: 'questions about payments',
    everyMs: LOOK_EVERY_MS,
    run: () => reconcile(services, driver),
  });
}
