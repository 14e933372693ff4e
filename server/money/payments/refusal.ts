/** Charges that the payment provider refuses for a reason other than the card. */
import type { Transaction } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import type { Payment } from '../ledger/accounts.ts';
import { AUTOPAY, nextRun } from '../ledger/schedule.ts';
import { movePayment, statesBefore } from '../ledger/life.ts';
import { endSilence } from './holds.ts';
import { moveAutopay } from './stop.ts';

type Parts = Pick<Services, 'clock' | 'log' | 'mail' | 'config' | 'publicUrl'>;

/** First wait before a refused charge is retried, milliseconds. Doubles each time, up to the longest. */
const FIRST_REFUSAL_MS = 600_000;
const LONGEST_REFUSAL_MS = 3_600_000;

/** Whether the provider has refused a charge before. The fifth part of its key counts refusals. */
export const wasRefused = ({ key }: Pick<Payment, 'key'>): boolean => Number(key.split(':')[4] ?? 0) > 0;

/**
 * Makes a refused charge due later, with another key, because the provider may remember the refusal for the old one.
 * Logs an error for the operator. @returns the changed payment; undefined if it cannot be refused any more
 */
export async function refuseCharge(
  trx: Transaction<Schema>,
  services: Parts,
  { id, key }: Pick<Payment, 'id' | 'key'>,
  reason: string,
): Promise<Payment | undefined> {
  const [kind, organization, crossing, attempt, again = '0', ...own] = key.split(':');
  const wait = Math.min(LONGEST_REFUSAL_MS, FIRST_REFUSAL_MS * 2 ** Number(again));
  const due = await movePayment(trx, services, id, 'refused', {
    key: [kind, organization, crossing, attempt, Number(again) + 1, ...own].join(':'),
    run_at: new Date(services.clock().getTime() + wait),
    sent_at: null,
    asked_at: null,
    provider_id: null,
    unheard_since: null,
    refusal: reason,
  });
  if (due === undefined) return undefined;
  services.log.error(
    { payment: id, reason },
    'the payment provider takes no such charge: npm run admin -- books check',
  );
  // The refusal is an answer, so autopay waits for none any more.
  await moveAutopay(trx, services, due.organization_id, 'answered');
  return due;
}

/**
 * Handles the refusal of a charge that the provider had confirmed: its job is done, so this queues another one. Ignores
 * the refusal of an earlier charge of the payment.
 */
export async function refuseConfirmed(
  trx: Transaction<Schema>,
  services: Parts,
  payment: Payment,
  { providerId, reason }: { providerId: string; reason: string },
): Promise<void> {
  if (payment.provider_id !== providerId) return;
  if (!statesBefore('autopay', 'refused').includes(payment.state)) return endSilence(trx, services, payment);
  const due = await refuseCharge(trx, services, payment, reason);
  const now = services.clock();
  if (due !== undefined) await enqueue(trx, { kind: AUTOPAY, subject: due.id, now: nextRun(due.run_at, now) });
}
