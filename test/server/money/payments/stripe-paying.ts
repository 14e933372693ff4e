/** An organization that pays by Stripe, which is a server on this machine: what the tests of Stripe have in common. */
import { expect, vi, type MockInstance } from 'vitest';
import Stripe from 'stripe';
import type { HostedPage } from '#contract/paying.ts';
import { reconcile } from '#server/money/payments/reconcile.ts';
import { StripeDriver } from '#server/money/payments/stripe.ts';
import { startTestServer, type TestServer } from '../../harness.ts';
import { outcomeOf } from '../../people.ts';
import { accountOf, paymentsOf } from '../books.ts';
import { Served, soon } from '../served.ts';
import { StripeServer, type Hit } from './stripe-server.ts';

export { CREDIT, soon } from '../served.ts';
/** The secret of events, and the one before it. */
export const [SECRET, OLD] = ['whsec_new', 'whsec_old'];
export const WEBHOOK = '/api/v2/stripe/webhook/';
const MINUTE_MS = 60_000;
/** Between a call that went wrong and the next one the library waits for half a second and more: here for a moment. */
const RETRY_S = 0.01;

type Type = Parameters<StripeServer['event']>[0];
type Intent = StripeServer['intents'][number];

export const setupSession = (attempt: string): object => ({
  object: 'checkout.session',
  mode: 'setup',
  setup_intent: 'seti_1',
  metadata: { payment_id: attempt },
});
export const paidSession = (attempt: string, cents: number, intent: string): object => ({
  object: 'checkout.session',
  mode: 'payment',
  payment_status: 'paid',
  amount_total: cents,
  currency: 'usd',
  payment_intent: intent,
  metadata: { payment_id: attempt },
});

export class StripePaying extends Served {
  readonly stripe = new StripeServer();
  driver!: StripeDriver;
  #ahead = 0;
  /** Customers of earlier tests: jobs may still look for their charges. */
  #formerCustomers = new Set<string | null>();
  #retries: MockInstance | undefined;

  override async start(): Promise<TestServer> {
    this.#retries = vi.spyOn(Stripe.prototype, 'getInitialNetworkRetryDelay').mockReturnValue(RETRY_S);
    const address = await this.stripe.listen();
    return startTestServer({
      pollMs: 40,
      env: { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRETS: `${SECRET},${OLD}` },
      payments: ({ config, clock }) => {
        if (config.stripe === undefined) throw new Error('Stripe is not set up.');
        return (this.driver = new StripeDriver(config.stripe, clock, { ...address, timeout: 400 }));
      },
    });
  }

  override async close(): Promise<void> {
    await super.close();
    this.stripe.close();
    this.#retries?.mockRestore();
  }

  override async reset(): Promise<void> {
    this.stripe.reset();
    this.#formerCustomers = new Set(this.stripe.customers.keys());
    this.server.advance(-this.#ahead);
    this.#ahead = 0;
    // Those of other tests are none of this one's.
    await this.db.updateTable('payments').set({ state: 'canceled' }).where('state', 'in', ['open', 'sent']).execute();
    await this.db.deleteFrom('provider_looks').execute();
  }

  /** Lets time pass, for the server alone. */
  wait = (minutes: number): void => {
    this.#ahead += minutes * MINUTE_MS;
    this.server.advance(minutes * MINUTE_MS);
  };
  reconcile = (): Promise<void> => reconcile(this.server.services, this.driver);
  reconcileIn = (minutes: number): Promise<void> => {
    this.wait(minutes);
    return this.reconcile();
  };

  override call = async (method: string, path: string, body?: unknown): Promise<Response> => {
    // Where the access token is good.
    this.server.advance(-this.#ahead);
    const answer = await this.server.call(this.ada, method, this.own(path), body);
    this.server.advance(this.#ahead);
    return answer;
  };
  balance = async (): Promise<number> => (await this.overview()).balance_micros;
  pay = (amount_micros: number): Promise<HostedPage> => this.begin(amount_micros);
  beginSetUp = (): Promise<HostedPage> => this.begin(undefined);
  setUp = async (method = 'pm_ok'): Promise<void> => {
    const { attempt } = await this.beginSetUp();
    this.stripe.stores = method;
    await this.tell('checkout.session.completed', setupSession(attempt));
  };

  /** As Stripe does: no session, no token of a page. */
  post = (body: string, signature?: string): Promise<Response> =>
    fetch(this.server.url + WEBHOOK, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(signature !== undefined && { 'stripe-signature': signature }),
      },
      body,
    });
  tell = async (type: Type, object: object): Promise<void> => {
    const at = Math.floor(this.now().getTime() / 1000);
    const { body, signature } = this.stripe.event(type, object, { secret: SECRET, at });
    expect(await outcomeOf(await this.post(body, signature))).toBe('200');
  };
  /** A payment that has come. */
  paid = async (cents: number): Promise<Intent> => {
    const intent = this.stripe.addIntent((await this.pay(cents * 10_000)).attempt, cents);
    await this.tell('payment_intent.succeeded', intent);
    return intent;
  };
  hitsOf = (call: string): Hit[] => this.stripe.hits.filter((hit) => hit.call === call);
  /** Lists of a customer's charges. The list of all charges, which is read every minute, is left out. */
  looks = (): Hit[] =>
    this.hitsOf('GET /v1/payment_intents').filter(
      ({ params }) => params.has('customer') && !this.#formerCustomers.has(params.get('customer')),
    );

  /** Charges of this organization that Stripe has. */
  intents = async (): Promise<Intent[]> => {
    const rows = await paymentsOf(this.db, this.ada.organizationId);
    return this.stripe.intents.filter(({ metadata }) => rows.some(({ id }) => id === metadata['payment_id']));
  };
  /** The charge that Stripe has confirmed. */
  confirmed = (): Promise<Intent> =>
    vi.waitFor(async () => {
      const [{ provider_id } = { provider_id: null }] = await this.tries();
      const intent = this.stripe.intents.find(({ id }) => id === provider_id);
      if (intent === undefined) throw new Error('Not charged yet.');
      return intent;
    }, soon);
  /** Below the threshold of autopay. */
  cross = async (method?: string): Promise<void> => {
    await this.setUp(method);
    await this.autopay(true);
    await this.use(6_000_000);
  };
  /** A charge that Stripe has, and that no event has told the end of. */
  charge = async (): Promise<Intent> => {
    await this.cross();
    return this.confirmed();
  };
  customer = async (): Promise<string> => (await accountOf(this.db, this.ada.organizationId))?.customer_id ?? '';
}
