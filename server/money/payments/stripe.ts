import Stripe from 'stripe';
import type { StripeConfig } from '../../platform/config.ts';
import {
  PaymentUnavailable,
  type ChargeRequest,
  type ChargeResult,
  type MoneyEvent,
  type PageRequest,
  type Payer,
  type PaymentDriver,
} from './port.ts';
import { paymentOf, reached, StripeEvents, toCents } from './stripe-events.ts';

/** What the library's types are of: a later version of the API must not change what answers look like. */
const API_VERSION = '2026-10-28.endive';
const TIMEOUT_MS = 20_000;
const MS_PER_S = 1000;
/** How much Stripe's clock may be behind, seconds. */
const SKEW_S = 300;

/** Where Stripe is, and how patient to be with it; a test has it on this machine. */
export type StripeAddress = Pick<Stripe.StripeConfig, 'host' | 'port' | 'protocol' | 'timeout'>;

const NEEDS_CONFIRMATION = 'The payment method needs a confirmation by its owner.';

/** Payments by Stripe: its hosted pages, its stored methods, and its events. */
export class StripeDriver implements PaymentDriver {
  readonly mode = 'stripe';
  readonly #stripe: Stripe;
  readonly #events: StripeEvents;

  constructor({ secretKey, webhookSecrets }: StripeConfig, now: () => Date, address: StripeAddress = {}) {
    this.#stripe = new Stripe(secretKey, {
      apiVersion: API_VERSION,
      maxNetworkRetries: 2,
      timeout: TIMEOUT_MS,
      telemetry: false,
      ...address,
    });
    this.#events = new StripeEvents(this.#stripe, webhookSecrets, now);
  }

  /** The key names an organization only: under one key, Stripe takes nothing that has changed since. */
  async createCustomer({ organizationId, name, email, customerId }: Payer): Promise<string> {
    if (customerId !== undefined && isCustomer(customerId)) return customerId;
    return reached(async () => {
      const { id } = await this.#stripe.customers.create(
        { metadata: { organization_id: organizationId } },
        { idempotencyKey: `customer:${organizationId}` },
      );
      await this.#stripe.customers.update(id, { name, email });
      return id;
    });
  }

  async openPage({ paymentId, customerId, amountMicros, returnUrl }: PageRequest): Promise<{ url: string }> {
    const metadata = { payment_id: paymentId };
    const shared = { customer: customerId, success_url: returnUrl, cancel_url: returnUrl, metadata };
    const session = await reached(() =>
      this.#stripe.checkout.sessions.create(
        amountMicros === null
          ? { ...shared, mode: 'setup', currency: 'usd', setup_intent_data: { metadata } }
          : {
              ...shared,
              mode: 'payment',
              adaptive_pricing: { enabled: false },
              line_items: [
                {
                  quantity: 1,
                  price_data: {
                    currency: 'usd',
                    unit_amount: toCents(amountMicros),
                    product_data: { name: 'Balance payment' },
                  },
                },
              ],
              payment_intent_data: { metadata: { ...metadata, kind: 'payment' } },
            },
        { idempotencyKey: `page:${paymentId}` },
      ),
    );
    if (session.url === null) throw new PaymentUnavailable(new Error('The session has no page.'));
    return { url: session.url };
  }

  async charge({ key, paymentId, customerId, methodId, amountMicros }: ChargeRequest): Promise<ChargeResult> {
    try {
      const intent = await this.#stripe.paymentIntents.create(
        {
          amount: toCents(amountMicros),
          currency: 'usd',
          customer: customerId,
          payment_method: methodId,
          off_session: true,
          confirm: true,
          metadata: { payment_id: paymentId, kind: 'autopay' },
        },
        { idempotencyKey: key },
      );
      return outcomeOf(intent);
    } catch (error) {
      if (error instanceof Stripe.errors.StripeCardError) return { outcome: 'declined', message: wordsOf(error) };
      // It was refused before anything was charged: the method or its customer is gone.
      if (error instanceof Stripe.errors.StripeInvalidRequestError)
        return { outcome: 'declined', message: 'The payment method can no longer be used.' };
      throw error instanceof PaymentUnavailable ? error : new PaymentUnavailable(error);
    }
  }

  /** In Stripe's list of the customer's charges, which has a new one at once; its search has it minutes later. */
  async look({ paymentId, customerId }: ChargeRequest, since: Date): Promise<ChargeResult | undefined> {
    if (!isCustomer(customerId)) return undefined;
    return reached(async () => {
      const created = { gte: Math.floor(since.getTime() / MS_PER_S) - SKEW_S };
      const intents = this.#stripe.paymentIntents.list({ customer: customerId, created, limit: 100 });
      for await (const intent of intents) if (paymentOf(intent.metadata) === paymentId) return outcomeOf(intent);
      return undefined;
    });
  }

  async forget(methodId: string): Promise<void> {
    try {
      await this.#stripe.paymentMethods.detach(methodId);
    } catch (error) {
      // It is not there, or no longer attached.
      if (error instanceof Stripe.errors.StripeInvalidRequestError) return;
      throw new PaymentUnavailable(error);
    }
  }

  read(body: string, signature: string | undefined): Promise<MoneyEvent | undefined> {
    return this.#events.read(body, signature ?? '');
  }
}

/** One of the tests' has been there before Stripe was. */
const isCustomer = (id: string): boolean => id.startsWith('cus_');

const wordsOf = ({ code, message }: { code?: string | undefined; message?: string | undefined }): string =>
  code === 'authentication_required' ? NEEDS_CONFIRMATION : (message ?? 'The payment was declined.');

/** @throws PaymentUnavailable for a charge that has neither been taken nor refused */
function outcomeOf({ id, status, last_payment_error: error }: Stripe.PaymentIntent): ChargeResult {
  if (status === 'succeeded' || status === 'processing') return { outcome: 'sent', providerId: id };
  if (error !== null) return { outcome: 'declined', message: wordsOf(error) };
  if (status === 'requires_action') return { outcome: 'declined', message: NEEDS_CONFIRMATION };
  if (status === 'canceled') return { outcome: 'declined', message: 'The payment was canceled.' };
  throw new PaymentUnavailable(new Error(`A charge is ${status}.`));
}
