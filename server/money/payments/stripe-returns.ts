/** What Stripe tells of money that goes back: refunds and disputes, in our words. */
import Stripe from 'stripe';
import type { MoneyEvent, Question } from './port.ts';
import { idOf, inUsd, paymentOf, toMicros } from './stripe-money.ts';

/** How a dispute ends of which the bank takes nothing, or no longer. */
const DROPPED: ReadonlySet<string> = new Set(['won', 'warning_closed', 'prevented']);

/** What the key may list; of what it may not, the start and the health check say so. */
async function* readable<T>(list: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* list;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripePermissionError)) throw error;
  }
}

/** Reads them; the charge that they only name is asked for. Undefined for what is no money of ours. */
export class StripeReturns {
  readonly #stripe: Stripe;

  constructor(stripe: Stripe) {
    this.#stripe = stripe;
  }

  /** As events would tell it, with names of their own. A dispute says by what has moved for it how it stands. */
  async *past(created: { gte: number }): AsyncGenerator<MoneyEvent> {
    const asked = { created, limit: 100, expand: ['data.payment_intent'] };
    for await (const refund of readable(this.#stripe.refunds.list(asked))) {
      const event = await this.ofRefund(`asked:${refund.id}:${refund.status ?? ''}`, refund);
      if (event !== undefined) yield event;
    }
    for await (const dispute of readable(this.#stripe.disputes.list(asked))) {
      const type = standOf(dispute);
      if (type === undefined) continue;
      const id = `asked:${dispute.id}:${type}`;
      const event =
        type === 'disputed' || type === 'dispute_won'
          ? await this.ofDispute(id, type, dispute)
          : await this.#ofQuestion(id, type, dispute);
      if (event !== undefined) yield event;
    }
  }

  /** Older versions of the API tell of a charge of which something was refunded, rather than of the refund. */
  async refundsOf(id: string, charge: string): Promise<MoneyEvent[]> {
    const events: MoneyEvent[] = [];
    for await (const refund of this.#stripe.refunds.list({ charge, limit: 100 })) {
      const event = await this.ofRefund(`${id}:${refund.id}:${refund.status ?? ''}`, refund);
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  async ofRefund(id: string, refund: Stripe.Refund): Promise<MoneyEvent | undefined> {
    // One that waits at the bank is out of the seller's balance already.
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
    // What has moved counts, which may be less than what the dispute is about.
    const told = (type === 'disputed' ? taken : returned) ?? dispute;
    // Where the seller's balance is in neither currency, the whole of it is what the dispute is about, in that of the payment.
    const isWhole = type === 'disputed' || (taken !== undefined && taken.amount === -(returned?.amount ?? 0));
    const moved = told.currency !== 'usd' && told.currency !== dispute.currency && isWhole ? dispute : told;
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

  /** Older versions of the API tell of a dispute without what has moved for it: it is asked for, unless the key may not. */
  async #movesOf(type: 'disputed' | 'dispute_won', dispute: Stripe.Dispute): Promise<Moves> {
    const told = movesOf(dispute);
    if (told.taken !== undefined && (type === 'disputed' || told.returned !== undefined)) return told;
    try {
      return movesOf(await this.#stripe.disputes.retrieve(dispute.id));
    } catch (error) {
      const isUntold =
        error instanceof Stripe.errors.StripePermissionError ||
        (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing');
      if (isUntold) return told;
      throw error;
    }
  }

  /** Its bank asks: no money has moved yet. */
  ofBegin(id: string, dispute: Stripe.Dispute): Promise<MoneyEvent | undefined> {
    return this.#ofQuestion(id, 'dispute_opened', dispute);
  }

  /** It is over, and moves no money any more; undefined where the bank keeps what it took. */
  async ofEnd(id: string, dispute: Stripe.Dispute): Promise<MoneyEvent | undefined> {
    return DROPPED.has(dispute.status) ? this.#ofQuestion(id, 'dispute_dropped', dispute) : undefined;
  }

  async #ofQuestion(
    id: string,
    type: 'dispute_opened' | 'dispute_dropped',
    dispute: Stripe.Dispute,
  ): Promise<MoneyEvent | undefined> {
    const of = await this.#chargeBehind(dispute.payment_intent);
    return of && { id, type, paymentId: of.paymentId, disputeId: dispute.id };
  }

  /** By what it carries, rather than by what was told of it before: events come in any order. */
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

/** What was taken out of the balance at Stripe for a dispute, and returned to it: each once at most. */
function movesOf({ balance_transactions: moves = [] }: Partial<Stripe.Dispute>): Moves {
  return { taken: moves.find(({ amount }) => amount < 0), returned: moves.find(({ amount }) => amount > 0) };
}

/** How a dispute stands, by what has moved; undefined for one that is over and has moved nothing. */
function standOf(dispute: Stripe.Dispute): 'disputed' | 'dispute_won' | Question['type'] | undefined {
  const { taken, returned } = movesOf(dispute);
  if (returned !== undefined) return 'dispute_won';
  if (taken !== undefined) return 'disputed';
  if (dispute.status === 'lost') return undefined;
  return DROPPED.has(dispute.status) ? 'dispute_dropped' : 'dispute_opened';
}
