/** What the provider knows of payments whose events did not come, or that this database has lost. */
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { COUNTED } from '../ledger/life.ts';
import { isStale } from '../ledger/mode.ts';
import { PaymentUnavailable, type MoneyEvent, type PaymentDriver } from './port.ts';
import { applyPaymentEvent } from './apply-event.ts';

/** How often the provider is asked for payments, refunds and disputes; soon again where it did not answer. Milliseconds. */
const PAST_EVERY_MS = 6 * 3_600_000;
const PAST_AGAIN_MS = 600_000;
/** How long ago they may have begun, milliseconds: a refund may fail weeks later, and a bank takes months over a dispute. */
const PAST_MS = 120 * 24 * 3_600_000;

type Parts = Pick<Services, 'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl' | 'closing' | 'meters'>;

/**
 * Asks the provider, now and then, for payments, also those that this database does not know, as after a restore, and for refunds and
 * disputes; does what it answers as if an event had told it. What came back longer ago is for the operator.
 * @param toleranceMs how much later than the interval a time may be before it is taken for one of a clock that was ahead
 */
export async function reconcilePast(services: Parts, driver: PaymentDriver, toleranceMs: number): Promise<void> {
  const { db, clock, log, closing } = services;
  const now = await databaseNow(db, clock);
  if ((await isStale(db, services.config)) || !(await takePast(db, now, toleranceMs))) return;
  const since = new Date(now.getTime() - PAST_MS);
  try {
    const isAllCharged = await applyAll(services, driver.charged(since));
    // Also what went back: whoever disputes is not charged again.
    const isAllReturned = await applyAll(services, driver.returned(since));
    if (isAllCharged && isAllReturned) await tellWhole(db);
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

/** One that cannot be written down does not block the others; the next round asks for it again. @returns whether all could */
async function applyAll(services: Parts, events: AsyncIterable<MoneyEvent>): Promise<boolean> {
  let isWhole = true;
  for await (const event of events) {
    if (services.closing.begun) return false;
    try {
      if (!(await isHandled(services.db, event))) await applyPaymentEvent(services, event);
    } catch (error) {
      isWhole = false;
      const told = { err: error, payment: event.paymentId, event: event.id };
      services.log.error(told, 'what became of a payment could not be written down');
    }
  }
  return isWhole;
}

/** Written as rows were put back: since then nobody has begun to ask. */
const RESTORED_AT = new Date(0);

/** All that was charged, and what went back of it, is known, unless rows were put back meanwhile. */
async function tellWhole(db: Db): Promise<void> {
  await db
    .updateTable('provider_looks')
    .set({ restored: false })
    .where('restored', '=', true)
    .where('next_at', '>', RESTORED_AT)
    .execute();
}

/**
 * Of several processes, one asks. A time beyond the interval by more than the tolerance was written by a clock that was ahead, and puts
 * nothing off; one within it is of a process that has read a slightly later time.
 */
async function takePast(db: Db, now: Date, toleranceMs: number): Promise<boolean> {
  const tooLate = new Date(now.getTime() + PAST_EVERY_MS + toleranceMs);
  // Should this process end meanwhile, another one asks soon.
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

/** Whether these rows know that the provider was asked for it. */
const isAsked = async (db: Db, id: string): Promise<boolean> =>
  (await db
    .selectFrom('payments')
    .select('id')
    .where('id', '=', id)
    .where('sent_at', 'is not', null)
    .executeTakeFirst()) !== undefined;

/** These rows are of an earlier time: the provider is asked at once, and autopay waits for all of its answer. */
export async function noteRestored(db: Db): Promise<void> {
  const asked = { next_at: RESTORED_AT, restored: true };
  await db
    .insertInto('provider_looks')
    .values(asked)
    .onConflict((conflict) => conflict.column('single').doUpdateSet(asked))
    .execute();
}

/** Whether charges or disputes may be lost from this database that the provider has not told of yet. */
export const mayLackPayments = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('provider_looks').select('restored').where('restored', '=', true).executeTakeFirst()) !==
  undefined;
