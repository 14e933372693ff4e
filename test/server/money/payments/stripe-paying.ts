/** An organization that pays by Stripe, which is a server on this machine: what the tests of Stripe have in common. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest';
import * as v from 'valibot';
import { BillingOverview, HostedPage, PaymentStatus } from '#contract/billing.ts';
import { reconcile } from '#server/money/payments/reconcile.ts';
import { StripeDriver } from '#server/money/payments/stripe.ts';
import type { Db } from '#server/platform/db/database.ts';
import { startTestServer, type TestServer, type TestUser } from '../../harness.ts';
import { outcomeOf } from '../../people.ts';
import { StripeServer, type Hit } from './stripe-server.ts';
import { useUp } from '../usage/usage.ts';

/** What an organization begins with, micro-USD. */
export const CREDIT = 10_000_000;
/** The secret of events, and the one before it. */
export const [SECRET, OLD] = ['whsec_new', 'whsec_old'];
export const WEBHOOK = '/api/v2/stripe/webhook/';
export const soon = { timeout: 30_000, interval: 20 };
const MINUTE_MS = 60_000;

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

/** A server for the tests of a file, and an owner of an organization anew for each; what they do, and see of it. */
export class StripePaying {
  readonly stripe = new StripeServer();
  server!: TestServer;
  driver!: StripeDriver;
  ada!: TestUser;
  #ahead = 0;

  constructor() {
    beforeAll(async () => {
      const address = await this.stripe.listen();
      this.server = await startTestServer({
        env: { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRETS: `${SECRET},${OLD}` },
        payments: ({ config, clock }) => {
          if (config.stripe === undefined) throw new Error('Stripe is not set up.');
          return (this.driver = new StripeDriver(config.stripe, clock, { ...address, timeout: 400 }));
        },
      });
    });
    afterAll(async () => {
      await this.server.close();
      this.stripe.close();
    });
    beforeEach(async () => {
      this.stripe.reset();
      this.server.advance(-this.#ahead);
      this.#ahead = 0;
      // Those of other tests are none of this one's.
      await this.db.updateTable('payments').set({ state: 'canceled' }).where('state', 'in', ['open', 'sent']).execute();
      await this.db.deleteFrom('provider_looks').execute();
      this.ada = await this.server.createUser();
    });
  }

  get db(): Db {
    return this.server.services.db;
  }

  /** Lets time pass, for the server alone. */
  wait = (minutes: number): void => {
    this.#ahead += minutes * MINUTE_MS;
    this.server.advance(minutes * MINUTE_MS);
  };
  reconcile = (): Promise<void> => reconcile(this.server.services, this.driver);

  own = (path: string): string => `/api/v2/organizations/${this.ada.organizationId}/${path}`;
  call = async (method: string, path: string, body?: unknown): Promise<Response> => {
    // Where the access token is good.
    this.server.advance(-this.#ahead);
    const answer = await this.server.call(this.ada, method, this.own(path), body);
    this.server.advance(this.#ahead);
    return answer;
  };
  ask = async <const S extends v.GenericSchema>(
    schema: S,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<v.InferOutput<S>> => v.parse(schema, await (await this.call(method, path, body)).json());
  status = (attempt?: string): Promise<PaymentStatus> =>
    this.ask(PaymentStatus, 'GET', `payment/status/${attempt === undefined ? '' : `?attempt=${attempt}`}`);
  balance = async (): Promise<number> => (await this.ask(BillingOverview, 'GET', 'billing/overview/')).balance_micros;
  use = (micros: number): Promise<string> => useUp(this.db, this.ada, micros, this.server.services.clock());
  pay = (amount_micros: number): Promise<HostedPage> =>
    this.ask(HostedPage, 'POST', 'payment/', { attempt: randomUUID(), amount_micros });
  beginSetUp = (): Promise<HostedPage> => this.ask(HostedPage, 'POST', 'payment/setup/', { attempt: randomUUID() });
  setUp = async (method = 'pm_ok'): Promise<void> => {
    const { attempt } = await this.beginSetUp();
    this.stripe.stores = method;
    await this.tell('checkout.session.completed', setupSession(attempt));
  };
  autopay = (): Promise<Response> =>
    this.call('PUT', 'billing/', {
      autopay: { enabled: true, threshold_micros: 5_000_000, amount_micros: 20_000_000 },
    });

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
    const at = Math.floor(this.server.services.clock().getTime() / 1000);
    const { body, signature } = this.stripe.event(type, object, { secret: SECRET, at });
    expect(await outcomeOf(await this.post(body, signature))).toBe('200');
  };
  hitsOf = (call: string): Hit[] => this.stripe.hits.filter((hit) => hit.call === call);

  /** Charges of this organization that Stripe has. */
  intents = async (): Promise<Intent[]> => {
    const rows = await this.db
      .selectFrom('payments')
      .select('id')
      .where('organization_id', '=', this.ada.organizationId)
      .execute();
    return this.stripe.intents.filter(({ metadata }) => rows.some(({ id }) => id === metadata['payment_id']));
  };
  /** The charge that Stripe has confirmed. */
  confirmed = (): Promise<Intent> =>
    vi.waitFor(async () => {
      const { provider_id } = await this.db
        .selectFrom('payments')
        .select('provider_id')
        .where('organization_id', '=', this.ada.organizationId)
        .where('kind', '=', 'autopay')
        .executeTakeFirstOrThrow();
      const intent = this.stripe.intents.find(({ id }) => id === provider_id);
      if (intent === undefined) throw new Error('Not charged yet.');
      return intent;
    }, soon);
  /** A charge that Stripe has, and that no event has told the end of. */
  charge = async (): Promise<Intent> => {
    await this.setUp();
    await this.autopay();
    await this.use(6_000_000);
    return this.confirmed();
  };
  customer = async (): Promise<string> => {
    const { customer_id } = await this.db
      .selectFrom('accounts')
      .select('customer_id')
      .where('organization_id', '=', this.ada.organizationId)
      .executeTakeFirstOrThrow();
    return customer_id ?? '';
  };

  /** Kind and amount of what has changed the balance since it began, in order. */
  entries = async (): Promise<[string, number][]> => {
    const rows = await this.db
      .selectFrom('ledger_entries')
      .select(['kind', 'amount_micros'])
      .where('organization_id', '=', this.ada.organizationId)
      .orderBy('position')
      .execute();
    return rows.slice(1).map(({ kind, amount_micros }) => [kind, amount_micros]);
  };
  mails = async (): Promise<string[]> => {
    const rows = await this.db
      .selectFrom('outbox')
      .select('subject')
      .where('recipient', '=', this.ada.email)
      .orderBy('position')
      .execute();
    return rows.map(({ subject }) => subject);
  };
}
