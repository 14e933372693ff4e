import type { Transaction } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { lockAccount, type Payment } from '../ledger/accounts.ts';
import { addTry } from '../ledger/schedule.ts';
import { movePayment, ORDERED } from '../ledger/life.ts';
import { isHeld } from '../ledger/autopay-life.ts';
import { mailFailure } from './failed-letter.ts';
import { cardOf, endSilence } from './holds.ts';
import { moveAutopay } from './stop.ts';

type Trx = Transaction<Schema>;
type Parts = Pick<Services, 'clock' | 'log' | 'mail' | 'config' | 'publicUrl'>;

const HOUR_MS = 3_600_000;
/** Waits before the second, third and fourth try of a declined charge, milliseconds. */
const WAITS_MS = [HOUR_MS, 24 * HOUR_MS, 72 * HOUR_MS];

/**
 * Fails a payment, once. Mails the payer if the provider had taken it. For a charge of autopay, schedules another try with a new idempotency key, and mails owners and billing
 * members; but not if autopay is off, held, or has another method by now. Call `scheduleAutopay` afterwards.
 */
export async function applyDecline(
  trx: Trx,
  services: Parts,
  payment: Payment,
  message: string,
  now: Date,
): Promise<void> {
  const failed = await movePayment(trx, services, payment.id, 'declined', { error_message: message });
  if (failed === undefined) return endSilence(trx, services, payment);
  if (failed.kind === 'payment' && ORDERED.includes(payment.state)) return mailFailure(trx, services, failed, message);
  if (failed.amount_micros === null || payment.kind !== 'autopay') return;
  const account = await lockAccount(trx, failed.organization_id);
  if (account?.autopay_enabled !== true || isHeld(account) || account.method_id !== failed.method_id)
    return moveAutopay(trx, services, failed.organization_id, 'answered');
  const wait = WAITS_MS[payment.attempt - 1];
  const nextAt = wait === undefined ? undefined : new Date(now.getTime() + wait);
  if (nextAt !== undefined)
    await addTry(
      trx,
      failed.organization_id,
      {
        crossing: failed.crossing ?? 0,
        attempt: payment.attempt + 1,
        amountMicros: failed.amount_micros,
        wantedMicros: failed.wanted_micros,
        runAt: nextAt,
      },
      now,
    );
  await moveAutopay(trx, services, failed.organization_id, 'declined', {
    ...{ message, nextAt, amountMicros: failed.amount_micros },
    card: cardOf(account) ?? 'the payment method',
  });
}
