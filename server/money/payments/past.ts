/** Reconciles past payments with the provider: events that did not come, and payments that this database has lost. */
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { COUNTED } from '../ledger/life.ts';
import { isStale } from '../ledger/mode.ts';
import { PaymentUnavailable, type MoneyEvent, type PaymentDriver } from './port.ts';
import { applyPaymentEvent } from './apply-event.ts';

/** Time between two rounds, milliseconds. */
const PAST_EVERY_MS = 6 * 3_600_000;
/** Time until the next round if the provider did not answer, milliseconds. */
const PAST_AGAIN_MS = 600_000;
/** Age of payments, refunds and disputes that a round reads, milliseconds: a dispute may take months. */
const PAST_MS = 120 * 24 * 3_600_000;

type Parts = Pick<
  Services,
  'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl' | 'secretFor' | 'closing' | 'meters'
>;

/**
 * If a round is due, lists the provider's payments, refunds and disputes and applies each as its event. This includes
 * payments that this database has lost, as after a restore. Older ones are left to the operator.
 * @param toleranceMs a next round later than interval plus tolerance was written by a wrong clock
 */
export async function reconcilePast(services: Parts, driver: PaymentDriver, toleranceMs: number): Promise<void> {
  const { db, clock, log, closing } = services;
  const now = await databaseNow(db, clock);
  if ((await isStale(db, services.config)) || !(await takePast(db, now, toleranceMs))) return;
  const since = new Date(now.getTime() - PAST_MS);
  try {
    const isAllCharged = await applyAll(services, driver.paymentsSince(since));
    // Refunds and disputes, too: an organization with a dispute must not be charged again.
    const isAllReturned = await applyAll(services, driver.refundsAndDisputesSince(since));
    if (isAllCharged && isAllReturned) await noteComplete(db);
    else await warnHeld(services);
  } catch (error) {
    if (!(error instanceof PaymentUnavailable)) throw error;
    log.warn({ err: error }, 'the payment provider did not list payments, refunds and disputes');
    await warnHeld(services);
    return;
  }
  if (!closing.begun) await nextAt(db, new Date(now.getTime() + PAST_EVERY_MS));
}

async function warnHeld({ db, log }: Parts): Promise<void> {
  if (await mayLackPayments(db))
    log.error('autopay charges nothing before the payment provider has listed all payments, refunds and disputes');
}

/**
 * Applies events. One that fails does not stop the others; the next round retries it.
 * @returns whether all succeeded
 */
async function applyAll(services: Parts, events: AsyncIterable<MoneyEvent>): Promise<boolean> {
  let isWhole = true;
  for await (const event of events) {
    if (services.closing.begun) return false;
    try {
      if (!(await isHandled(services.db, event))) await applyPaymentEvent(services, event);
    } catch (error) {
      isWhole = false;
      const fields = { err: error, payment: event.paymentId, event: event.id };
      services.log.error(fields, 'what became of a payment could not be written down');
    }
  }
  return isWhole;
}

/** `next_at` after a restore, until the next round begins. */
const RESTORED_AT = new Date(0);

/** Ends the wait after a restore: all payments are known. Does nothing if another restore happened meanwhile. */
async function noteComplete(db: Db): Promise<void> {
  await db
    .updateTable('provider_looks')
    .set({ restored: false })
    .where('restored', '=', true)
    .where('next_at', '>', RESTORED_AT)
    .execute();
}

/**
 * Claims a due round for this process. A next round later than interval plus tolerance is due, too: a clock that was
 * ahead wrote it. The tolerance is for processes with slightly later clocks.
 */
async function takePast(db: Db, now: Date, toleranceMs: number): Promise<boolean> {
  const tooLate = new Date(now.getTime() + PAST_EVERY_MS + toleranceMs);
  // If this process dies meanwhile, another one starts a round soon.
  const next_at = new Date(now.getTime() + PAST_AGAIN_MS);
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

async function nextAt(db: Db, next_at: Date): Promise<void> {
  await db.updateTable('provider_looks').set({ next_at }).where('restored', '=', false).execute();
}

async function isHandled(db: Db, event: MoneyEvent): Promise<boolean> {
  if (event.type === 'accepted') return isAsked(db, event.paymentId);
  const known = await db.selectFrom('payment_events').select('id').where('id', '=', event.id).executeTakeFirst();
  if (known !== undefined || event.type !== 'paid') return known !== undefined;
  const counted = await db
    .selectFrom('payments')
    .select('id')
    .where('provider_id', '=', event.providerId)
    .where('state', 'in', COUNTED)
    .executeTakeFirst();
  return counted !== undefined;
}

/** Whether this database knows that the provider was asked for a charge. */
const isAsked = async (db: Db, id: string): Promise<boolean> =>
  (await db
    .selectFrom('payments')
    .select('id')
    .where('id', '=', id)
    .where('sent_at', 'is not', null)
    .executeTakeFirst()) !== undefined;

/** Notes that the database was restored: a round begins at once, and autopay waits until one is complete. */
export async function noteRestored(db: Db): Promise<void> {
  const asked = { next_at: RESTORED_AT, restored: true };
  await db
    .insertInto('provider_looks')
    .values(asked)
    .onConflict((conflict) => conflict.column('single').doUpdateSet(asked))
    .execute();
}

/** Whether charges or disputes may be missing after a restore, because no round was complete since. */
export const mayLackPayments = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('provider_looks').select('restored').where('restored', '=', true).executeTakeFirst()) !==
  undefined;
