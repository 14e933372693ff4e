import type { Transaction } from 'kysely';
import type { Schema } from '../../platform/db/schema.ts';
import { postEntry, type LedgerEntry, type Payment } from '../ledger/accounts.ts';
import { paidCause } from './entries.ts';
import type { MoneyMoved } from './port.ts';
import { usdWithFee, type Why } from './refuse.ts';

type Trx = Transaction<Schema>;
const COLUMNS = ['kind', 'cause', 'reversal', 'about', 'amount_micros', 'charge_id'] as const;
type PaymentEntry = Pick<LedgerEntry, (typeof COLUMNS)[number]>;

/** Reverses refunds and disputes of a charge after the charge was refused. */
export async function reverseReturns(
  trx: Trx,
  payment: Payment,
  { charge, why }: { charge: string | undefined; why: Why },
  at: Date,
): Promise<void> {
  const entries = await readEntries(trx, payment);
  if (entries.some(({ cause }) => cause === paidCause(payment.id))) return;
  // Entries of earlier versions have no charge; count them to this one.
  const of = entries.filter(({ charge_id }) => charge_id === null || charge_id === charge);
  await reverse(trx, payment, of, { cause: `unpaid:${payment.id}:${charge}`, charge, why, at });
}

/**
 * After a charge of a payment counts, reverses refunds and disputes of the payment's other charges. If the charge was
 * refused before (with another amount), enters its reversed refunds and disputes again.
 */
export async function putReturnsRight(trx: Trx, payment: Payment, counted: string, at: Date): Promise<void> {
  const entries = await readEntries(trx, payment);
  const others = new Set(entries.flatMap(({ charge_id }) => charge_id ?? []).filter((charge) => charge !== counted));
  for (const charge of others) {
    const of = entries.filter(({ charge_id }) => charge_id === charge);
    await reverse(trx, payment, of, { cause: `unpaid:${payment.id}:${charge}`, charge, why: 'second', at });
  }
  for (const charge of [`:${counted}`, '']) {
    // An earlier version wrote causes without a charge.
    const undone = entries.find(({ cause }) => cause === `unpaid:${payment.id}${charge}`);
    if (undone === undefined) continue;
    await postEntry(trx, {
      ...{ organizationId: payment.organization_id, paymentId: payment.id, chargeId: counted, kind: 'correction', at },
      ...{ micros: -undone.amount_micros, cause: `paid-after-all:${payment.id}${charge}` },
      ...{ reversal: 'paid_after_all', about: undone.cause },
      description: 'Refunds and disputes entered again: their payment was accepted',
    });
    await trx.updateTable('refused_events').set({ settled_at: at }).where('event_id', '=', undone.cause).execute();
  }
}

const readEntries = (trx: Trx, { id }: Payment): Promise<PaymentEntry[]> =>
  trx.selectFrom('ledger_entries').select(COLUMNS).where('payment_id', '=', id).orderBy('position').execute();

/** Reverses refunds and disputes of money that was never in the balance, and lists them for the operator. */
async function reverse(
  trx: Trx,
  { id, organization_id }: Payment,
  entries: readonly PaymentEntry[],
  { cause, charge, why, at }: { cause: string; charge: string | undefined; why: Why; at: Date },
): Promise<void> {
  const micros = -entries.reduce((sum, { amount_micros }) => sum + amount_micros, 0);
  if (micros <= 0) return;
  await postEntry(trx, {
    ...{ organizationId: organization_id, paymentId: id, kind: 'correction', micros, cause, at },
    ...(charge !== undefined && { chargeId: charge }),
    reversal: 'unpaid',
    description: 'Refunds and disputes reversed: their payment was not accepted',
  });
  const returns = entries.flatMap((entry) => {
    const type = typeOf(entry);
    if (type === undefined) return [];
    const amount_micros = Math.abs(entry.amount_micros);
    const fees = entries.filter(({ kind, about }) => type === 'disputed' && kind === 'fee' && about === entry.cause);
    const fee = -fees.reduce((sum, one) => sum + one.amount_micros, 0);
    return [{ cause: entry.cause, type, amount_micros, amount: usdWithFee(amount_micros, fee) }];
  });
  if (returns.length === 0) return;
  await trx
    .insertInto('refused_events')
    .values(
      returns.map((entry) => ({
        ...entry,
        ...{ event_id: cause, why, payment_id: id, charge_id: charge ?? null, organization_id, received_at: at },
      })),
    )
    .onConflict((conflict) => conflict.column('cause').doNothing())
    .execute();
}

/** The type of the event that made an entry; undefined for fees and entries without an event. */
function typeOf({ kind, reversal }: PaymentEntry): Exclude<MoneyMoved['type'], 'paid'> | undefined {
  if (reversal === 'refund_failed' || reversal === 'dispute_won') return reversal;
  return kind === 'refund' ? 'refunded' : kind === 'dispute' ? 'disputed' : undefined;
}
