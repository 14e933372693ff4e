import type { Transaction } from 'kysely';
import type { Schema } from '../../platform/db/schema.ts';
import { postEntry, type Payment } from '../ledger/accounts.ts';
import { paidCause, typeOf } from './entries.ts';
import { usdWithFee, type Why } from './refuse.ts';

type Trx = Transaction<Schema>;
type Given = { cause: string; amount_micros: number; charge_id: string | null };

/** Reverses refunds and disputes of a charge after the charge was refused. */
export async function reverseReturns(
  trx: Trx,
  payment: Payment,
  { charge, why }: { charge: string | undefined; why: Why },
  at: Date,
): Promise<void> {
  const given = await readGiven(trx, payment);
  if (given.some(({ cause }) => cause === paidCause(payment.id))) return;
  // Entries of earlier versions have no charge; count them to this one.
  const of = given.filter(({ charge_id }) => charge_id === null || charge_id === charge);
  await reverse(trx, payment, of, { cause: `unpaid:${payment.id}:${charge}`, charge, why, at });
}

/**
 * After a charge of a payment counts, reverses refunds and disputes of the payment's other charges. If the charge was
 * refused before (with another amount), enters its reversed refunds and disputes again.
 */
export async function putReturnsRight(trx: Trx, payment: Payment, counted: string, at: Date): Promise<void> {
  const given = await readGiven(trx, payment);
  const others = new Set(given.flatMap(({ charge_id }) => charge_id ?? []).filter((charge) => charge !== counted));
  for (const charge of others) {
    const of = given.filter(({ charge_id }) => charge_id === charge);
    await reverse(trx, payment, of, { cause: `unpaid:${payment.id}:${charge}`, charge, why: 'second', at });
  }
  for (const charge of [`:${counted}`, '']) {
    // An earlier version wrote causes without a charge.
    const undone = given.find(({ cause }) => cause === `unpaid:${payment.id}${charge}`);
    if (undone === undefined) continue;
    await postEntry(trx, {
      ...{ organizationId: payment.organization_id, paymentId: payment.id, chargeId: counted, kind: 'correction', at },
      ...{ micros: -undone.amount_micros, cause: `paid-after-all:${payment.id}${charge}` },
      description: 'Refunds and disputes entered again: their payment was accepted',
    });
    await trx.updateTable('refused_events').set({ settled_at: at }).where('event_id', '=', undone.cause).execute();
  }
}

const readGiven = (trx: Trx, { id }: Payment): Promise<Given[]> =>
  trx
    .selectFrom('ledger_entries')
    .select(['cause', 'amount_micros', 'charge_id'])
    .where('payment_id', '=', id)
    .orderBy('position')
    .execute();

/** Reverses refunds and disputes of money that was never in the balance, and lists them for the operator. */
async function reverse(
  trx: Trx,
  { id, organization_id }: Payment,
  given: readonly Given[],
  { cause, charge, why, at }: { cause: string; charge: string | undefined; why: Why; at: Date },
): Promise<void> {
  const micros = -given.reduce((sum, { amount_micros }) => sum + amount_micros, 0);
  if (micros <= 0) return;
  await postEntry(trx, {
    ...{ organizationId: organization_id, paymentId: id, kind: 'correction', micros, cause, at },
    ...(charge !== undefined && { chargeId: charge }),
    description: 'Refunds and disputes reversed: their payment was not accepted',
  });
  const told = given.flatMap((entry) => {
    const type = typeOf(entry.cause);
    if (type === undefined) return [];
    const amount_micros = Math.abs(entry.amount_micros);
    const fees = given.filter((fee) => type === 'disputed' && isFeeOf(fee.cause, entry.cause));
    const fee = -fees.reduce((sum, one) => sum + one.amount_micros, 0);
    return [{ cause: entry.cause, type, amount_micros, amount: usdWithFee(amount_micros, fee) }];
  });
  if (told.length === 0) return;
  await trx
    .insertInto('refused_events')
    .values(
      told.map((entry) => ({
        ...entry,
        ...{ event_id: cause, why, payment_id: id, charge_id: charge ?? null, organization_id, received_at: at },
      })),
    )
    .onConflict((conflict) => conflict.column('cause').doNothing())
    .execute();
}

/** Whether an entry is the fee of a dispute, by their causes. */
const isFeeOf = (cause: string, dispute: string): boolean =>
  cause.startsWith('dispute-fee-') && cause.split(':')[1] === dispute.split(':')[1];
