import type { Transaction } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { databaseNow } from '../../platform/db/now.ts';
import type { Schema } from '../../platform/db/schema.ts';
import type { JobHandler, RunningJob } from '../../platform/jobs/worker.ts';
import { lockAccount, type Account, type Payment } from '../ledger/accounts.ts';
import { scheduleAutopay, neededMicros, nextRun } from '../ledger/schedule.ts';
import { isHeld, move, ORDERED, UNASKED } from '../ledger/life.ts';
import { moneyModeOf } from '../ledger/mode.ts';
import { applyDecline } from './decline.ts';
import { mayLackPayments } from './past.ts';
import { PaymentUnavailable, type ChargeRequest, type ChargeResult, type PaymentDriver } from './port.ts';
import { refuseCharge, wasRefused } from './refusal.ts';
import { moveAutopay, tellUnknown } from './stop.ts';

const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 1_800_000;
/** How long a charge has no answer before owners, and who looks after billing, are told, milliseconds. */
const TOLD_AFTER_MS = 1_800_000;
/** How long a charge is asked for again by its key, milliseconds. A provider remembers keys for a day; after that, the same key would be another charge. */
const ASK_MS = 3_600_000;
/** The longest that a try is put off, milliseconds: what is to wait for longer was written by a clock that was ahead. */
const PUT_OFF_MAX_MS = 72 * 3_600_000;
/** How long after it was last asked for a charge that the provider does not know of is certain never to be made, milliseconds. */
const QUIET_MS = 3_600_000;

/** Wait before the next try, given the number of those made, milliseconds. */
export const chargeBackoff = (attempts: number): number => Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempts);

type Parts = Pick<Services, 'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl' | 'meters'>;

/** A charge that is under way. */
interface Charge {
  payment: Payment;
  request: ChargeRequest;
  /** When it was asked for first. */
  sentAt: Date;
  /** When it was asked for last, in an earlier run; undefined for one that is asked for now for the first time. */
  askedAt: Date | undefined;
  /** Whether it may be asked for again. */
  mayAsk: boolean;
}

/**
 * Charges a stored payment method. The row says that it was sent before it is: whoever runs the job after a crash first asks the provider
 * what became of it, and repeats it by the same key for a while. Another charge follows only once this one has an end: an event, a
 * decline, or the provider's word that there is none. Until then the job goes on, however often it fails.
 */
export function autopayHandler(services: Parts, driver: PaymentDriver): JobHandler {
  const { db, clock } = services;
  return {
    async run(job) {
      const early = await waitsUntil(db, job.subject, clock());
      if (early !== undefined) return job.postpone(early);
      const charge = await claim(services, job);
      if (charge === undefined) return;
      const result = await outcomeOf(services, driver, charge);
      await db.transaction().execute(async (trx) => {
        const { payment } = charge;
        await lockAccount(trx, payment.organization_id);
        if (result?.outcome === 'sent') {
          await trx
            .updateTable('payments')
            .set({ provider_id: result.providerId })
            .where('id', '=', payment.id)
            // An event may have said before which charge counts.
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

/** Undefined where the provider has no such charge, and never will. @throws PaymentUnavailable */
async function outcomeOf(services: Parts, driver: PaymentDriver, charge: Charge): Promise<ChargeResult | undefined> {
  const { db, clock, config } = services;
  const { payment, request, sentAt, askedAt, mayAsk } = charge;
  // A clock that was ahead may have written when it was made.
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
    // Due for long it may be of a database that was restored, and have been made since.
    const isOld = sentAt.getTime() - payment.created_at.getTime() >= QUIET_MS;
    // Refused before by an answer to a repetition, it may have been made as well.
    if (!isOld && !wasRefused(payment)) return ask();
    const known = await driver.look(request, since).catch((error: unknown): ChargeResult => {
      // By this key nothing was asked.
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
 * Notes that the charge is asked for now. The last thing before that: a process that was held up may have been overtaken by others.
 * @returns undefined where it is not wanted any more
 * @throws PaymentUnavailable where it was asked for, or has ended, since it was looked at
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

/** The row of a charge that is still ordered, and was asked for by nobody since; locked. */
const unchanged = (trx: Db, { id, asked_at }: Payment): Promise<Payment | undefined> =>
  trx
    .selectFrom('payments')
    .selectAll()
    .where('id', '=', id)
    .where('state', 'in', ORDERED)
    .where('asked_at', 'is not distinct from', asked_at)
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Until when a try after a decline, or each after a restore, is to wait; undefined for one that is due, or not wanted any more. */
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

/** Marks the charge as sent; or ends the job of one that has its end, or is not wanted any more. */
async function claim(services: Parts, job: RunningJob): Promise<Charge | undefined> {
  return services.db.transaction().execute(async (trx) => {
    const owner = await trx
      .selectFrom('payments')
      .select('organization_id')
      .where('id', '=', job.subject)
      .executeTakeFirst();
    const account = owner && (await lockAccount(trx, owner.organization_id));
    const charge = account && (await begin(trx, services, account, job.subject));
    if (charge === undefined) await job.complete(trx);
    return charge;
  });
}

/** When it was asked for is told by the database's clock: that of a process may be an hour off, or jump while the charge is on its way. */
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
  return ORDERED.includes(payment.state) ? again(account, await askedByNow(trx, payment, now), now) : undefined;
}

/** What a clock that was ahead wrote to have been asked for later counts as asked for now. */
async function askedByNow(trx: Db, payment: Payment, now: Date): Promise<Payment> {
  const { sent_at, asked_at } = payment;
  if ((sent_at ?? now) <= now && (asked_at ?? now) <= now) return payment;
  const at = { sent_at: now, asked_at: now };
  await trx.updateTable('payments').set(at).where('id', '=', payment.id).execute();
  return { ...payment, ...at };
}

/** The balance may have changed since the charge became due, or money been taken back. */
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
    await move(trx, services, payment.id, 'dropped');
    await moveAutopay(trx, services, organization_id, 'ended');
    await scheduleAutopay(trx, organization_id, now);
    return undefined;
  }
  const mode = moneyModeOf(services.config);
  const asked = { customer_id, method_id, amount_micros, mode, sent_at: now, asked_at: now, refusal: null };
  const sent = await move(trx, services, payment.id, 'asked', asked);
  return (
    sent && { payment: sent, request: requestOf(sent, customer_id), sentAt: now, askedAt: undefined, mayAsk: true }
  );
}

/** What was sent is asked about until its outcome is known, by the customer that it was sent for; asked for only as long as its owner still wants it, and nothing waits for a reset. */
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

/** The provider has answered that it takes no such charge. @throws PaymentUnavailable where it was asked for, or has ended, since */
async function refused(trx: Transaction<Schema>, services: Parts, payment: Payment, reason: string): Promise<void> {
  if ((await unchanged(trx, payment))?.provider_id !== null) throw changedMeanwhile();
  await refuseCharge(trx, services, payment, reason);
}

const NEVER_MADE = 'The charge did not reach the payment provider. Nothing was charged.';

/** A process that is held up may outlive its lease: what it knows of a charge is then of before another has asked for it, or ended it. */
const changedMeanwhile = (): PaymentUnavailable =>
  new PaymentUnavailable(new Error('The charge was asked for again, or has ended, since this process looked.'));

/** Look afterwards whether the balance is still low. @throws PaymentUnavailable where it was asked for, or has ended, since */
async function neverMade(trx: Transaction<Schema>, services: Parts, payment: Payment): Promise<void> {
  if ((await unchanged(trx, payment)) === undefined) throw changedMeanwhile();
  if (await move(trx, services, payment.id, 'never_made', { error_message: NEVER_MADE }))
    await moveAutopay(trx, services, payment.organization_id, 'ended');
}
