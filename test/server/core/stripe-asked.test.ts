/** Payments whose events do not come: Stripe is asked, on a server that speaks the calls that are used. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import * as v from 'valibot';
import { BillingOverview, HostedPage, PaymentStatus } from '#contract/billing.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { reconcile } from '#server/money/payments/reconcile.ts';
import { StripeDriver } from '#server/money/payments/stripe.ts';
import { startTestServer, type TestServer, type TestUser } from '../harness.ts';
import { outcomeOf } from './people.ts';
import { StripeServer } from './stripe-server.ts';
import { useUp } from './usage.ts';

const CREDIT = 10_000_000;
const SECRET = 'whsec_1';
const MINUTE_MS = 60_000;

const stripe = new StripeServer();
let server: TestServer;
let driver: StripeDriver;
let ada: TestUser;
let ahead = 0;
beforeAll(async () => {
  const address = await stripe.listen();
  server = await startTestServer({
    env: { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRETS: SECRET },
    payments: ({ config, clock }) => {
      if (config.stripe === undefined) throw new Error('Stripe is not set up.');
      driver = new StripeDriver(config.stripe, clock, { ...address, timeout: 400 });
      return driver;
    },
  });
});
afterAll(async () => {
  await server.close();
  stripe.close();
});
beforeEach(async () => {
  stripe.reset();
  server.advance(-ahead);
  ahead = 0;
  // Those of other tests are none of this one's.
  await server.services.db
    .updateTable('payments')
    .set({ state: 'canceled' })
    .where('state', 'in', ['open', 'sent'])
    .execute();
  ada = await server.createUser();
});

const soon = { timeout: 30_000, interval: 20 };
const wait = (minutes: number): void => {
  ahead += minutes * MINUTE_MS;
  server.advance(minutes * MINUTE_MS);
};
const ask = (): Promise<void> => reconcile(server.services, driver);
const own = (path: string): string => `/api/v2/organizations/${ada.organizationId}/${path}`;
async function call<const S extends v.GenericSchema>(schema: S, method: string, path: string, body?: unknown) {
  // Where the access token is good.
  server.advance(-ahead);
  const answer = await server.call(ada, method, own(path), body);
  server.advance(ahead);
  return v.parse(schema, await answer.json());
}
const status = (attempt?: string) =>
  call(PaymentStatus, 'GET', `payment/status/${attempt === undefined ? '' : `?attempt=${attempt}`}`);
const stateOf = async (attempt: string) => (await status(attempt)).attempt?.state;
const balance = async (): Promise<number> => (await call(BillingOverview, 'GET', 'billing/overview/')).balance_micros;
const pay = (amount_micros: number): Promise<HostedPage> =>
  call(HostedPage, 'POST', 'payment/', { attempt: randomUUID(), amount_micros });
const setUp = (): Promise<HostedPage> => call(HostedPage, 'POST', 'payment/setup/', { attempt: randomUUID() });
type Type = Parameters<StripeServer['event']>[0];
async function tell(type: Type, object: object): Promise<void> {
  const at = Math.floor(server.services.clock().getTime() / 1000);
  const { body, signature } = stripe.event(type, object, { secret: SECRET, at });
  const answer = await fetch(`${server.url}/api/v2/stripe/webhook/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    body,
  });
  expect(await outcomeOf(answer)).toBe('200');
}
const asked = () =>
  stripe.hits.filter(({ call: hit }) => /^GET \/v1\/(checkout|payment_intents\/pi_)/.test(hit)).length;
const entries = async () => {
  const rows = await server.services.db
    .selectFrom('ledger_entries')
    .select(['kind', 'amount_micros'])
    .where('organization_id', '=', ada.organizationId)
    .orderBy('position')
    .execute();
  return rows.slice(1).map(({ kind, amount_micros }) => [kind, amount_micros]);
};
const mails = async (): Promise<string[]> => {
  const rows = await server.services.db
    .selectFrom('outbox')
    .select('subject')
    .where('recipient', '=', ada.email)
    .orderBy('position')
    .execute();
  return rows.map(({ subject }) => subject);
};

/** A charge that Stripe has, and that no event has told the end of. */
async function charge(): Promise<StripeServer['intents'][number]> {
  const { attempt } = await setUp();
  await tell('checkout.session.completed', stripe.endPage(attempt, { setup_intent: 'seti_1' }));
  await call(v.unknown(), 'PUT', 'billing/', {
    autopay: { enabled: true, threshold_micros: 5_000_000, amount_micros: 20_000_000 },
  });
  await useUp(server.services.db, ada, 6_000_000, server.services.clock());
  return vi.waitFor(async () => {
    const { provider_id } = await server.services.db
      .selectFrom('payments')
      .select('provider_id')
      .where('organization_id', '=', ada.organizationId)
      .where('kind', '=', 'autopay')
      .executeTakeFirstOrThrow();
    const intent = stripe.intents.find(({ id }) => id === provider_id);
    if (intent === undefined) throw new Error('Not charged yet.');
    return intent;
  }, soon);
}
const CHARGED = [['payment', 20_000_000]];

describe('a charge of autopay whose event does not come', () => {
  it('PAY-09: is asked for after ten minutes, counts by the answer, and an event that comes after all changes nothing', async () => {
    const intent = await charge();
    await ask();
    wait(9);
    await ask();
    expect([asked(), await entries()]).toEqual([0, []]);
    wait(2);
    await ask();
    expect([asked(), await entries(), await balance()]).toEqual([1, CHARGED, 24_000_000]);
    await tell('payment_intent.succeeded', intent);
    wait(60 * 24);
    await ask();
    expect([asked(), await entries()]).toEqual([1, CHARGED]);
    expect((await status()).attempt?.state).toBe('succeeded');
    expect(await proveLedger(server.services.db)).toEqual([]);
  });

  it('PAY-09: is not asked for once its event has come', async () => {
    await tell('payment_intent.succeeded', await charge());
    wait(60);
    await ask();
    expect([asked(), await entries()]).toEqual([0, CHARGED]);
  });

  it('PAY-09: counts once where the event comes as several processes ask', async () => {
    const intent = await charge();
    wait(11);
    await Promise.all([
      ask(),
      tell('payment_intent.succeeded', intent),
      ask(),
      tell('payment_intent.succeeded', intent),
    ]);
    expect([await entries(), await balance()]).toEqual([CHARGED, 24_000_000]);
    expect(asked()).toBeLessThanOrEqual(1);
    expect(await proveLedger(server.services.db)).toEqual([]);
  });

  it('PAY-09: waits while Stripe says that it is under way, and is asked for less and less often', async () => {
    const intent = await charge();
    intent.status = 'processing';
    for (let minute = 0; minute < 24 * 60; minute += 5) {
      wait(5);
      await ask();
    }
    // After 10 minutes, 20, 40 …, then every six hours.
    expect(asked()).toBeGreaterThanOrEqual(7);
    expect(asked()).toBeLessThanOrEqual(10);
    expect([await entries(), await mails()]).toEqual([[], []]);
    intent.status = 'succeeded';
    wait(6 * 60 + 1);
    await ask();
    expect(await entries()).toEqual(CHARGED);
  });

  it('PAY-09: is declined by the answer, once, and tried again by another key later', async () => {
    const intent = await charge();
    Object.assign(intent, {
      status: 'requires_payment_method',
      amount_received: 0,
      last_payment_error: { type: 'card_error', code: 'card_declined', message: 'Insufficient funds.' },
    });
    wait(11);
    await Promise.all([ask(), tell('payment_intent.payment_failed', intent), ask()]);
    expect(await mails()).toEqual(['A payment failed – Parlance']);
    expect((await status()).error).toMatchObject({ message: 'Insufficient funds.', next_try_at: expect.any(String) });
    const tries = await server.services.db
      .selectFrom('payments')
      .select(['attempt', 'state'])
      .where('organization_id', '=', ada.organizationId)
      .where('kind', '=', 'autopay')
      .orderBy('position')
      .execute();
    expect(tries).toEqual([
      { attempt: 1, state: 'failed' },
      { attempt: 2, state: 'due' },
    ]);
  });

  it('PAY-09 PAY-05: its owners are told once Stripe has not said it for half an hour; a reset lets it be asked for soon', async () => {
    const intent = await charge();
    const others = stripe.intents.splice(0);
    wait(11);
    await ask();
    expect(await mails()).toEqual([]);
    for (const minutes of [21, 60]) {
      wait(minutes);
      await ask();
    }
    expect(await mails()).toEqual(['A payment has no answer yet – Parlance']);
    expect(await entries()).toEqual([]);
    stripe.intents.push(...others);
    const before = asked();
    await ask();
    expect(asked()).toBe(before);
    await call(PaymentStatus, 'PUT', 'payment/reset-error/');
    await ask();
    expect([await entries(), (await status()).error]).toEqual([CHARGED, null]);
    expect(intent.status).toBe('succeeded');
  });

  it('PAY-09: counts for nothing where what Stripe has there is another payment', async () => {
    const intent = await charge();
    intent.metadata = { payment_id: randomUUID() };
    wait(11);
    await ask();
    expect([asked(), await entries()]).toEqual([1, []]);
  });
});

describe('a page whose events do not come', () => {
  const answers = async (attempt: string, end?: Parameters<StripeServer['endPage']>[1]) => {
    if (end !== undefined) stripe.endPage(attempt, end);
    wait(7 * 60);
    await ask();
    return stateOf(attempt);
  };

  it('PAY-09 BIL-06: stays open as long as it is, ends as it expires, and counts where somebody paid', async () => {
    const [left, paid] = [await pay(5_000_000), await pay(25_000_000)];
    expect(await answers(left.attempt)).toBe('open');
    expect(await answers(left.attempt, { status: 'expired' })).toBe('canceled');
    const intent = stripe.addIntent(paid.attempt, 2500);
    const session = { payment_status: 'paid', payment_intent: intent } as const;
    expect(await answers(paid.attempt, session)).toBe('succeeded');
    await tell('checkout.session.completed', { ...stripe.endPage(paid.attempt, session), payment_intent: intent.id });
    await tell('payment_intent.succeeded', intent);
    expect(await entries()).toEqual([['payment', 25_000_000]]);
    expect(await balance()).toBe(CREDIT + 25_000_000);
  });

  it('PAY-09 BIL-06: is under way until the bank has said yes or no', async () => {
    const [one, other] = [await pay(5_000_000), await pay(5_000_000)];
    const processing = (id: string) => stripe.addIntent(id, 500, { status: 'processing', amount_received: 0 });
    const [first, second] = [processing(one.attempt), processing(other.attempt)];
    expect(await answers(one.attempt, { payment_intent: first })).toBe('processing');
    expect(await answers(other.attempt, { payment_intent: second })).toBe('processing');
    first.status = 'requires_payment_method';
    expect(await answers(one.attempt)).toBe('failed');
    expect(await answers(other.attempt, { payment_status: 'paid' })).toBe('succeeded');
    expect(await entries()).toEqual([['payment', 5_000_000]]);
  });

  it('PAY-09 BIL-05: stores a method, and an event that comes after it was removed does not bring it back', async () => {
    const { attempt } = await setUp();
    const end = { setup_intent: 'seti_1' };
    expect(await answers(attempt, end)).toBe('succeeded');
    expect((await status()).method?.last4).toBe('4242');
    expect((await call(PaymentStatus, 'POST', 'payment/remove/')).method).toBe(null);
    await tell('checkout.session.completed', stripe.endPage(attempt, end));
    expect((await status()).method).toBe(null);
  });

  it('PAY-09: of the test, before there was Stripe, ends as what it was', async () => {
    const { attempt } = await pay(5_000_000);
    await server.services.db
      .updateTable('payments')
      .set({ page_id: `test_${attempt}` })
      .where('id', '=', attempt)
      .execute();
    expect(await answers(attempt)).toBe('failed');
    expect((await status(attempt)).attempt?.error).toContain('No money was moved');
  });
});

describe('a customer that was deleted at Stripe', () => {
  const customer = async (): Promise<string> => {
    const { customer_id } = await server.services.db
      .selectFrom('accounts')
      .select('customer_id')
      .where('organization_id', '=', ada.organizationId)
      .executeTakeFirstOrThrow();
    return customer_id ?? '';
  };

  it('PAY-10: is made anew, once, by whoever begins a payment; its payment method is gone with it', async () => {
    await charge();
    const before = await customer();
    stripe.deleted.add(before);
    const pages = await Promise.all([pay(5_000_000), pay(5_000_000), setUp()]);
    expect(pages.every(({ url }) => url.startsWith('https://checkout.stripe.com/'))).toBe(true);
    const after = await customer();
    expect(after).not.toBe(before);
    const made = [...stripe.customers].filter(([, one]) => one['metadata[organization_id]'] === ada.organizationId);
    expect(made.map(([id]) => id)).toEqual([before, after]);
    expect((await status()).method).toBe(null);
    await pay(5_000_000);
    expect(await customer()).toBe(after);
    // Of another account of Stripe, say.
    stripe.customers.delete(after);
    await pay(5_000_000);
    expect(await customer()).not.toBe(after);
  });

  it('PAY-10: ends a charge whose answer was lost: what was made is found without the customer, and counts', async () => {
    stripe.mishaps.push({ call: 'POST /v1/payment_intents', goes: 'reset', isDone: true, times: 3 });
    stripe.mishaps.push({ call: 'GET /v1/payment_intents', goes: 500, isDone: false, times: 3 });
    const { length } = stripe.intents;
    const charging = charge();
    await vi.waitFor(() => expect(stripe.intents).toHaveLength(length + 1), soon);
    stripe.deleted.add(await customer());
    const intent = await charging;
    await tell('payment_intent.succeeded', intent);
    expect(await entries()).toEqual(CHARGED);
    expect(stripe.intents).toHaveLength(length + 1);
  });

  it('PAY-10: ends a charge that was not made, and its owners are told', async () => {
    stripe.mishaps.push({ call: 'POST /v1/payment_intents', goes: 'reset', isDone: false, times: 3 });
    stripe.mishaps.push({ call: 'GET /v1/payment_intents', goes: 500, isDone: false, times: 3 });
    void charge().catch(() => undefined);
    await vi.waitFor(
      () => expect(stripe.hits.some(({ call: hit }) => hit === 'POST /v1/payment_intents')).toBe(true),
      soon,
    );
    stripe.deleted.add(await customer());
    await vi.waitFor(
      async () => expect((await status()).error?.message).toContain('no longer has this customer'),
      soon,
    );
    expect(await mails()).toEqual(['A payment failed – Parlance']);
    expect(await entries()).toEqual([]);
  });
});
