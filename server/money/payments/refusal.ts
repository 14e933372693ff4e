/** Charges that the payment provider does not take, for a reason that is not the card's. */
import type { Transaction } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import type { Payment } from '../ledger/accounts.ts';
import { AUTOPAY, nextRun } from '../ledger/schedule.ts';
import { move, statesBefore } from '../ledger/life.ts';
import { endSilence } from './holds.ts';
import { moveAutopay } from './stop.ts';

type Parts = Pick<Services, 'clock' | 'log' | 'mail' | 'config' | 'publicUrl'>;

/** Wait before a charge that the provider takes no such of is asked for again, twice as long each time, milliseconds. */
const FIRST_REFUSAL_MS = 600_000;
const LONGEST_REFUSAL_MS = 3_600_000;

/** Whether the provider has refused it before: its key says how often. */
export const wasRefused = ({ key }: Pick<Payment, 'key'>): boolean => Number(key.split(':')[4] ?? 0) > 0;

/** Nothing was charged, and the same key may have the answer that it was refused: it is due later, by another key. The operator is told. */
export async function refuseCharge(
  trx: Transaction<Schema>,
  services: Parts,
  { id, key }: Pick<Payment, 'id' | 'key'>,
  reason: string,
): Promise<Payment | undefined> {
  const [kind, organization, crossing, attempt, again = '0', ...own] = key.split(':');
  const wait = Math.min(LONGEST_REFUSAL_MS, FIRST_REFUSAL_MS * 2 ** Number(again));
  const due = await move(trx, services, id, 'refused', {
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
  // It has an answer.
  await moveAutopay(trx, services, due.organization_id, 'answered');
  return due;
}

/**
 * The same where the provider tells it of a charge that it had confirmed, whose job is done. That of a key before has nothing to say of the
 * charge that follows it.
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
