import { sql, type Transaction } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { enter, type Entry, type Payment } from '../ledger/accounts.ts';
import { keepReceipt } from '../ledger/receipts.ts';
import type { Foreign, MoneyEvent, MoneyMoved } from './port.ts';

type Trx = Transaction<Schema>;

const CAUSES = {
  paid: 'payment',
  refunded: 'refund',
  refund_failed: 'refund-failed',
  disputed: 'dispute',
  dispute_won: 'dispute-won',
} as const satisfies Record<MoneyMoved['type'], string>;
/** The cause of the entry of a payment. */
export const paidCause = (paymentId: string): string => `${CAUSES.paid}:${paymentId}`;
const refundCause = (id: string): string => `${CAUSES.refunded}:${id}`;
const disputeCause = (id: string): string => `${CAUSES.disputed}:${id}`;

/** What an event tells of has one name, however many events tell of it. */
export function causeOf(event: MoneyMoved | Foreign): string {
  switch (event.type) {
    case 'paid':
      return paidCause(event.paymentId);
    case 'refunded':
    case 'refund_failed':
      return `${CAUSES[event.type]}:${event.refundId}`;
    case 'disputed':
    case 'dispute_won':
      return `${CAUSES[event.type]}:${event.disputeId}`;
    case 'foreign':
      return `${CAUSES[event.of]}:${event.of === 'paid' ? event.paymentId : event.reference}`;
  }
}

/** What an event changes in the ledger; a refund that failed and a dispute that was won take back what went before them. */
export function entriesOf(event: MoneyEvent, payment: Payment, at: Date): Entry[] {
  const of = (kind: Entry['kind'], micros: number, cause: string, description: string): Entry => ({
    organizationId: payment.organization_id,
    paymentId: payment.id,
    kind,
    micros,
    cause,
    description,
    at,
  });
  switch (event.type) {
    case 'paid':
      return [
        of(
          'payment',
          event.amountMicros,
          causeOf(event),
          payment.kind === 'autopay' ? 'Payment by autopay' : 'Payment',
        ),
      ];
    case 'refunded':
      return [of('refund', -event.amountMicros, refundCause(event.refundId), 'Refund')];
    case 'refund_failed':
      // Whichever of the two is told first: together they come to nothing.
      return [
        of('refund', -event.amountMicros, refundCause(event.refundId), 'Refund'),
        of('correction', event.amountMicros, causeOf(event), 'Refund that failed'),
      ];
    case 'disputed':
      return [of('dispute', -event.amountMicros, disputeCause(event.disputeId), 'Disputed payment')];
    case 'dispute_won':
      return [
        of('dispute', -event.amountMicros, disputeCause(event.disputeId), 'Disputed payment'),
        of('dispute', event.amountMicros, causeOf(event), 'Disputed payment, returned'),
      ];
    case 'accepted':
    case 'canceled':
    case 'failed':
    case 'stored':
    case 'foreign':
      return [];
  }
}

/** Whether a bank has taken money back since then, and not returned it. */
export async function hasOpenDispute(trx: Trx, organizationId: string, since: Date): Promise<boolean> {
  const open = await trx
    .selectFrom('ledger_entries as taken')
    .select('taken.id')
    .where('taken.organization_id', '=', organizationId)
    .where('taken.cause', 'like', `${CAUSES.disputed}:%`)
    .where('taken.at', '>=', since)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('ledger_entries as returned')
            .select('returned.id')
            .whereRef('returned.organization_id', '=', 'taken.organization_id')
            .where(
              'returned.cause',
              '=',
              sql<string>`replace(taken.cause, ${`${CAUSES.disputed}:`}, ${`${CAUSES.dispute_won}:`})`,
            ),
        ),
      ),
    )
    .executeTakeFirst();
  return open !== undefined;
}

/** Whether any is new. */
export async function enterAll(
  trx: Trx,
  { config }: Pick<Services, 'config'>,
  entries: readonly Entry[],
): Promise<boolean> {
  let isNew = false;
  for (const entry of entries) {
    if (!(await enter(trx, entry))) continue;
    await keepReceipt(trx, entry.cause, config);
    isNew = true;
  }
  return isNew;
}

/** Reverses the refunds and disputes of a payment that is refused: they returned money that the balance never had. */
export async function reverseReturns(trx: Trx, payment: Payment, at: Date): Promise<void> {
  const entered = await trx
    .selectFrom('ledger_entries')
    .select(['cause', 'amount_micros'])
    .where('payment_id', '=', payment.id)
    .execute();
  if (entered.some(({ cause }) => cause === paidCause(payment.id))) return;
  const micros = -entered.reduce((sum, { amount_micros }) => sum + amount_micros, 0);
  if (micros > 0)
    await enter(trx, {
      ...correctionOf(payment, at),
      micros,
      cause: `unpaid:${payment.id}`,
      description: 'Refunds and disputes reversed: their payment was not accepted',
    });
}

/** Takes back what {@link reverseReturns} has reversed: the payment is in the balance after all. */
export async function restoreReturns(trx: Trx, payment: Payment, at: Date): Promise<void> {
  const reversed = await trx
    .selectFrom('ledger_entries')
    .select('amount_micros')
    .where('cause', '=', `unpaid:${payment.id}`)
    .executeTakeFirst();
  if (reversed !== undefined)
    await enter(trx, {
      ...correctionOf(payment, at),
      micros: -reversed.amount_micros,
      cause: `paid-after-all:${payment.id}`,
      description: 'Refunds and disputes entered again: their payment was accepted',
    });
}

const correctionOf = ({ organization_id, id }: Payment, at: Date) =>
  ({ organizationId: organization_id, paymentId: id, kind: 'correction', at }) as const;
