/** What Stripe tells by its events. */
import { describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { PaymentHealth } from '#contract/paying.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { Refusal } from '#server/platform/refusal.ts';
import { StripeDriver } from '#server/money/payments/stripe.ts';
import { outcomeOf } from '../../people.ts';
import { paymentsOf } from '../books.ts';
import { CREDIT, OLD, paidSession, SECRET, StripePaying, WEBHOOK } from './stripe-paying.ts';

const paying = new StripePaying();
const { stripe, balance, pay, post, tell, listed } = paying;

describe('events', () => {
  const paid = async (): Promise<object> => stripe.addIntent((await pay(5_000_000)).attempt, 500);

  it('PAY-06: are taken with a signature of either secret, without a session, and once', async () => {
    const intent = await paid();
    for (const secret of [OLD, SECRET]) {
      const { body, signature } = stripe.event('payment_intent.succeeded', intent, {
        secret,
        id: 'evt_same' + paying.ada.userId,
      });
      for (let time = 0; time < 2; time += 1) expect(await outcomeOf(await post(body, signature))).toBe('200');
    }
    expect(await listed()).toEqual([
      ['payment', 5_000_000],
      ['credit', CREDIT],
    ]);
  });

  it('PAY-06: are refused where they are signed by somebody else, changed, too old, from the future, or not signed', async () => {
    const intent = await paid();
    const now = Math.floor(Date.now() / 1000);
    const of = (secret: string, at = now) => stripe.event('payment_intent.succeeded', intent, { secret, at });
    const good = of(SECRET);
    const [other, old, ahead] = [of('whsec_other'), of(SECRET, now - 600), of(SECRET, now + 3600)];
    const refused: [string, string, string | undefined][] = [
      ['another secret', other.body, other.signature],
      ['ten minutes old', old.body, old.signature],
      ['an hour ahead', ahead.body, ahead.signature],
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

  it('PAY-06: signed five minutes ago, or ahead, are taken, and none that is a second further off', async () => {
    const now = 1_780_000_000;
    const driver = new StripeDriver({ secretKey: 'sk_test_1', webhookSecrets: [SECRET] }, () => new Date(now * 1000));
    const outcome = (at: number): Promise<unknown> => {
      const { body, signature } = stripe.event('customer.created', { id: 'cus_1' }, { secret: SECRET, at });
      return driver.read(body, signature).catch((error: unknown) => error);
    };
    for (const sign of [-1, 1]) {
      expect(await outcome(now + sign * 300)).toEqual([]);
      expect(await outcome(now + sign * 301)).toMatchObject({ type: 'signature_invalid' });
    }
  });

  it.each(['sk_test_1', 'rk_live_1'])(
    'PAY-19: of the other mode of Stripe than the key %s are refused',
    async (secretKey) => {
      const driver = new StripeDriver({ secretKey, webhookSecrets: [SECRET] }, () => new Date());
      for (const livemode of [false, true]) {
        const { body, signature } = stripe.event('customer.created', { id: 'cus_1' }, { secret: SECRET, livemode });
        const outcome = await driver.read(body, signature).then(
          () => 'read',
          (error: unknown) => (error instanceof Refusal ? `${error.kind} ${error.type}` : error),
        );
        expect(outcome).toBe(livemode === secretKey.includes('live') ? 'read' : 'invalid livemode_mismatch');
      }
    },
  );

  it('PAY-06: of others, and of kinds that say nothing about money, are taken and change nothing', async () => {
    await tell('customer.created', { id: 'cus_1' });
    await tell('payment_intent.succeeded', { id: 'pi_1', amount_received: 500, metadata: {} });
    expect(await balance()).toBe(CREDIT);
  });

  it('PAY-02 BIL-08: of refunds and disputes are transactions, whether they are won, lost or fail', async () => {
    const intent = await paying.paid(2000);
    const refund = { id: `re_${paying.ada.userId}`, amount: 500, currency: 'usd', payment_intent: intent.id };
    await tell('refund.created', { ...refund, status: 'pending' });
    expect(await balance()).toBe(CREDIT + 15_000_000);
    await tell('refund.updated', { ...refund, status: 'succeeded' });
    expect(await balance()).toBe(CREDIT + 15_000_000);
    await tell('refund.failed', { ...refund, status: 'failed' });
    expect(await balance()).toBe(CREDIT + 20_000_000);
    await tell('refund.updated', { ...refund, id: `re_2_${paying.ada.userId}`, status: 'canceled' });
    expect(await balance()).toBe(CREDIT + 20_000_000);
    const dispute = { id: `dp_${paying.ada.userId}`, amount: 2000, currency: 'usd', payment_intent: intent.id };
    await tell('charge.dispute.created', { ...dispute, status: 'needs_response' });
    await tell('charge.dispute.funds_withdrawn', dispute);
    expect(await balance()).toBe(CREDIT);
    await tell('charge.dispute.closed', { ...dispute, status: 'lost' });
    expect(await balance()).toBe(CREDIT);
    await tell('charge.dispute.funds_reinstated', dispute);
    expect(await listed()).toEqual([
      ['dispute', 20_000_000],
      ['dispute', -20_000_000],
      ...[1, 2].flatMap(() => [
        ['correction', 5_000_000],
        ['refund', -5_000_000],
      ]),
      ['payment', 20_000_000],
      ['credit', CREDIT],
    ]);
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('PAY-06: a call says that they are taken and that Stripe answers, which is asked every half minute at most', async () => {
    const health = () => fetch(`${paying.server.url}${WEBHOOK}health_check_service_result`);
    const ok = async () =>
      expect(v.parse(PaymentHealth, await (await health()).json())).toMatchObject({ mode: 'stripe', status: 'ok' });
    const asked = () => paying.hitsOf('GET /v1/payment_intents').length;
    paying.wait(1);
    for (let time = 0; time < 3; time += 1) await ok();
    expect(asked()).toBe(1);
    stripe.mishaps.push({ call: 'GET /v1/payment_intents', goes: 401, isDone: false, times: 1 });
    await ok();
    paying.wait(1);
    for (let time = 0; time < 3; time += 1) expect(await outcomeOf(await health())).toBe('503 payment_unavailable');
    paying.wait(1);
    await ok();
    expect(asked()).toBe(3);
  });

  it('PAY-06: a call says which of them Stripe does not tell this server of, and what the key may not read', async () => {
    const endpoint = async () => {
      paying.wait(1);
      const health = await fetch(`${paying.server.url}${WEBHOOK}health_check_service_result`);
      return v.parse(PaymentHealth, await health.json()).endpoint;
    };
    const none = { missing_events: [], api_version: null, missing_rights: [] };
    stripe.forbidden.add('disputes');
    const rights = ['disputes', 'webhook_endpoints'];
    expect(await endpoint()).toEqual({ ...none, status: 'unknown', missing_rights: rights });
    const own = {
      id: 'we_1',
      status: 'enabled',
      url: `${paying.server.services.publicUrl()}${WEBHOOK}`,
      api_version: null,
    };
    stripe.endpoints = [{ ...own, url: 'https://example.com/', enabled_events: ['*'] }];
    stripe.forbidden.add('refunds');
    expect(await endpoint()).toEqual({ ...none, status: 'missing', missing_rights: ['refunds', 'disputes'] });
    stripe.forbidden.clear();
    const old = [
      'charge.refunded',
      'charge.refund.updated',
      'payment_intent.succeeded',
      'payment_intent.payment_failed',
    ];
    const session = ['completed', 'expired', 'async_payment_succeeded', 'async_payment_failed'];
    const enabled_events = [...old, ...session.map((name) => `checkout.session.${name}`), 'charge.dispute.created'];
    stripe.endpoints.push({ ...own, enabled_events, api_version: '2020-08-27' });
    const missing_events = ['funds_withdrawn', 'funds_reinstated', 'closed'].map((name) => `charge.dispute.${name}`);
    expect(await endpoint()).toEqual({ ...none, status: 'incomplete', missing_events, api_version: '2020-08-27' });
    stripe.endpoints = [{ ...own, enabled_events: ['*'] }];
    expect(await endpoint()).toEqual({ ...none, status: 'ok' });
  });

  it('PAY-06: of refunds count once, by whatever name a version of the API tells of them', async () => {
    const intent = await paying.paid(2000);
    const charge = `ch_${intent.id}`;
    const back = (id: string, amount: number, status: string) => ({
      ...{ id: `${id}_${intent.id}`, amount, status, charge, currency: 'usd', payment_intent: intent.id },
      created: Math.floor(Date.now() / 1000),
    });
    stripe.refunds.push(back('re_1', 500, 'succeeded'), back('re_2', 300, 'succeeded'), back('re_3', 100, 'pending'));
    for (let time = 0; time < 2; time += 1) await tell('charge.refunded', { id: charge, object: 'charge' });
    await tell('refund.updated', back('re_1', 500, 'succeeded'));
    await tell('charge.refund.updated', back('re_2', 300, 'failed'));
    expect((await paying.entries()).slice(1)).toEqual([
      ['refund', -5_000_000],
      ['refund', -3_000_000],
      ['refund', -1_000_000],
      ['correction', 3_000_000],
    ]);
  });

  const TAKEN = ['dispute', -20_000_000];
  it.each([
    ['is asked for', false, [TAKEN, ['dispute', 8_000_000], ['fee', -15_000_000]]],
    ['is what it is about where the key may not ask', true, [TAKEN, ['dispute', 20_000_000]]],
  ])('PAY-14: that do not say what has moved for a dispute, which then %s', async (_what, isForbidden, moved) => {
    if (isForbidden) stripe.forbidden.add('disputes');
    const intent = await paying.paid(2000);
    const dispute = { id: `dp_${intent.id}`, amount: 2000, currency: 'usd', payment_intent: intent.id, created: 0 };
    const balance_transactions = [
      { amount: -2000, fee: 1500, currency: 'usd' },
      { amount: 800, fee: 0, currency: 'usd' },
    ];
    stripe.disputes.push({ ...dispute, balance_transactions });
    await tell('charge.dispute.funds_reinstated', dispute);
    await tell('charge.dispute.funds_withdrawn', dispute);
    expect((await paying.entries()).slice(1)).toEqual(moved);
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it.each([
    ['warning_closed', undefined],
    ['lost', 'disputed'],
  ])('PAY-02: of a dispute hold autopay from the question of its bank on; %s leaves %s', async (end, left) => {
    await paying.setUp();
    await paying.autopay(true);
    const intent = await paying.paid(2000);
    const dispute = { id: `dp_${intent.id}`, amount: 2000, currency: 'usd', payment_intent: intent.id };
    await tell('charge.dispute.created', { ...dispute, status: 'warning_needs_response' });
    expect((await paying.status()).error?.why).toBe('disputed');
    expect(await paying.entries()).toEqual([['payment', 20_000_000]]);
    await tell('charge.dispute.closed', { ...dispute, status: end });
    expect((await paying.status()).error?.why).toBe(left);
  });

  it('PAY-02: of a dispute that is won charge nothing before the money is back', async () => {
    await paying.setUp();
    await paying.autopay(true);
    const intent = await paying.paid(2000);
    const dispute = { id: `dp_${intent.id}`, amount: 2000, currency: 'usd', payment_intent: intent.id };
    await paying.use(8_000_000);
    await tell('charge.dispute.funds_withdrawn', dispute);
    await tell('charge.dispute.closed', { ...dispute, status: 'won' });
    expect(await paying.tries()).toEqual([]);
    await tell('charge.dispute.funds_reinstated', dispute);
    expect([(await paying.status()).error, await paying.tries()]).toEqual([null, []]);
  });

  it('PAY-02: of money that a bank takes hold autopay again where its question was reset', async () => {
    await paying.setUp();
    await paying.autopay(true);
    const intent = await paying.paid(2000);
    const dispute = { id: `dp_${intent.id}`, amount: 2000, currency: 'usd', payment_intent: intent.id };
    await paying.use(8_000_000);
    await tell('charge.dispute.created', { ...dispute, status: 'warning_needs_response' });
    await paying.resetError();
    await tell('charge.dispute.created', { ...dispute, status: 'warning_needs_response' });
    expect((await paying.status()).error).toBe(null);
    await tell('charge.dispute.funds_withdrawn', dispute);
    expect((await paying.status()).error?.why).toBe('disputed');
    expect(await paying.tries()).toEqual([]);
  });
});

describe('what a payment was paid with', () => {
  const told = async (attempt: string) => {
    const row = (await paymentsOf(paying.db, paying.ada.organizationId)).find(({ id }) => id === attempt);
    return [row?.state, row?.paid_brand, row?.paid_last4];
  };
  const paid = async (): Promise<[attempt: string, intent: Awaited<ReturnType<typeof paying.paid>>]> => {
    const { attempt } = await pay(5_000_000);
    return [attempt, stripe.addIntent(attempt, 500, { latest_charge: 'ch_1' })];
  };

  it.each([
    [{ type: 'card', card: { brand: 'visa', last4: '4242' } }, 'Visa', '4242'],
    [{ type: 'card', card: { brand: 'amex', last4: '0005' } }, 'American Express', '0005'],
    [{ type: 'us_bank_account', us_bank_account: { last4: '6789' } }, 'Bank account', '6789'],
    [{ type: 'customer_balance' }, 'Bank transfer', ''],
    [{ type: 'link' }, 'Link', ''],
  ])('PAY-07: is stored with it, whichever event comes first: %o', async (details, brand, last4) => {
    stripe.charges = { ch_1: details };
    const [one, intent] = await paid();
    await tell('payment_intent.succeeded', intent);
    expect(await told(one)).toEqual(['succeeded', brand, last4]);
    const [other, { id }] = await paid();
    await tell('checkout.session.completed', paidSession(other, 500, id));
    expect(await told(other)).toEqual(['succeeded', brand, last4]);
  });

  it('PAY-07: is left out where Stripe does not tell; the payment counts', async () => {
    stripe.charges = { ch_1: { type: 'link' } };
    stripe.mishaps.push({ call: 'GET /v1/charges', goes: 403, isDone: false, times: 1 });
    const [one, intent] = await paid();
    await tell('payment_intent.succeeded', intent);
    expect(await told(one)).toEqual(['succeeded', null, null]);
  });
});
