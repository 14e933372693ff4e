/** Payments by Stripe, against a server that speaks the calls that are used: see `stripe-server.ts`. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import * as v from 'valibot';
import { BillingOverview, HostedPage, PaymentHealth, PaymentStatus, TransactionPage } from '#contract/billing.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { StripeDriver } from '#server/money/payments/stripe.ts';
import { startTestServer, type TestServer, type TestUser } from '../harness.ts';
import { outcomeOf } from './people.ts';
import { StripeServer, type Mishap } from './stripe-server.ts';
import { useUp } from './usage.ts';

const CREDIT = 10_000_000;
const [SECRET, OLD] = ['whsec_new', 'whsec_old'];
const PATH = '/api/v2/stripe/webhook/';

const stripe = new StripeServer();
let server: TestServer;
let ada: TestUser;
beforeAll(async () => {
  const address = await stripe.listen();
  server = await startTestServer({
    env: { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRETS: `${SECRET},${OLD}` },
    payments: ({ config, clock }) => {
      if (config.stripe === undefined) throw new Error('Stripe is not set up.');
      return new StripeDriver(config.stripe, clock, { ...address, timeout: 400 });
    },
  });
});
afterAll(async () => {
  await server.close();
  stripe.close();
});
beforeEach(async () => {
  stripe.reset();
  ada = await server.createUser();
});

const soon = { timeout: 30_000, interval: 20 };
const own = (path: string): string => `/api/v2/organizations/${ada.organizationId}/${path}`;
async function ask<const S extends v.GenericSchema>(schema: S, method: string, path: string, body?: unknown) {
  return v.parse(schema, await (await server.call(ada, method, own(path), body)).json());
}
const status = (attempt?: string) =>
  ask(PaymentStatus, 'GET', `payment/status/${attempt === undefined ? '' : `?attempt=${attempt}`}`);
const balance = async (): Promise<number> => (await ask(BillingOverview, 'GET', 'billing/overview/')).balance_micros;
const transactions = async () =>
  (await ask(TransactionPage, 'GET', 'billing/transactions/')).transactions.map(({ kind, amount_micros }) => [
    kind,
    amount_micros,
  ]);
const use = (micros: number): Promise<string> => useUp(server.services.db, ada, micros, server.services.clock());
/** As Stripe does: no session, no token of a page. */
const post = (body: string, signature?: string): Promise<Response> =>
  fetch(server.url + PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(signature !== undefined && { 'stripe-signature': signature }) },
    body,
  });
type Type = Parameters<StripeServer['event']>[0];
async function tell(type: Type, object: object, id?: string): Promise<void> {
  const { body, signature } = stripe.event(type, object, { secret: SECRET, ...(id !== undefined && { id }) });
  expect(await outcomeOf(await post(body, signature))).toBe('200');
}
const pay = async (amount_micros: number): Promise<HostedPage> =>
  ask(HostedPage, 'POST', 'payment/', { attempt: randomUUID(), amount_micros });
const setUp = async (method = 'pm_ok'): Promise<void> => {
  const { attempt } = await ask(HostedPage, 'POST', 'payment/setup/', { attempt: randomUUID() });
  stripe.stores = method;
  await tell('checkout.session.completed', setupSession(attempt));
};
const setupSession = (attempt: string): object => ({
  object: 'checkout.session',
  mode: 'setup',
  setup_intent: 'seti_1',
  metadata: { payment_id: attempt },
});
const paidSession = (attempt: string, cents: number, intent: string): object => ({
  object: 'checkout.session',
  mode: 'payment',
  payment_status: 'paid',
  amount_total: cents,
  currency: 'usd',
  payment_intent: intent,
  metadata: { payment_id: attempt },
});
const autopay = (): Promise<Response> =>
  server.call(ada, 'PUT', own('billing/'), {
    autopay: { enabled: true, threshold_micros: 5_000_000, amount_micros: 20_000_000 },
  });
/** Charges of this organization that Stripe has. */
const intents = async () => {
  const rows = await server.services.db
    .selectFrom('payments')
    .select('id')
    .where('organization_id', '=', ada.organizationId)
    .execute();
  return stripe.intents.filter(({ metadata }) => rows.some(({ id }) => id === metadata['payment_id']));
};
const charged = () => vi.waitFor(async () => expect(await intents()).toHaveLength(1), soon);
const hitsOf = (call: string) => stripe.hits.filter((hit) => hit.call === call);

describe("Stripe's pages", () => {
  it('PAY-01 BIL-05: are opened for one customer of each organization, by the version that the library knows', async () => {
    const { url, attempt } = await pay(25_000_000);
    expect(url).toMatch(/^https:\/\/checkout\.stripe\.com\//);
    const created = hitsOf('POST /v1/customers');
    expect(created.map(({ params, key }) => [Object.fromEntries(params), key])).toEqual([
      [{ 'metadata[organization_id]': ada.organizationId }, `customer:${ada.organizationId}`],
    ]);
    const [session] = hitsOf('POST /v1/checkout/sessions');
    expect([session?.key, session?.version]).toEqual([`page:${attempt}`, '2026-10-28.endive']);
    const back = `${server.url}/org/${ada.organizationId}/billing/overview/?attempt=${attempt}`;
    expect(Object.fromEntries(session?.params ?? [])).toMatchObject({
      mode: 'payment',
      success_url: back,
      cancel_url: back,
      'metadata[payment_id]': attempt,
      'line_items[0][price_data][unit_amount]': '2500',
      'line_items[0][price_data][currency]': 'usd',
      'payment_intent_data[metadata][payment_id]': attempt,
    });
    await setUp();
    expect(hitsOf('POST /v1/customers')).toHaveLength(1);
    expect(stripe.customers.get(session?.params.get('customer') ?? '')).toMatchObject({
      email: ada.email,
      name: 'Test organization',
    });
  });

  it('PAY-01: take another customer, and none of its methods, where the one there is was of the test', async () => {
    const before = {
      customer_id: `test_${ada.organizationId}`,
      method_id: 'test_4242424242424242',
      method_brand: 'Visa',
      method_last4: '4242',
      autopay_enabled: true,
    };
    await server.services.db
      .updateTable('accounts')
      .set(before)
      .where('organization_id', '=', ada.organizationId)
      .execute();
    await pay(5_000_000);
    expect((await status()).method).toBe(null);
    const { customer_id } = await server.services.db
      .selectFrom('accounts')
      .select('customer_id')
      .where('organization_id', '=', ada.organizationId)
      .executeTakeFirstOrThrow();
    expect(customer_id).toMatch(/^cus_/);
  });

  it.each<[Mishap['goes'], boolean]>([
    [500, true],
    ['reset', true],
    ['silent', true],
    [409, false],
    [429, false],
  ])('BIL-06: after %s (done: %s), the same attempt leads to one page of one customer', async (goes, isDone) => {
    const attempt = randomUUID();
    for (const call of ['POST /v1/customers', 'POST /v1/checkout/sessions'])
      stripe.mishaps.push({ call, goes, isDone, times: 3 });
    const begin = () => server.call(ada, 'POST', own('payment/'), { attempt, amount_micros: 5_000_000 });
    expect(await outcomeOf(await begin())).toBe('503 payment_unavailable');
    stripe.mishaps.length = 0;
    const { url } = v.parse(HostedPage, await (await begin()).json());
    expect(v.parse(HostedPage, await (await begin()).json()).url).toBe(url);
    expect(
      [...stripe.customers.values()].filter((one) => one['metadata[organization_id]'] === ada.organizationId),
    ).toHaveLength(1);
  });

  it('PAY-02 BIL-06: count by the event alone, before or after the visitor is back', async () => {
    const first = await pay(25_000_000);
    // The visitor is back.
    expect((await status(first.attempt)).attempt?.state).toBe('open');
    expect(await balance()).toBe(CREDIT);
    const intent = stripe.addIntent(first.attempt, 2500);
    await tell('checkout.session.completed', paidSession(first.attempt, 2500, intent.id));
    await tell('payment_intent.succeeded', intent);
    expect((await status(first.attempt)).attempt?.state).toBe('succeeded');

    const second = await pay(5_000_000);
    await tell('payment_intent.succeeded', stripe.addIntent(second.attempt, 500));
    expect((await status(second.attempt)).attempt?.state).toBe('succeeded');
    expect(await balance()).toBe(CREDIT + 30_000_000);

    // On the page, another card may be tried after one that was declined.
    const tried = await pay(5_000_000);
    await tell('payment_intent.payment_failed', {
      ...stripe.addIntent(tried.attempt, 500, { status: 'requires_payment_method', amount_received: 0 }),
      metadata: { payment_id: tried.attempt, kind: 'payment' },
    });
    expect((await status(tried.attempt)).attempt?.state).toBe('open');
    const third = await pay(5_000_000);
    await tell('checkout.session.expired', { metadata: { payment_id: third.attempt } });
    expect((await status(third.attempt)).attempt?.state).toBe('canceled');
    const fourth = await pay(5_000_000);
    await tell('checkout.session.completed', { ...paidSession(fourth.attempt, 500, 'pi_4'), payment_status: 'unpaid' });
    expect((await status(fourth.attempt)).attempt?.state).toBe('processing');
    await tell('checkout.session.async_payment_failed', paidSession(fourth.attempt, 500, 'pi_4'));
    expect((await status(fourth.attempt)).attempt?.state).toBe('failed');
    expect(await balance()).toBe(CREDIT + 30_000_000);
    expect(await proveLedger(server.services.db)).toEqual([]);
  });

  it('PAY-02 BIL-05: an event about a method is told again where Stripe did not say which', async () => {
    const { attempt } = await ask(HostedPage, 'POST', 'payment/setup/', { attempt: randomUUID() });
    stripe.mishaps.push({ call: 'GET /v1/setup_intents', goes: 500, isDone: false, times: 3 });
    const { body, signature } = stripe.event('checkout.session.completed', setupSession(attempt), { secret: SECRET });
    expect(await outcomeOf(await post(body, signature))).toBe('503 payment_unavailable');
    expect(await outcomeOf(await post(body, signature))).toBe('200');
    expect((await status()).method).toEqual({ brand: 'visa', last4: '4242', expires_month: 11, expires_year: 2031 });
    expect((await ask(PaymentStatus, 'POST', 'payment/remove/')).method).toBe(null);
    expect(hitsOf('POST /v1/payment_methods/pm_ok/detach')).toHaveLength(1);
  });
});

describe('events', () => {
  const paid = async (): Promise<object> => stripe.addIntent((await pay(5_000_000)).attempt, 500);

  it('PAY-06: are taken with a signature of either secret, without a session, and once', async () => {
    const intent = await paid();
    for (const secret of [OLD, SECRET]) {
      const { body, signature } = stripe.event('payment_intent.succeeded', intent, {
        secret,
        id: 'evt_same' + ada.userId,
      });
      for (let time = 0; time < 2; time += 1) expect(await outcomeOf(await post(body, signature))).toBe('200');
    }
    expect(await transactions()).toEqual([
      ['payment', 5_000_000],
      ['credit', CREDIT],
    ]);
  });

  it('PAY-06: are refused where they are signed by somebody else, changed, too old, from the future, or not signed', async () => {
    const intent = await paid();
    const now = Math.floor(Date.now() / 1000);
    const of = (secret: string, at = now) => stripe.event('payment_intent.succeeded', intent, { secret, at });
    const good = of(SECRET);
    const refused: [string, string, string | undefined][] = [
      ['another secret', of('whsec_other').body, of('whsec_other').signature],
      ['ten minutes old', of(SECRET, now - 600).body, of(SECRET, now - 600).signature],
      ['an hour ahead', of(SECRET, now + 3600).body, of(SECRET, now + 3600).signature],
      ['another amount', good.body.replaceAll('500', '50000'), good.signature],
      ['a blank more', `${good.body} `, good.signature],
      ['no signature', good.body, undefined],
      ['no time', good.body, good.signature.replace(/^t=\d+,/, '')],
      ['two times', good.body, `t=${now + 3600},${good.signature}`],
      ['nonsense', good.body, 'v1=x'],
      ['nothing', '', good.signature],
    ];
    for (const [what, body, signature] of refused)
      expect([what, await outcomeOf(await post(body, signature))]).toEqual([what, '400 signature_invalid']);
    expect(await balance()).toBe(CREDIT);
    expect(await outcomeOf(await post('x'.repeat(1_100_000), good.signature))).toBe('413 request_too_large');
  });

  it('PAY-06: of others, and of kinds that say nothing about money, are taken and change nothing', async () => {
    await tell('customer.created', { id: 'cus_1' });
    await tell('payment_intent.succeeded', { id: 'pi_1', amount_received: 500, metadata: {} });
    await tell('payment_intent.succeeded', stripe.addIntent(randomUUID(), 500));
    expect(await balance()).toBe(CREDIT);
  });

  it('PAY-02 BIL-08: of refunds and disputes are transactions, whether they are won, lost or fail', async () => {
    const intent = stripe.addIntent((await pay(20_000_000)).attempt, 2000);
    await tell('payment_intent.succeeded', intent);
    const refund = { id: `re_${ada.userId}`, amount: 500, payment_intent: intent.id };
    await tell('refund.created', { ...refund, status: 'pending' });
    expect(await balance()).toBe(CREDIT + 20_000_000);
    await tell('refund.updated', { ...refund, status: 'succeeded' });
    expect(await balance()).toBe(CREDIT + 15_000_000);
    await tell('refund.failed', { ...refund, status: 'failed' });
    expect(await balance()).toBe(CREDIT + 20_000_000);
    await tell('refund.updated', { ...refund, id: `re_2_${ada.userId}`, status: 'canceled' });
    expect(await balance()).toBe(CREDIT + 20_000_000);
    const dispute = { id: `dp_${ada.userId}`, amount: 2000, payment_intent: intent.id };
    await tell('charge.dispute.created', { ...dispute, status: 'needs_response' });
    await tell('charge.dispute.funds_withdrawn', dispute);
    expect(await balance()).toBe(CREDIT);
    await tell('charge.dispute.closed', { ...dispute, status: 'lost' });
    expect(await balance()).toBe(CREDIT);
    await tell('charge.dispute.funds_reinstated', dispute);
    expect(await transactions()).toEqual([
      ['dispute', 20_000_000],
      ['dispute', -20_000_000],
      ...[1, 2].flatMap(() => [
        ['correction', 5_000_000],
        ['refund', -5_000_000],
      ]),
      ['payment', 20_000_000],
      ['credit', CREDIT],
    ]);
    expect(await proveLedger(server.services.db)).toEqual([]);
  });

  it('PAY-06: a call says that they are taken', async () => {
    const answer = await fetch(`${server.url}${PATH}health_check_service_result`);
    expect(v.parse(PaymentHealth, await answer.json())).toEqual({ mode: 'stripe', status: 'ok' });
  });
});

describe('charges of autopay', () => {
  it('PAY-03: are off the session, by a key of their own, and count by the event', async () => {
    await setUp();
    await autopay();
    await use(6_000_000);
    await charged();
    const [hit] = hitsOf('POST /v1/payment_intents');
    expect([hit?.key, Object.fromEntries(hit?.params ?? [])]).toEqual([
      `autopay:${ada.organizationId}:1:1`,
      expect.objectContaining({
        amount: '2000',
        currency: 'usd',
        confirm: 'true',
        off_session: 'true',
        payment_method: 'pm_ok',
      }),
    ]);
    expect(await balance()).toBe(4_000_000);
    const [intent] = await intents();
    await tell('payment_intent.succeeded', intent ?? {});
    expect(await balance()).toBe(24_000_000);
    expect(await proveLedger(server.services.db)).toEqual([]);
  });

  it.each<[Mishap['goes'], boolean, number]>([
    [500, true, 3],
    [500, false, 4],
    ['reset', true, 3],
    ['reset', false, 1],
    ['silent', true, 3],
    [409, false, 2],
    [429, false, 2],
  ])('PAY-05: after %s (done: %s, %i times) there is one charge', async (goes, isDone, times) => {
    await setUp();
    await autopay();
    stripe.mishaps.push({ call: 'POST /v1/payment_intents', goes, isDone, times });
    await use(6_000_000);
    await vi.waitFor(async () => {
      const { provider_id } = await server.services.db
        .selectFrom('payments')
        .select('provider_id')
        .where('organization_id', '=', ada.organizationId)
        .where('kind', '=', 'autopay')
        .executeTakeFirstOrThrow();
      expect(provider_id).toMatch(/^pi_/);
    }, soon);
    expect(await intents()).toHaveLength(1);
    expect(new Set(hitsOf('POST /v1/payment_intents').map(({ key }) => key)).size).toBe(1);
  });

  it.each([
    ['pm_declined', 'Your card was declined.'],
    ['pm_confirm', 'The payment method needs a confirmation by its owner.'],
    ['pm_gone', 'The payment method can no longer be used.'],
  ])('PAY-04: by %s are declined: %s', async (method, message) => {
    await setUp(method);
    await autopay();
    await use(6_000_000);
    await vi.waitFor(
      async () => expect((await status()).error).toMatchObject({ message, next_try_at: expect.any(String) }),
      soon,
    );
    // The event that tells it, too, changes nothing more.
    for (const intent of await intents()) await tell('payment_intent.payment_failed', intent);
    expect((await status()).error).toMatchObject({ message });
    const letters = await server.services.db
      .selectFrom('outbox')
      .select('id')
      .where('recipient', '=', ada.email)
      .execute();
    expect(letters).toHaveLength(1);
    expect(await balance()).toBe(4_000_000);
  });

  it('PAY-05: a decline whose answer was lost is found at Stripe', async () => {
    await setUp('pm_declined');
    await autopay();
    stripe.mishaps.push({ call: 'POST /v1/payment_intents', goes: 'reset', isDone: true, times: 3 });
    await use(6_000_000);
    await vi.waitFor(async () => expect((await status()).error?.message).toBe('Your card was declined.'), soon);
    expect(hitsOf('GET /v1/payment_intents')).toHaveLength(1);
    expect(await intents()).toHaveLength(1);
  });
});
