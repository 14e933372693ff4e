import Stripe from 'stripe';
import type { PaymentEndpoint } from '#contract/paying.ts';
import type { StripeConfig } from '../../platform/config.ts';
import {
  LOOK_SKEW_MS,
  PaymentUnavailable,
  type ChargeRequest,
  type ChargeResult,
  type MoneyEvent,
  type PageRequest,
  type Payer,
  type PaymentDriver,
  type OpenPayment,
} from './port.ts';
import {
  cancelWaiting,
  endOfFailure,
  isForbidden,
  isRefused,
  NO_METHOD,
  outcomeOf,
  callStripe,
} from './stripe-charges.ts';
import { checkedAgent } from './stripe-agent.ts';
import { checkEndpoint } from './stripe-endpoint.ts';
import { StripeEvents } from './stripe-events.ts';
import { MS_PER_S, paymentOf, toCents } from './stripe-money.ts';

/** The version of the library's types. Fixed, so that Stripe's answers keep this form. */
const API_VERSION = '2026-10-28.endive';
const TIMEOUT_MS = 20_000;

/** Address and timeout of Stripe; tests run a server on this machine. */
export type StripeAddress = Pick<Stripe.StripeConfig, 'host' | 'port' | 'protocol' | 'timeout'>;

/** Payments by Stripe: its hosted pages, its stored methods, and its events. */
export class StripeDriver implements PaymentDriver {
  readonly mode = 'stripe';
  readonly #stripe: Stripe;
  readonly #events: StripeEvents;
  /** A client that sends only while `maySend` is true. */
  readonly #sendingWhile: (maySend: () => boolean) => Stripe;

  constructor(config: StripeConfig, now: () => Date, address: StripeAddress = {}) {
    const options = {
      ...({ apiVersion: API_VERSION, maxNetworkRetries: 2, timeout: TIMEOUT_MS, telemetry: false } as const),
      ...address,
    };
    this.#stripe = new Stripe(config.secretKey, options);
    this.#sendingWhile = (maySend) =>
      new Stripe(config.secretKey, { ...options, httpAgent: checkedAgent(maySend, options) });
    this.#events = new StripeEvents(this.#stripe, config, now);
  }

  /** Lists payment intents, which every key needs, then reports which other rights a restricted key lacks. */
  async check(webhookUrl: string): Promise<PaymentEndpoint> {
    await callStripe(() => this.#stripe.paymentIntents.list({ limit: 1 }, { maxNetworkRetries: 0 }));
    return checkEndpoint(this.#stripe, webhookUrl, API_VERSION);
  }

  /**
   * The idempotency key contains the organization, and the deleted customer if there was one. Name and e-mail follow in
   * an update: Stripe refuses a repeated key with other values.
   */
  async createCustomer({ organizationId, name, email, customerId }: Payer): Promise<string> {
    const known = customerId !== undefined && isCustomer(customerId) ? customerId : undefined;
    return callStripe(async () => {
      if (known !== undefined && (await this.#hasCustomer(known))) return known;
      const { id } = await this.#stripe.customers.create(
        { metadata: { organization_id: organizationId } },
        { idempotencyKey: `customer:${organizationId}${known === undefined ? '' : `:${known}`}` },
      );
      await this.#stripe.customers.update(id, { name, email });
      return id;
    });
  }

  async openPage({
    paymentId,
    customerId,
    amountMicros,
    returnUrl,
  }: PageRequest): Promise<{ url: string; id: string }> {
    const metadata = { payment_id: paymentId };
    const shared = { customer: customerId, success_url: returnUrl, cancel_url: returnUrl, metadata };
    const session = await callStripe(() =>
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
    return { url: session.url, id: session.id };
  }

  async charge(
    { key, paymentId, customerId, methodId, amountMicros }: ChargeRequest,
    returnUrl: string,
    maySend: () => boolean,
  ): Promise<ChargeResult> {
    try {
      const intent = await this.#sendingWhile(maySend).paymentIntents.create(
        {
          amount: toCents(amountMicros),
          currency: 'usd',
          customer: customerId,
          payment_method: methodId,
          off_session: true,
          confirm: true,
          // Required if any method of the Stripe account redirects, even though this charge does not.
          return_url: returnUrl,
          metadata: { payment_id: paymentId, kind: 'autopay' },
        },
        // No retries here: the job looks the charge up before it repeats it.
        { idempotencyKey: key, maxNetworkRetries: 0 },
      );
      return outcomeOf(await cancelWaiting(this.#stripe, intent));
    } catch (error) {
      if (error instanceof Stripe.errors.StripeCardError) return endOfError(error);
      // Nothing was charged, whatever is wrong with the request.
      if (error instanceof Stripe.errors.StripeInvalidRequestError)
        return (await this.#isDetached(error, methodId))
          ? { outcome: 'declined', message: NO_METHOD }
          : endOfError(error);
      if (isForbidden(error)) return { outcome: 'refused', reason: error.message };
      throw error instanceof PaymentUnavailable ? error : new PaymentUnavailable(error);
    }
  }

  /**
   * Searches the customer's charges, which include a new one at once. For a deleted customer Stripe may list none or
   * refuse; then uses Stripe's search, which lags by minutes. So callers wait an hour before they take a missing charge
   * for never made.
   */
  async look({ paymentId, customerId }: ChargeRequest, since: Date): Promise<ChargeResult | undefined> {
    if (!isCustomer(customerId)) return undefined;
    const found = await callStripe(async () => {
      const created = { gte: Math.floor((since.getTime() - LOOK_SKEW_MS) / MS_PER_S) };
      try {
        const intents = this.#stripe.paymentIntents.list({ customer: customerId, created, limit: 100 });
        const listed = await findIntent(intents, paymentId);
        if (listed !== undefined || (await this.#hasCustomer(customerId))) return listed;
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
      const query = `metadata['payment_id']:'${paymentId}'`;
      return findIntent(this.#stripe.paymentIntents.search({ query, limit: 100 }), paymentId);
    });
    return found && outcomeOf(await cancelWaiting(this.#stripe, found));
  }

  async ask(payment: OpenPayment): Promise<MoneyEvent | undefined> {
    const { paymentId, pageId, providerId } = payment;
    if (isOfStripe(pageId ?? providerId ?? '')) return this.#events.ask(payment);
    return { id: `asked:${paymentId}:failed`, type: 'failed', paymentId, message: TEST_PAYMENT };
  }

  async expire(payment: OpenPayment): Promise<MoneyEvent | undefined> {
    const { pageId } = payment;
    try {
      if (pageId?.startsWith('cs_')) await this.#stripe.checkout.sessions.expire(pageId);
    } catch (error) {
      // The page may have ended already; the question below tells how.
      if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw new PaymentUnavailable(error);
    }
    return this.ask(payment);
  }

  paymentsSince(since: Date): AsyncIterable<MoneyEvent> {
    return this.#events.paymentsSince(since);
  }

  refundsAndDisputesSince(since: Date): AsyncIterable<MoneyEvent> {
    return this.#events.refundsAndDisputesSince(since);
  }

  async forget(methodId: string): Promise<void> {
    try {
      await this.#stripe.paymentMethods.detach(methodId);
    } catch (error) {
      // The method does not exist, or is detached already.
      if (error instanceof Stripe.errors.StripeInvalidRequestError) return;
      throw new PaymentUnavailable(error);
    }
  }

  /** The customer's payments stay at Stripe, and can be refunded there. */
  async closeCustomer(customerId: string): Promise<void> {
    if (!isCustomer(customerId)) return;
    try {
      await this.#stripe.customers.del(customerId);
    } catch (error) {
      if (!isMissing(error)) throw new PaymentUnavailable(error);
    }
  }

  read(body: string, signature: string | undefined): Promise<readonly MoneyEvent[]> {
    return this.#events.read(body, signature ?? '');
  }

  /** Whether an error means that the method was detached: Stripe gives it no code. @throws PaymentUnavailable */
  async #isDetached(
    { code }: InstanceType<typeof Stripe.errors.StripeInvalidRequestError>,
    methodId: string,
  ): Promise<boolean> {
    if (code !== undefined) return false;
    return callStripe(async () => {
      try {
        return (await this.#stripe.paymentMethods.retrieve(methodId)).customer === null;
      } catch (error) {
        if (isMissing(error)) return true;
        throw error;
      }
    });
  }

  /** Whether a customer exists. Stripe still returns deleted ones, marked as such. */
  async #hasCustomer(id: string): Promise<boolean> {
    try {
      return (await this.#stripe.customers.retrieve(id)).deleted !== true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }
}

const TEST_PAYMENT = 'This was a test payment, from before payments were set up. No money was moved.';

const isMissing = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing';

const endOfError = ({ rawType, code, param, message }: InstanceType<typeof Stripe.errors.StripeError>): ChargeResult =>
  endOfFailure({ type: rawType, code, param, message });

/** The intent of a payment. Skips refused intents, which may belong to an earlier key of the payment. */
async function findIntent(
  intents: AsyncIterable<Stripe.PaymentIntent>,
  paymentId: string,
): Promise<Stripe.PaymentIntent | undefined> {
  for await (const intent of intents) if (paymentOf(intent.metadata) === paymentId && !isRefused(intent)) return intent;
  return undefined;
}

/** Customers of test payments have other ids. */
const isCustomer = (id: string): boolean => id.startsWith('cus_');
const isOfStripe = (id: string): boolean => id.startsWith('cs_') || id.startsWith('pi_');
