/** What holds autopay: money that was taken back, or that does not fit, and when that ends. */
import type { Transaction } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { lockAccount, type Payment } from '../ledger/accounts.ts';
import { lowMicros } from '../ledger/arm.ts';
import { dropDue, type HoldReason } from '../ledger/life.ts';
import { takenCause } from './entries.ts';
import type { Foreign, MoneyMoved, Question } from './port.ts';
import { moveAutopay } from './stop.ts';

type Trx = Transaction<Schema>;
type Parts = Pick<Services, 'clock' | 'log' | 'mail' | 'config' | 'publicUrl'>;

/**
 * Holds autopay for a dispute, from its bank's question on, also one that the books do not take; for a refund that leaves the balance low, as the next charge would
 * charge it back; and ends that as the dispute is won or the refund fails, whichever of both is told first.
 */
export async function holdFor(
  trx: Trx,
  services: Parts,
  event: MoneyMoved | Foreign | Question,
  payment: Payment,
  isEntered: boolean,
): Promise<void> {
  const cause = takenCause(event);
  if (cause === undefined) return;
  const type = event.type === 'foreign' ? event.of : event.type;
  if (type === 'disputed' || type === 'dispute_opened')
    await hold(trx, services, payment.organization_id, cause, 'disputed');
  if (type === 'refunded' && isEntered && (await isLow(trx, payment.organization_id)))
    await hold(trx, services, payment.organization_id, cause, 'refunded');
  if (type === 'dispute_won' || type === 'dispute_dropped') await release(trx, services, payment, cause, 'won');
  if (type === 'refund_failed') await release(trx, services, payment, cause, type);
}

async function isLow(trx: Trx, organizationId: string): Promise<boolean> {
  const account = await lockAccount(trx, organizationId);
  return account !== undefined && (await lowMicros(trx, account)) !== undefined;
}

/** Holds autopay once for each cause; what waits to be charged is not charged. */
export async function hold(
  trx: Trx,
  services: Parts,
  organizationId: string,
  cause: string,
  why: HoldReason,
): Promise<void> {
  const account = await lockAccount(trx, organizationId);
  if (account === undefined) return;
  const added = await trx
    .insertInto('account_holds')
    .values({ cause, organization_id: organizationId, why, card: cardOf(account), since: services.clock() })
    .onConflict((conflict) => conflict.column('cause').doNothing())
    .returning('cause')
    .executeTakeFirst();
  if (added === undefined) return;
  await dropDue(trx, organizationId);
  await moveAutopay(trx, services, organizationId, why);
}

/** The provider says that it is over. Should it tell of its beginning only later, that holds nothing. */
async function release(
  trx: Trx,
  services: Parts,
  { organization_id }: Payment,
  cause: string,
  event: 'won' | 'refund_failed',
): Promise<void> {
  const ended = { ended_at: services.clock(), ended_by: 'provider' } as const;
  const open = await trx
    .updateTable('account_holds')
    .set(ended)
    .where('cause', '=', cause)
    .where('ended_at', 'is', null)
    .returning('cause')
    .executeTakeFirst();
  if (open !== undefined) return moveAutopay(trx, services, organization_id, event);
  const why = event === 'won' ? 'disputed' : 'refunded';
  await trx
    .insertInto('account_holds')
    .values({ cause, organization_id, why, since: ended.ended_at, ...ended })
    .onConflict((conflict) => conflict.column('cause').doNothing())
    .execute();
}

/** Another payment method is stored: disputes about the one before hold autopay no longer. The same card again changes nothing. */
export async function releaseByMethod(trx: Trx, services: Parts, organizationId: string, card: string): Promise<void> {
  await trx
    .updateTable('account_holds')
    .set({ ended_at: services.clock(), ended_by: 'method' })
    .where('organization_id', '=', organizationId)
    .where('why', '=', 'disputed')
    .where('card', '<>', card)
    .where('ended_at', 'is', null)
    .execute();
  await moveAutopay(trx, services, organizationId, 'method');
}

/** Somebody who may has said that autopay goes on. */
export async function releaseAll(trx: Trx, services: Parts, organizationId: string): Promise<void> {
  await trx
    .updateTable('account_holds')
    .set({ ended_at: services.clock(), ended_by: 'reset' })
    .where('organization_id', '=', organizationId)
    .where('ended_at', 'is', null)
    .execute();
  await moveAutopay(trx, services, organizationId, 'reset');
}

/** What people know a payment method by; null where there is none. */
export const cardOf = ({ method_brand, method_last4 }: { method_brand: string | null; method_last4: string | null }) =>
  method_last4 === null ? null : `${method_brand ?? 'Card'} ${method_last4}`.trim();
