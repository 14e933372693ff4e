/** Translates what Stripe sends and answers into payment events. */
import Stripe from 'stripe';
import { Refusal } from '../../platform/refusal.ts';
import type { StripeConfig } from '../../platform/config.ts';
import { moneyModeOf } from '../ledger/mode.ts';
import {
  PaymentUnavailable,
  type Charged,
  type ChargeResult,
  type MoneyEvent,
  type StoredMethod,
  type OpenPayment,
} from './port.ts';
import { cancelWaiting, DECLINED, endOfFailure, outcomeOf, callStripe } from './stripe-charges.ts';
import { idOf, inUsd, MS_PER_S, paymentOf } from './stripe-money.ts';
import { paidWith } from './stripe-paid-with.ts';
import { StripeReturns } from './stripe-returns.ts';

/** How far the time of a signature may lie in the past or in the future, seconds. */
const TOLERANCE_S = 300;

/** Verifies and reads Stripe's events, and reads its answers as events. Fetches objects that an event only names. */
export class StripeEvents {
  readonly #stripe: Stripe;
  readonly #returns: StripeReturns;
  readonly #secrets: readonly string[];
  readonly #isLive: boolean;
  readonly #now: () => Date;

  constructor(stripe: Stripe, { secretKey, webhookSecrets }: StripeConfig, now: () => Date) {
    this.#stripe = stripe;
    this.#returns = new StripeReturns(stripe);
    this.#secrets = webhookSecrets;
    this.#isLive = moneyModeOf({ stripe: { secretKey, webhookSecrets } }) === 'live';
    this.#now = now;
  }

  /** Reads a signed event. @throws Refusal signature_invalid or livemode_mismatch; PaymentUnavailable */
  async read(body: string, signature: string): Promise<readonly MoneyEvent[]> {
    const event = this.#verify(body, signature);
    if (event.livemode !== this.#isLive)
      throw new Refusal(
        'invalid',
        'livemode_mismatch',
        "The event's mode (test or live) is not that of the server's key.",
      );
    return callStripe(async () => {
      if (event.type === 'charge.refunded') return this.#returns.refundsOf(event.id, event.data.object.id);
      const moneyEvent = await this.#toMoney(event);
      return moneyEvent === undefined ? [] : [moneyEvent];
    });
  }

  /** Payments since a moment, and charges under way. The events have ids of ours (`asked:…`), not Stripe's. @throws PaymentUnavailable */
  async *paymentsSince(since: Date): AsyncGenerator<MoneyEvent> {
    const intents = this.#stripe.paymentIntents.list({ created: createdSince(since), limit: 100 });
    try {
      for await (const intent of intents) {
        const event =
          intent.status === 'processing'
            ? underWay(intent)
            : intent.status === 'succeeded'
              ? ofIntent(`asked:${intent.id}:paid`, intent)
              : undefined;
        if (event !== undefined) yield event;
      }
    } catch (error) {
      throw error instanceof PaymentUnavailable ? error : new PaymentUnavailable(error);
    }
  }

  /** Refunds and disputes since a moment. The events have ids of ours, not Stripe's. @throws PaymentUnavailable */
  async *refundsAndDisputesSince(since: Date): AsyncGenerator<MoneyEvent> {
    try {
      yield* this.#returns.past(createdSince(since));
    } catch (error) {
      throw error instanceof PaymentUnavailable ? error : new PaymentUnavailable(error);
    }
  }

  /**
   * The event that Stripe would send now about a payment; undefined while it is open. Cancels a charge that waits for
   * confirmation. @throws PaymentUnavailable
   */
  async ask({ paymentId, pageId, providerId }: OpenPayment): Promise<MoneyEvent | undefined> {
    const event = await callStripe(() => (pageId === null ? this.#askCharge(providerId ?? '') : this.#askPage(pageId)));
    if (event !== undefined && event.paymentId !== paymentId)
      throw new PaymentUnavailable(
        new Error(`Stripe's page or charge belongs to another payment: ${event.paymentId}.`),
      );
    // The id contains the outcome: the same answer counts once, another outcome counts again. One payment may have
    // several refused charges, so their events' ids contain the charge.
    const charge = event?.type === 'refused' ? `:${event.providerId}` : '';
    return event && { ...event, id: `asked:${paymentId}:${event.type}${charge}` };
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
    const intent = await cancelWaiting(this.#stripe, await this.#stripe.paymentIntents.retrieve(id));
    if (intent.status === 'succeeded') return this.#withMethod(ofIntent(id, intent), intent);
    return endOfUnpaid(id, intent, outcomeOf(intent));
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
        // The library checks only the age; this checks times in the future.
        if (signedAt(signature) <= this.#now().getTime() / 1000 + TOLERANCE_S) return event;
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
      }
    }
    throw new Refusal('invalid', 'signature_invalid', 'The event is not signed by the payment provider, or too old.');
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
        return this.#withMethod(ofIntent(event.id, event.data.object), event.data.object);
      case 'payment_intent.payment_failed': {
        const intent = event.data.object;
        // On a hosted page the customer can still try another method.
        if (intent.metadata['kind'] !== 'autopay') return undefined;
        return endOfUnpaid(event.id, intent, endOfFailure(intent.last_payment_error ?? {}));
      }
      case 'refund.created':
      case 'refund.updated':
      case 'refund.failed':
      case 'charge.refund.updated':
        return this.#returns.ofRefund(event.id, event.data.object);
      case 'charge.dispute.funds_withdrawn':
        return this.#returns.ofDispute(event.id, 'disputed', event.data.object);
      case 'charge.dispute.funds_reinstated':
        return this.#returns.ofDispute(event.id, 'dispute_won', event.data.object);
      case 'charge.dispute.created':
        return this.#returns.disputeOpened(event.id, event.data.object);
      case 'charge.dispute.closed':
        return this.#returns.disputeClosed(event.id, event.data.object);
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
    const charge = chargedCustomer(session.customer, providerId);
    const paid = { type: 'paid', paymentId, providerId, ...(charge && { charge }) } as const;
    return this.#withMethod(inUsd(id, money, paid, providerId), session.payment_intent);
  }

  /** Adds to the event of a payment what it was paid with. */
  async #withMethod(
    event: MoneyEvent | undefined,
    intent: string | Stripe.PaymentIntent | null,
  ): Promise<MoneyEvent | undefined> {
    if (event?.type !== 'paid') return event;
    const method = await paidWith(this.#stripe, intent);
    return method === undefined ? event : { ...event, paidWith: method };
  }

  async #methodOf(session: Stripe.Checkout.Session): Promise<StoredMethod> {
    const intent = await this.#stripe.setupIntents.retrieve(idOf(session.setup_intent) ?? '');
    const method = await this.#stripe.paymentMethods.retrieve(idOf(intent.payment_method) ?? '');
    const { card, us_bank_account, sepa_debit, bacs_debit, acss_debit, au_becs_debit } = method;
    const bank = us_bank_account ?? sepa_debit ?? bacs_debit ?? acss_debit ?? au_becs_debit;
    return {
      id: method.id,
      brand: card?.brand ?? method.type.replaceAll('_', ' '),
      last4: card?.last4 ?? bank?.last4 ?? '',
      expires_month: card?.exp_month ?? 12,
      expires_year: card?.exp_year ?? 9999,
    };
  }
}

const createdSince = (since: Date) => ({ gte: Math.floor(since.getTime() / MS_PER_S) });

/** The event of a charge by autopay that the bank is still processing, which may take days. */
function underWay({ id: providerId, metadata, customer }: Stripe.PaymentIntent): MoneyEvent | undefined {
  const [paymentId, charge] = [paymentOf(metadata), chargedCustomer(customer, providerId)];
  if (paymentId === undefined || charge === undefined || metadata['kind'] !== 'autopay') return undefined;
  return { id: `asked:${providerId}:accepted`, type: 'accepted', paymentId, charge };
}

/** The charged customer; undefined if Stripe knows none. */
function chargedCustomer(customer: Stripe.Checkout.Session['customer'], providerId: string): Charged | undefined {
  const customerId = idOf(customer);
  return customerId === undefined ? undefined : { customerId, providerId };
}

function ofIntent(
  id: string,
  { id: providerId, metadata, amount_received, currency, customer }: Stripe.PaymentIntent,
): MoneyEvent | undefined {
  const paymentId = paymentOf(metadata);
  if (paymentId === undefined) return undefined;
  const charge = chargedCustomer(customer, providerId);
  const paid = { type: 'paid', paymentId, providerId, ...(charge && { charge }) } as const;
  return inUsd(id, { amount: amount_received, currency }, paid, providerId);
}

/** The event of a failed intent: `failed` if the card was declined, else `refused`; undefined if it may still be paid. */
function endOfUnpaid(id: string, intent: Stripe.PaymentIntent, end: ChargeResult): MoneyEvent | undefined {
  const paymentId = paymentOf(intent.metadata);
  if (paymentId === undefined || end.outcome === 'sent') return undefined;
  return end.outcome === 'declined'
    ? { id, type: 'failed', paymentId, message: end.message }
    : { id, type: 'refused', paymentId, providerId: intent.id, reason: end.reason };
}

/** The time of a signature, seconds since the epoch; Infinity without one. */
const signedAt = (signature: string): number => Number(/(?:^|,)t=(\d+)/.exec(signature)?.[1] ?? Infinity);
