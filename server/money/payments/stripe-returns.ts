/** Translates Stripe's refunds and disputes to payment events. */
import Stripe from 'stripe';
import type { MoneyEvent, DisputeInquiry } from './port.ts';
import { idOf, inUsd, paymentOf, toMicros } from './stripe-money.ts';

/** Final states of disputes in which the bank keeps no money. */
const DROPPED: ReadonlySet<string> = new Set(['won', 'warning_closed', 'prevented']);

/** Lists what the key may read; nothing without the right, which the start and the health check report. */
async function* readable<T>(list: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* list;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripePermissionError)) throw error;
  }
}

/**
 * Reads refunds and disputes, and fetches their charges. Returns undefined for those that are not about our payments.
 */
export class StripeReturns {
  readonly #stripe: Stripe;

  constructor(stripe: Stripe) {
    this.#stripe = stripe;
  }

  /**
   * All since a moment, as events with ids of their own. The state of a dispute follows from the money that has moved.
   */
  async *past(created: { gte: number }): AsyncGenerator<MoneyEvent> {
    const asked = { created, limit: 100, expand: ['data.payment_intent'] };
    for await (const refund of readable(this.#stripe.refunds.list(asked))) {
      const event = await this.ofRefund(`asked:${refund.id}:${refund.status ?? ''}`, refund);
      if (event !== undefined) yield event;
    }
    for await (const dispute of readable(this.#stripe.disputes.list(asked))) {
      const type = typeOf(dispute);
      if (type === undefined) continue;
      const id = `asked:${dispute.id}:${type}`;
      const event =
        type === 'disputed' || type === 'dispute_won'
          ? await this.ofDispute(id, type, dispute)
          : await this.#ofInquiry(id, type, dispute);
      if (event !== undefined) yield event;
    }
  }

  /** The refunds of a charge: older versions of the API report the charge instead of the refund. */
  async refundsOf(id: string, charge: string): Promise<MoneyEvent[]> {
    const events: MoneyEvent[] = [];
    for await (const refund of this.#stripe.refunds.list({ charge, limit: 100 })) {
      const event = await this.ofRefund(`${id}:${refund.id}:${refund.status ?? ''}`, refund);
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  async ofRefund(id: string, refund: Stripe.Refund): Promise<MoneyEvent | undefined> {
    // A refund that waits at the bank has left the seller's balance already.
    const type = {
      pending: 'refunded',
      requires_action: 'refunded',
      succeeded: 'refunded',
      failed: 'refund_failed',
      canceled: 'refund_failed',
    } as const;
    const known = Object.entries(type).find(([status]) => status === refund.status)?.[1];
    const of = known && (await this.#chargeBehind(refund.payment_intent));
    if (known === undefined || of === undefined) return undefined;
    return inUsd(id, refund, { type: known, refundId: refund.id, ...of }, refund.id);
  }

  async ofDispute(
    id: string,
    type: 'disputed' | 'dispute_won',
    dispute: Stripe.Dispute,
  ): Promise<MoneyEvent | undefined> {
    const of = await this.#chargeBehind(dispute.payment_intent);
    if (of === undefined) return undefined;
    const { taken, returned } = await this.#movesOf(type, dispute);
    // The moved amount counts, which may be less than the disputed one.
    const transaction = (type === 'disputed' ? taken : returned) ?? dispute;
    // The seller's balance may have a third currency. If the whole amount moved, take the dispute's, in the payment's
    // currency.
    const isWhole = type === 'disputed' || (taken !== undefined && taken.amount === -(returned?.amount ?? 0));
    const moved =
      transaction.currency !== 'usd' && transaction.currency !== dispute.currency && isWhole ? dispute : transaction;
    const more = {
      ...(type === 'dispute_won' &&
        taken?.currency === moved.currency && {
          takenMicros: toMicros(-taken.amount),
          takenFeeMicros: toMicros(taken.fee),
        }),
      ...('fee' in moved && { feeMicros: toMicros(moved.fee) }),
    };
    const money = { amount: moved === taken ? -moved.amount : moved.amount, currency: moved.currency };
    return inUsd(id, money, { ...more, type, disputeId: dispute.id, ...of }, dispute.id);
  }

  /**
   * The moved money of a dispute. Fetches it if the event lacks it (older versions of the API) and the key may read it.
   */
  async #movesOf(type: 'disputed' | 'dispute_won', dispute: Stripe.Dispute): Promise<Moves> {
    const moves = movesOf(dispute);
    if (moves.taken !== undefined && (type === 'disputed' || moves.returned !== undefined)) return moves;
    try {
      return movesOf(await this.#stripe.disputes.retrieve(dispute.id));
    } catch (error) {
      const isUnreadable =
        error instanceof Stripe.errors.StripePermissionError ||
        (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing');
      if (isUnreadable) return moves;
      throw error;
    }
  }

  /** A dispute was opened; no money has moved yet. */
  disputeOpened(id: string, dispute: Stripe.Dispute): Promise<MoneyEvent | undefined> {
    return this.#ofInquiry(id, 'dispute_opened', dispute);
  }

  /** A dispute was closed. Undefined if the bank keeps the money. */
  async disputeClosed(id: string, dispute: Stripe.Dispute): Promise<MoneyEvent | undefined> {
    return DROPPED.has(dispute.status) ? this.#ofInquiry(id, 'dispute_dropped', dispute) : undefined;
  }

  async #ofInquiry(
    id: string,
    type: 'dispute_opened' | 'dispute_dropped',
    dispute: Stripe.Dispute,
  ): Promise<MoneyEvent | undefined> {
    const of = await this.#chargeBehind(dispute.payment_intent);
    return of && { id, type, paymentId: of.paymentId, disputeId: dispute.id };
  }

  /** The payment of an intent, by its metadata, because earlier events may not have come yet. */
  async #chargeBehind(
    intent: string | Stripe.PaymentIntent | null | undefined,
  ): Promise<{ paymentId: string; providerId: string } | undefined> {
    const providerId = idOf(intent);
    if (providerId === undefined) return undefined;
    const known = typeof intent === 'object' ? intent : null;
    const { metadata } = known ?? (await this.#stripe.paymentIntents.retrieve(providerId));
    const paymentId = paymentOf(metadata);
    return paymentId === undefined ? undefined : { paymentId, providerId };
  }
}

type Moves = { [move in 'taken' | 'returned']: Stripe.BalanceTransaction | undefined };

/** The balance transactions of a dispute: at most one each. */
function movesOf({ balance_transactions: moves = [] }: Partial<Stripe.Dispute>): Moves {
  return { taken: moves.find(({ amount }) => amount < 0), returned: moves.find(({ amount }) => amount > 0) };
}

/** The type of a dispute's event, by the money that has moved; undefined for a lost dispute without any. */
function typeOf(dispute: Stripe.Dispute): 'disputed' | 'dispute_won' | DisputeInquiry['type'] | undefined {
  const { taken, returned } = movesOf(dispute);
  if (returned !== undefined) return 'dispute_won';
  if (taken !== undefined) return 'disputed';
  if (dispute.status === 'lost') return undefined;
  return DROPPED.has(dispute.status) ? 'dispute_dropped' : 'dispute_opened';
}
