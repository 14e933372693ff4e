import type { Transaction } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { databaseNow } from '../../platform/db/now.ts';
import type { Schema } from '../../platform/db/schema.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import { lockAccount, type Payment } from '../ledger/accounts.ts';
import { scheduleAutopay, nextRun } from '../ledger/schedule.ts';
import { movePayment, ORDERED } from '../ledger/life.ts';
import { moneyModeOf } from '../ledger/mode.ts';
import { again, claim, type Charge } from './autopay-claim.ts';
import { applyDecline } from './decline.ts';
import { PaymentUnavailable, type ChargeResult, type PaymentDriver } from './port.ts';
import { refuseCharge, wasRefused } from './refusal.ts';
import { moveAutopay, tellUnknown } from './stop.ts';

const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 1_800_000;
/** After this time without an answer to a charge, owners and billing members are mailed, milliseconds. */
const TOLD_AFTER_MS = 1_800_000;
/**
 * A charge must leave this soon after the look at whether it is wanted, milliseconds. A process may stand still between
 * the two (a signal, the sleep of its machine) while autopay is turned off, or the provider forgets the key.
 */
const SEND_MS = 60_000;
/** If the provider does not know a charge this long after the last request, it will never be made, milliseconds. */
const QUIET_MS = 3_600_000;

/** Wait before the next run of a job, milliseconds. @param attempts number of earlier runs */
export const chargeBackoff = (attempts: number): number => Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempts);

type Parts = Pick<Services, 'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl' | 'meters'>;

/**
 * Charges a stored payment method. Marks the row as sent before calling the provider. So after a crash the next run
 * looks the charge up first, and repeats it by the same key only for a while. The job runs until the charge has an end:
 * an event, a decline, or the provider's answer that there is no such charge. Only then may another charge follow.
 */
export function autopayHandler(services: Parts, driver: PaymentDriver): JobHandler {
  const { db, clock } = services;
  return {
    async run(job) {
      const charge = await claim(services, job);
      if (charge === undefined) return;
      if (charge instanceof Date) return job.postpone(charge);
      const result = await outcomeOf(services, driver, charge);
      await db.transaction().execute(async (trx) => {
        const { payment } = charge;
        await lockAccount(trx, payment.organization_id);
        if (result?.outcome === 'sent') {
          await trx
            .updateTable('payments')
            .set({ provider_id: result.providerId, refusal: null })
            .where('id', '=', payment.id)
            // An event may have set the charge that counts already.
            .where((eb) => eb.or([eb('state', 'in', ORDERED), eb('provider_id', 'is', null)]))
            .execute();
          await moveAutopay(trx, services, payment.organization_id, 'answered');
          await scheduleAutopay(trx, payment.organization_id, clock());
        } else if (result?.outcome === 'refused') {
          await refused(trx, services, charge.payment, result.reason);
          return;
        } else {
          if (result === undefined) await neverMade(trx, services, charge.payment);
          else await applyDecline(trx, services, payment, result.message, clock());
          await scheduleAutopay(trx, payment.organization_id, clock());
        }
        await job.complete(trx);
      });
      if (result?.outcome === 'refused') await job.postpone(nextRun(clock(), clock()));
      services.meters.count('parlance_payment_events_total', { event: `charge_${result?.outcome ?? 'never_made'}` });
    },
    async lock(trx, job) {
      const row = await trx
        .selectFrom('payments')
        .select('organization_id')
        .where('id', '=', job.subject)
        .executeTakeFirst();
      if (row !== undefined) await lockAccount(trx, row.organization_id);
    },
    async waiting(trx, job) {
      const before = new Date((await databaseNow(trx, clock)).getTime() - TOLD_AFTER_MS);
      await tellUnknown(trx, services, job.subject, before);
    },
    givenUp: () => Promise.resolve(),
  };
}

/** The outcome of a charge; undefined if the provider has no such charge, and never will. @throws PaymentUnavailable */
async function outcomeOf(services: Parts, driver: PaymentDriver, charge: Charge): Promise<ChargeResult | undefined> {
  const { db, clock, config } = services;
  const { payment, request, sentAt, askedAt, mayAsk } = charge;
  // `created_at` may be from a clock that was ahead.
  const since = payment.created_at < sentAt ? payment.created_at : sentAt;
  if (payment.mode === 'live' && moneyModeOf(config) !== 'live')
    throw new PaymentUnavailable(new Error('The charge is real, and the payments of this process are tests.'));
  const ask = async (): Promise<ChargeResult | undefined> => {
    const maySend = within(SEND_MS);
    const asked = await noteAsked(services, payment);
    if (asked !== undefined) charge.payment = asked;
    else if (askedAt === undefined) return undefined;
    else throw new PaymentUnavailable(new Error('The charge is not wanted any more, but was asked for before.'));
    const returnUrl = `${services.publicUrl()}/org/${payment.organization_id}/billing/overview/`;
    return driver.charge(request, returnUrl, maySend);
  };
  if (askedAt === undefined) {
    // A charge that was due for long may come from a restored database, and may have been made since.
    const isOld = sentAt.getTime() - payment.created_at.getTime() >= QUIET_MS;
    // A charge that was refused before may have been made, too: perhaps only its repetition was refused.
    if (!isOld && !wasRefused(payment)) return ask();
    const known = await driver.look(request, since).catch((error: unknown): ChargeResult => {
      // Nothing was asked by this key, so nothing was charged.
      if (error instanceof PaymentUnavailable && error.refusal !== undefined)
        return { outcome: 'refused', reason: error.refusal };
      throw error;
    });
    return known ?? (mayAsk ? ask() : undefined);
  }
  const known = await driver.look(request, since);
  if (known !== undefined) return known;
  if (mayAsk) return ask();
  if ((await databaseNow(db, clock)).getTime() - askedAt.getTime() >= QUIET_MS) return undefined;
  throw new PaymentUnavailable(new Error('The charge is not known there, but was asked for a moment ago.'));
}

/** Whether this time has not passed since. Of the two clocks, one stops while the machine sleeps, one may be set back. */
function within(milliseconds: number): () => boolean {
  const [wall, steady] = [Date.now(), performance.now()];
  return () => Math.max(Date.now() - wall, performance.now() - steady) < milliseconds;
}

/**
 * Writes that the provider is asked now, just before doing so, and checks once more: this process may have been
 * suspended, and another may have taken over.
 * @returns the changed row; undefined if the charge is not wanted any more
 * @throws PaymentUnavailable if the charge was repeated or has ended since it was read
 */
async function noteAsked({ db, clock }: Parts, before: Payment): Promise<Payment | undefined> {
  return db.transaction().execute(async (trx) => {
    const account = await lockAccount(trx, before.organization_id);
    const now = await databaseNow(trx, clock);
    const payment = await unchanged(trx, before);
    if (payment === undefined) throw changedMeanwhile();
    if (account === undefined || !again(account, payment, now).mayAsk) return undefined;
    await trx.updateTable('payments').set({ asked_at: now }).where('id', '=', payment.id).execute();
    return { ...payment, asked_at: now };
  });
}

/** Locks the row of a charge, if it is still ordered and nobody has repeated it since. */
const unchanged = (trx: Db, { id, asked_at }: Payment): Promise<Payment | undefined> =>
  trx
    .selectFrom('payments')
    .selectAll()
    .where('id', '=', id)
    .where('state', 'in', ORDERED)
    .where('asked_at', 'is not distinct from', asked_at)
    .forNoKeyUpdate()
    .executeTakeFirst();

/**
 * Postpones a charge that the provider has refused.
 * @throws PaymentUnavailable if it was repeated or has ended since
 */
async function refused(trx: Transaction<Schema>, services: Parts, payment: Payment, reason: string): Promise<void> {
  if ((await unchanged(trx, payment))?.provider_id !== null) throw changedMeanwhile();
  await refuseCharge(trx, services, payment, reason);
}

const NEVER_MADE = 'The charge did not reach the payment provider. Nothing was charged.';

/** A suspended process may outlive its lease; another process may then have repeated or ended its charge. */
const changedMeanwhile = (): PaymentUnavailable =>
  new PaymentUnavailable(new Error('The charge was asked for again, or has ended, since this process looked.'));

/**
 * Ends a charge that was never made. Call `scheduleAutopay` afterwards.
 * @throws PaymentUnavailable as {@link refused}
 */
async function neverMade(trx: Transaction<Schema>, services: Parts, payment: Payment): Promise<void> {
  if ((await unchanged(trx, payment)) === undefined) throw changedMeanwhile();
  const error_message = payment.refusal === null ? NEVER_MADE : null;
  if (await movePayment(trx, services, payment.id, 'never_made', { error_message, refusal: null }))
    await moveAutopay(trx, services, payment.organization_id, 'ended');
}
