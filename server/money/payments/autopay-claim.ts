/** What the job of a charge reads, and writes, before it asks the provider. */
import type { Transaction } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { databaseNow } from '../../platform/db/now.ts';
import type { Schema } from '../../platform/db/schema.ts';
import type { RunningJob } from '../../platform/jobs/worker.ts';
import { lockAccount, type Account, type Payment } from '../ledger/accounts.ts';
import { scheduleAutopay, neededMicros, nextRun } from '../ledger/schedule.ts';
import { movePayment, ORDERED, UNASKED } from '../ledger/life.ts';
import { isHeld } from '../ledger/autopay-life.ts';
import { moneyModeOf } from '../ledger/mode.ts';
import { mayLackPayments } from './past.ts';
import type { ChargeRequest } from './port.ts';
import { wasRefused } from './refusal.ts';
import { moveAutopay } from './stop.ts';

/**
 * A charge is repeated by its key for this long, milliseconds. A provider remembers keys for a day; later, the same key
 * would make another charge.
 */
const ASK_MS = 3_600_000;
/** Longest delay of a try, milliseconds. A longer one was written by a clock that was ahead. */
const PUT_OFF_MAX_MS = 72 * 3_600_000;
/** Delay of charges while payments may be missing after a restore, milliseconds. */
const RESTORED_WAIT_MS = 30_000;

type Parts = Pick<Services, 'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl'>;

/** A charge that is under way. */
export interface Charge {
  payment: Payment;
  request: ChargeRequest;
  /** When the provider was asked for it first. */
  sentAt: Date;
  /** When the provider was asked for it last, in an earlier run; undefined if it was not asked by this key. */
  askedAt: Date | undefined;
  /** Whether the provider may be asked for it again. */
  mayAsk: boolean;
}

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
  if (await mayLackPayments(db)) return after(RESTORED_WAIT_MS);
  const isPutOff = due.run_at > due.created_at || wasRefused(due);
  const waits = isPutOff && due.run_at > now && due.run_at <= after(PUT_OFF_MAX_MS);
  return waits ? nextRun(due.run_at, now) : undefined;
}

/**
 * Marks the charge as sent. If it has ended or is not wanted any more, ends the job. Reads the wait under the account's
 * lock: another run of the same job, after a suspended process lost its lease, may just have made the charge wait.
 * @returns the charge; or until when it waits; undefined if the job has ended
 */
export async function claim(services: Parts, job: RunningJob): Promise<Charge | Date | undefined> {
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

/**
 * Marks a due charge as sent, or drops it if it is not needed any more. A charge that was refused may have been made,
 * so it is looked for before it ends.
 */
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
    if (payment.refusal !== null) {
      // A server of the version before asks for every charge that was sent less than {@link ASK_MS} ago.
      const sent_at = new Date(now.getTime() - ASK_MS);
      const sought = await movePayment(trx, services, payment.id, 'asked', { sent_at, asked_at: now });
      return sought && again(account, sought, now);
    }
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
 * held, and has the same method. A charge with a refusal is only looked for: the provider was not asked by its key.
 */
export function again(account: Account, payment: Payment, now: Date): Charge {
  const sentAt = payment.sent_at ?? now;
  const isAsked = payment.refusal === null;
  const isWanted = isAsked && account.autopay_enabled && !isHeld(account) && account.method_id === payment.method_id;
  return {
    payment,
    request: requestOf(payment, payment.customer_id ?? account.customer_id ?? ''),
    sentAt,
    askedAt: isAsked ? (payment.asked_at ?? now) : undefined,
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
