/** What Stripe tells by its events, in our words. */
import Stripe from 'stripe';
import * as v from 'valibot';
import { MICROS_PER_CENT } from '#contract/billing.ts';
import { Uuid } from '#contract/fields.ts';
import { ApiProblem } from '../../http/errors.ts';
import type { StripeConfig } from '../../platform/config.ts';
import { moneyModeOf } from '../ledger/mode.ts';
import {
  PaymentUnavailable,
  type ChargeResult,
  type MoneyEvent,
  type MoneyMoved,
  type Question,
  type StoredMethod,
  type Unended,
} from './port.ts';

const MS_PER_S = 1000;
/** How old or how far ahead a signature may be, seconds. */
const TOLERANCE_S = 300;

/** How a dispute ends of which the bank takes nothing, or no longer. */
const DROPPED: ReadonlySet<string> = new Set(['won', 'warning_closed', 'prevented']);

export const toCents = (micros: number): number => Math.round(micros / MICROS_PER_CENT);
const toMicros = (cents: number): number => cents * MICROS_PER_CENT;
const idOf = (thing: string | { id: string } | null | undefined): string | undefined =>
  typeof thing === 'string' ? thing : thing?.id;
/** Of our own: others of the same account are none of ours. */
export const paymentOf = (metadata: Stripe.Metadata | null | undefined): string | undefined => {
  const id = metadata?.['payment_id'];
  return v.is(Uuid, id) ? id : undefined;
};

/** Checks and reads events, and what Stripe answers in their place; what an event only names is asked for. */
export class StripeEvents {
  readonly #stripe: Stripe;
  readonly #secrets: readonly string[];
  readonly #isLive: boolean;
  readonly #now: () => Date;

  constructor(stripe: Stripe, { secretKey, webhookSecrets }: StripeConfig, now: () => Date) {
    this.#stripe = stripe;
    this.#secrets = webhookSecrets;
    this.#isLive = moneyModeOf({ stripe: { secretKey, webhookSecrets } }) === 'live';
    this.#now = now;
  }

  /** @throws ApiProblem 400 signature_invalid or livemode_mismatch; PaymentUnavailable where Stripe has to be asked, and does not answer */
  async read(body: string, signature: string): Promise<readonly MoneyEvent[]> {
    const event = this.#verify(body, signature);
    if (event.livemode !== this.#isLive)
      throw new ApiProblem(
        400,
        'livemode_mismatch',
        "The event's mode (test or live) is not that of the server's key.",
      );
    return reached(async () => {
      if (event.type === 'charge.refunded') return this.#refundsOf(event.id, event.data.object.id);
      const told = await this.#toMoney(event);
      return told === undefined ? [] : [told];
    });
  }

  /** Older versions of the API tell of a charge of which something was refunded, rather than of the refund. */
  async #refundsOf(id: string, charge: string): Promise<MoneyEvent[]> {
    const events: MoneyEvent[] = [];
    for await (const refund of this.#stripe.refunds.list({ charge, limit: 100 })) {
      const event = await this.#ofRefund(`${id}:${refund.id}:${refund.status ?? ''}`, refund);
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  /** The event that Stripe would have sent of how a payment stands now. @throws PaymentUnavailable */
  async ask({ paymentId, pageId, providerId }: Unended): Promise<MoneyEvent | undefined> {
    const event = await reached(() => (pageId === null ? this.#askCharge(providerId ?? '') : this.#askPage(pageId)));
    if (event !== undefined && event.paymentId !== paymentId)
      throw new PaymentUnavailable(new Error(`Stripe has another payment there: ${event.paymentId}.`));
    // An answer is no event: it has a name of its own, so that what it says counts once, and something else later does, too.
    return event && { ...event, id: `asked:${paymentId}:${event.type}` };
  }

  /** As events would tell it, with names of their own. A dispute says by what has moved for it how it stands. @throws PaymentUnavailable */
  async *past(since: Date): AsyncGenerator<MoneyEvent> {
    const asked = {
      created: { gte: Math.floor(since.getTime() / MS_PER_S) },
      limit: 100,
      expand: ['data.payment_intent'],
    };
    try {
      for await (const refund of this.#stripe.refunds.list(asked)) {
        const event = await this.#ofRefund(`asked:${refund.id}:${refund.status ?? ''}`, refund);
        if (event !== undefined) yield event;
      }
      for await (const dispute of this.#stripe.disputes.list(asked)) {
        const type = standOf(dispute);
        if (type === undefined) continue;
        const id = `asked:${dispute.id}:${type}`;
        const event =
          type === 'disputed' || type === 'dispute_won'
            ? await this.#ofDispute(id, type, dispute)
            : await this.#ofQuestion(id, type, dispute);
        if (event !== undefined) yield event;
      }
    } catch (error) {
      throw error instanceof PaymentUnavailable ? error : new PaymentUnavailable(error);
    }
  }

  async #askPage(id: string): Promise<MoneyEvent | undefined> {
    const session = await this.#stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] });
    if (session.status === 'open') return undefined;
    if (session.status === 'expired') return this.#ofSession(id, 'checkout.session.expired', session);
    const { payment_intent: intent } = session;
    const hasFailed =
      session.payment_status === 'unpaid' &&
      intent !== null &&
      typeof intent === 'object' &&
      (intent.status === 'requires_payment_method' || intent.status === 'canceled');
    return this.#ofSession(id, `checkout.session.${hasFailed ? 'async_payment_failed' : 'completed'}`, session);
  }

  async #askCharge(id: string): Promise<MoneyEvent | undefined> {
    const intent = await this.#stripe.paymentIntents.retrieve(id);
    if (intent.status === 'succeeded') return ofIntent(id, intent);
    if (intent.status === 'processing') return undefined;
    const [paymentId, outcome] = [paymentOf(intent.metadata), outcomeOf(intent)];
    if (paymentId === undefined || outcome.outcome !== 'declined') return undefined;
    return { id, type: 'failed', paymentId, message: outcome.message };
  }

  #verify(body: string, signature: string): Stripe.Event {
    for (const secret of this.#secrets) {
      try {
        const event = this.#stripe.webhooks.constructEvent(
          body,
          signature,
          secret,
          TOLERANCE_S,
          undefined,
          this.#now().getTime(),
        );
        // The library refuses old signatures only.
        if (signedAt(signature) <= this.#now().getTime() / 1000 + TOLERANCE_S) return event;
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
      }
    }
    throw new ApiProblem(400, 'signature_invalid', 'The event is not signed by the payment provider, or too old.');
  }

  async #toMoney(event: Stripe.Event): Promise<MoneyEvent | undefined> {
    // Stripe has hundreds of events; all others say nothing about money of ours.
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check
    switch (event.type) {
      case 'checkout.session.completed':
      case 'checkout.session.async_payment_succeeded':
      case 'checkout.session.async_payment_failed':
      case 'checkout.session.expired':
        return this.#ofSession(event.id, event.type, event.data.object);
      case 'payment_intent.succeeded':
        return ofIntent(event.id, event.data.object);
      case 'payment_intent.payment_failed': {
        const { metadata, last_payment_error } = event.data.object;
        const paymentId = paymentOf(metadata);
        // On a hosted page somebody tries another method.
        if (paymentId === undefined || metadata['kind'] !== 'autopay') return undefined;
        return { id: event.id, type: 'failed', paymentId, message: last_payment_error?.message ?? DECLINED };
      }
      case 'refund.created':
      case 'refund.updated':
      case 'refund.failed':
      case 'charge.refund.updated':
        return this.#ofRefund(event.id, event.data.object);
      case 'charge.dispute.funds_withdrawn':
        return this.#ofDispute(event.id, 'disputed', event.data.object);
      case 'charge.dispute.funds_reinstated':
        return this.#ofDispute(event.id, 'dispute_won', event.data.object);
      case 'charge.dispute.created':
        return this.#ofQuestion(event.id, 'dispute_opened', event.data.object);
      case 'charge.dispute.closed':
        return DROPPED.has(event.data.object.status)
          ? this.#ofQuestion(event.id, 'dispute_dropped', event.data.object)
          : undefined;
      default:
        return undefined;
    }
  }

  async #ofSession(id: string, type: string, session: Stripe.Checkout.Session): Promise<MoneyEvent | undefined> {
    const paymentId = paymentOf(session.metadata);
    if (paymentId === undefined) return undefined;
    if (type === 'checkout.session.expired') return { id, type: 'canceled', paymentId };
    if (type === 'checkout.session.async_payment_failed') return { id, type: 'failed', paymentId, message: DECLINED };
    if (session.mode === 'setup') return { id, type: 'stored', paymentId, method: await this.#methodOf(session) };
    if (session.payment_status !== 'paid') return { id, type: 'accepted', paymentId };
    const providerId = idOf(session.payment_intent) ?? session.id;
    const money = { amount: session.amount_total ?? 0, currency: session.currency ?? 'no currency' };
    return inUsd(id, money, { type: 'paid', paymentId, providerId }, providerId);
  }

  async #methodOf(session: Stripe.Checkout.Session): Promise<StoredMethod> {
    const intent = await this.#stripe.setupIntents.retrieve(idOf(session.setup_intent) ?? '');
    const method = await this.#stripe.paymentMethods.retrieve(idOf(intent.payment_method) ?? '');
    return {
      id: method.id,
      brand: method.card?.brand ?? method.type,
      last4: method.card?.last4 ?? '',
      expires_month: method.card?.exp_month ?? 12,
      expires_year: method.card?.exp_year ?? 9999,
    };
  }

  async #ofRefund(id: string, refund: Stripe.Refund): Promise<MoneyEvent | undefined> {
    const type = { succeeded: 'refunded', failed: 'refund_failed', canceled: 'refund_failed' } as const;
    const known = Object.entries(type).find(([status]) => status === refund.status)?.[1];
    const of = known && (await this.#chargeBehind(refund.payment_intent));
    if (known === undefined || of === undefined) return undefined;
    return inUsd(id, refund, { type: known, refundId: refund.id, ...of }, refund.id);
  }

  async #ofDispute(
    id: string,
    type: 'disputed' | 'dispute_won',
    dispute: Stripe.Dispute,
  ): Promise<MoneyEvent | undefined> {
    const of = await this.#chargeBehind(dispute.payment_intent);
    if (of === undefined) return undefined;
    const { taken, returned } = movesOf(dispute);
    // What has moved counts, which may be less than what the dispute is about, and in another currency than the payment.
    const moved = (type === 'disputed' ? taken : returned) ?? dispute;
    const more = {
      ...(type === 'dispute_won' &&
        taken !== undefined && { takenMicros: toMicros(-taken.amount), takenFeeMicros: toMicros(taken.fee) }),
      ...('fee' in moved && { feeMicros: toMicros(moved.fee) }),
    };
    const money = { amount: moved === taken ? -moved.amount : moved.amount, currency: moved.currency };
    return inUsd(id, money, { ...more, type, disputeId: dispute.id, ...of }, dispute.id);
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

/** What was taken out of the balance at Stripe for a dispute, and returned to it: each once at most. */
function movesOf({ balance_transactions: moves = [] }: Partial<Stripe.Dispute>) {
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

const DECLINED = 'The payment was declined.';

function ofIntent(
  id: string,
  { id: providerId, metadata, amount_received, currency }: Stripe.PaymentIntent,
): MoneyEvent | undefined {
  const paymentId = paymentOf(metadata);
  if (paymentId === undefined) return undefined;
  return inUsd(id, { amount: amount_received, currency }, { type: 'paid', paymentId, providerId }, providerId);
}

type Moved<M = MoneyMoved> = M extends MoneyMoved ? Omit<M, 'amountMicros'> : never;

/** Stripe writes amounts in the smallest unit of their currency, and only we know which one we asked for. */
function inUsd(
  id: string,
  { amount, currency }: { amount: number; currency: string },
  moved: Moved,
  reference: string,
): MoneyEvent {
  if (currency === 'usd') return { id, ...moved, amountMicros: toMicros(amount) };
  const { type: of, paymentId } = moved;
  return { id, type: 'foreign', of, paymentId, reference, amount: `${amount} ${currency} (smallest units)` };
}

export const NEEDS_CONFIRMATION = 'The payment method needs a confirmation by its owner.';

export const wordsOf = ({ code, message }: { code?: string | undefined; message?: string | undefined }): string =>
  code === 'authentication_required' ? NEEDS_CONFIRMATION : (message ?? 'The payment was declined.');

/** @throws PaymentUnavailable for a charge that has neither been taken nor refused */
export function outcomeOf({ id, status, last_payment_error: error }: Stripe.PaymentIntent): ChargeResult {
  if (status === 'succeeded' || status === 'processing') return { outcome: 'sent', providerId: id };
  if (error !== null) return { outcome: 'declined', message: wordsOf(error) };
  if (status === 'requires_action') return { outcome: 'declined', message: NEEDS_CONFIRMATION };
  if (status === 'canceled') return { outcome: 'declined', message: 'The payment was canceled.' };
  throw new PaymentUnavailable(new Error(`A charge is ${status}.`));
}

/** Seconds since the epoch; for a header without a time, one that is never. */
const signedAt = (signature: string): number => Number(/(?:^|,)t=(\d+)/.exec(signature)?.[1] ?? Infinity);

/** @throws PaymentUnavailable for whatever goes wrong */
export async function reached<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof PaymentUnavailable ? error : new PaymentUnavailable(error);
  }
}
