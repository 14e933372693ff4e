import type { Transaction } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { databaseNow } from '../../platform/db/now.ts';
import type { Schema } from '../../platform/db/schema.ts';
import type { JobHandler, RunningJob } from '../../platform/jobs/worker.ts';
import { lockAccount, type Account, type Payment } from '../ledger/accounts.ts';
import { scheduleAutopay, neededMicros, nextRun } from '../ledger/schedule.ts';
import { movePayment, ORDERED, UNASKED } from '../ledger/life.ts';
import { isHeld } from '../ledger/autopay-life.ts';
import { moneyModeOf } from '../ledger/mode.ts';
import { applyDecline } from './decline.ts';
import { mayLackPayments } from './past.ts';
import { PaymentUnavailable, type ChargeRequest, type ChargeResult, type PaymentDriver } from './port.ts';
import { refuseCharge, wasRefused } from './refusal.ts';
import { moveAutopay, tellUnknown } from './stop.ts';

const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 1_800_000;
/** After this time without an answer to a charge, owners and billing members are mailed, milliseconds. */
const TOLD_AFTER_MS = 1_800_000;
/**
 * A charge is repeated by its key for this long, milliseconds. A provider remembers keys for a day; later, the same key
 * would make another charge.
 */
const ASK_MS = 3_600_000;
/** Longest delay of a try, milliseconds. A longer one was written by a clock that was ahead. */
const PUT_OFF_MAX_MS = 72 * 3_600_000;
/** If the provider does not know a charge this long after the last request, it will never be made, milliseconds. */
const QUIET_MS = 3_600_000;

/** Wait before the next run of a job, milliseconds. @param attempts number of earlier runs */
export const chargeBackoff = (attempts: number): number => Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempts);

type Parts = Pick<Services, 'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl' | 'meters'>;

/** A charge that is under way. */
interface Charge {
  payment: Payment;
  request: ChargeRequest;
  /** When the provider was asked for it first. */
  sentAt: Date;
  /** When the provider was asked for it last, in an earlier run; undefined in the first run. */
  askedAt: Date | undefined;
  /** Whether the provider may be asked for it again. */
  mayAsk: boolean;
}

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
            .set({ provider_id: result.providerId })
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
    const asked = await noteAsked(services, payment);
    if (asked !== undefined) charge.payment = asked;
    else if (askedAt === undefined) return undefined;
    else throw new PaymentUnavailable(new Error('The charge is not wanted any more, but was asked for before.'));
    return driver.charge(request, `${services.publicUrl()}/org/${payment.organization_id}/billing/overview/`);
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
    return known ?? ask();
  }
  const known = await driver.look(request, since);
  if (known !== undefined) return known;
  if (mayAsk) return ask();
  if ((await databaseNow(db, clock)).getTime() - askedAt.getTime() >= QUIET_MS) return undefined;
  throw new PaymentUnavailable(new Error('The charge is not known there, but was asked for a moment ago.'));
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

/** Until when a charge waits: after a decline or refusal, or after a restore. Undefined if it is due or has ended. */
async function waitsUntil(db: Db, id: string, now: Date): Promise<Date | undefined> {
  const due = await db
    .selectFrom('payments')
    .select(['run_at', 'created_at', 'key'])
    .where('id', '=', id)
    .where('state', 'in', UNASKED)
    .executeTakeFirst();
  if (due === undefined) return undefined;
  const after = (ms: number): Date => new Date(now.getTime() + ms);
  if (await mayLackPayments(db)) return after(FIRST_WAIT_MS);
  const isPutOff = due.run_at > due.created_at || wasRefused(due);
  const waits = isPutOff && due.run_at > now && due.run_at <= after(PUT_OFF_MAX_MS);
  return waits ? nextRun(due.run_at, now) : undefined;
}

/**
 * Marks the charge as sent. If it has ended or is not wanted any more, ends the job. Reads the wait under the account's
 * lock: another run of the same job, after a suspended process lost its lease, may just have made the charge wait.
 * @returns the charge; or until when it waits; undefined if the job has ended
 */
async function claim(services: Parts, job: RunningJob): Promise<Charge | Date | undefined> {
  return services.db.transaction().execute(async (trx) => {
    const owner = await trx
      .selectFrom('payments')
      .select('organization_id')
      .where('id', '=', job.subject)
      .executeTakeFirst();
    const account = owner && (await lockAccount(trx, owner.organization_id));
    const early = account && (await waitsUntil(trx, job.subject, services.clock()));
    if (early !== undefined) return early;
    const charge = account && (await begin(trx, services, account, job.subject));
    if (charge === undefined) await job.complete(trx);
    return charge;
  });
}

/** Reads times by the database's clock: a process's clock may be an hour off, or jump during a charge. */
async function begin(
  trx: Transaction<Schema>,
  services: Parts,
  account: Account,
  id: string,
): Promise<Charge | undefined> {
  const now = await databaseNow(trx, services.clock);
  const payment = await trx.selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirst();
  if (payment === undefined) return undefined;
  if (UNASKED.includes(payment.state)) return send(trx, services, account, payment, now);
  return ORDERED.includes(payment.state) ? again(account, await withoutFutureTimes(trx, payment, now), now) : undefined;
}

/** Replaces times in the future, which a clock that was ahead wrote, by now. */
async function withoutFutureTimes(trx: Db, payment: Payment, now: Date): Promise<Payment> {
  const { sent_at, asked_at } = payment;
  if ((sent_at ?? now) <= now && (asked_at ?? now) <= now) return payment;
  const at = { sent_at: now, asked_at: now };
  await trx.updateTable('payments').set(at).where('id', '=', payment.id).execute();
  return { ...payment, ...at };
}

/** Marks a due charge as sent, or drops it if it is not needed any more. */
async function send(
  trx: Transaction<Schema>,
  services: Parts,
  account: Account,
  payment: Payment,
  now: Date,
): Promise<Charge | undefined> {
  const { organization_id, customer_id, method_id } = account;
  const amount_micros = isHeld(account) ? undefined : await neededMicros(trx, account, now, payment.wanted_micros);
  if (amount_micros === undefined || customer_id === null || method_id === null) {
    await movePayment(trx, services, payment.id, 'dropped');
    await moveAutopay(trx, services, organization_id, 'ended');
    await scheduleAutopay(trx, organization_id, now);
    return undefined;
  }
  const mode = moneyModeOf(services.config);
  const asked = { customer_id, method_id, amount_micros, mode, sent_at: now, asked_at: now, refusal: null };
  const sent = await movePayment(trx, services, payment.id, 'asked', asked);
  return (
    sent && { payment: sent, request: requestOf(sent, customer_id), sentAt: now, askedAt: undefined, mayAsk: true }
  );
}

/**
 * Continues a charge that was sent, for the customer that it was sent for. It is repeated only while autopay is on, not
 * held, and has the same method.
 */
function again(account: Account, payment: Payment, now: Date): Charge {
  const sentAt = payment.sent_at ?? now;
  const isWanted = account.autopay_enabled && !isHeld(account) && account.method_id === payment.method_id;
  return {
    payment,
    request: requestOf(payment, payment.customer_id ?? account.customer_id ?? ''),
    sentAt,
    askedAt: payment.asked_at ?? now,
    mayAsk: isWanted && now.getTime() - sentAt.getTime() < ASK_MS,
  };
}

const requestOf = ({ id, key, method_id, amount_micros }: Payment, customerId: string): ChargeRequest => ({
  key,
  paymentId: id,
  customerId,
  methodId: method_id ?? '',
  amountMicros: amount_micros ?? 0,
});

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
  if (await movePayment(trx, services, payment.id, 'never_made', { error_message: NEVER_MADE }))
    await moveAutopay(trx, services, payment.organization_id, 'ended');
}
