/** Pages of Stripe, and charges by it, against a server that speaks the calls that are used: see `stripe-server.ts`. */
import { randomUUID } from 'node:crypto';
import { accountOf } from '../books.ts';
import { describe, expect, it, vi } from 'vitest';
import { PaymentStatus, type HostedPage } from '#contract/paying.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { PaymentUnavailable } from '#server/money/payments/port.ts';
import { runCommand } from '#server/app/admin/commands.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { outcomeOf } from '../../people.ts';
import { CREDIT, SECRET, StripePaying, paidSession, setupSession, soon } from './stripe-paying.ts';
import { declined, type Mishap } from './stripe-server.ts';

const paying = new StripePaying();
const { stripe, ask, status, balance, pay, beginSetUp, setUp, cross, charge, post, tell, hitsOf, intents, call } =
  paying;
type Failed = Awaited<ReturnType<typeof charge>>;
const stateOf = async ({ attempt }: HostedPage) => (await status(attempt)).attempt?.state;

describe("Stripe's pages", () => {
  it('PAY-01 BIL-05: are opened for one customer of each organization, by the version that the library knows', async () => {
    const { url, attempt } = await pay(25_000_000);
    expect(url).toMatch(/^https:\/\/checkout\.stripe\.com\//);
    const created = hitsOf('POST /v1/customers');
    expect(created.map(({ params, key }) => [Object.fromEntries(params), key])).toEqual([
      [{ 'metadata[organization_id]': paying.ada.organizationId }, `customer:${paying.ada.organizationId}`],
    ]);
    const [session] = hitsOf('POST /v1/checkout/sessions');
    expect([session?.key, session?.version]).toEqual([`page:${attempt}`, '2026-10-28.endive']);
    const back = `${paying.server.url}/org/${paying.ada.organizationId}/billing/overview/?attempt=${attempt}`;
    expect(Object.fromEntries(session?.params ?? [])).toMatchObject({
      mode: 'payment',
      success_url: back,
      cancel_url: back,
      'metadata[payment_id]': attempt,
      'line_items[0][price_data][unit_amount]': '2500',
      'line_items[0][price_data][currency]': 'usd',
      'payment_intent_data[metadata][payment_id]': attempt,
      // Else Stripe may take another currency than the one that was asked for.
      'adaptive_pricing[enabled]': 'false',
    });
    await setUp();
    expect(hitsOf('POST /v1/customers')).toHaveLength(1);
    expect(stripe.customers.get(session?.params.get('customer') ?? '')).toMatchObject({
      email: paying.ada.email,
      name: 'Test organization',
    });
  });

  it('PAY-01: take another customer, and none of its methods, where the one there is was of the test', async () => {
    await paying.setAccount({
      customer_id: `test_${paying.ada.organizationId}`,
      method_id: 'test_4242424242424242',
      method_brand: 'Visa',
      method_last4: '4242',
      autopay_enabled: true,
    });
    await pay(5_000_000);
    expect((await status()).method).toBe(null);
    expect(await paying.customer()).toMatch(/^cus_/);
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
    const begun = await call('POST', 'payment/', { attempt, amount_micros: 5_000_000 });
    expect(await outcomeOf(begun)).toBe('503 payment_unavailable');
    stripe.mishaps.length = 0;
    const page = await paying.begin(5_000_000, attempt);
    expect(await paying.begin(5_000_000, attempt)).toEqual(page);
    expect(
      [...stripe.customers.values()].filter((one) => one['metadata[organization_id]'] === paying.ada.organizationId),
    ).toHaveLength(1);
  });

  it('BIL-06: are one for an attempt, whether it is written in capitals or not, by one name in the books', async () => {
    const attempt = randomUUID();
    const page = await paying.begin(5_000_000, attempt.toUpperCase());
    expect(await paying.begin(5_000_000, attempt)).toEqual(page);
    expect(new Set(hitsOf('POST /v1/checkout/sessions').map(({ key }) => key))).toEqual(new Set([`page:${attempt}`]));
    // As a version before has named it at Stripe.
    const intent = stripe.addIntent(attempt.toUpperCase(), 500);
    await tell('payment_intent.succeeded', intent);
    await tell('payment_intent.succeeded', { ...intent, metadata: { payment_id: attempt } });
    expect([await stateOf(page), await balance()]).toEqual(['succeeded', CREDIT + 5_000_000]);
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('PAY-02 BIL-06: count by the event alone, before or after the visitor is back', async () => {
    const first = await pay(25_000_000);
    // The visitor is back.
    expect([await stateOf(first), await balance()]).toEqual(['open', CREDIT]);
    const intent = stripe.addIntent(first.attempt, 2500);
    await tell('checkout.session.completed', paidSession(first.attempt, 2500, intent.id));
    await tell('payment_intent.succeeded', intent);
    expect(await stateOf(first)).toBe('succeeded');

    const second = await pay(5_000_000);
    await tell('payment_intent.succeeded', stripe.addIntent(second.attempt, 500));
    expect([await stateOf(second), await balance()]).toEqual(['succeeded', CREDIT + 30_000_000]);

    // On the page, another card may be tried after one that was declined.
    const tried = await pay(5_000_000);
    await tell('payment_intent.payment_failed', stripe.addIntent(tried.attempt, 500, declined('No.')));
    expect(await stateOf(tried)).toBe('open');
    const third = await pay(5_000_000);
    await tell('checkout.session.expired', { metadata: { payment_id: third.attempt } });
    expect(await stateOf(third)).toBe('canceled');
    const fourth = await pay(5_000_000);
    const session = paidSession(fourth.attempt, 500, 'pi_4');
    await tell('checkout.session.completed', { ...session, payment_status: 'unpaid' });
    expect(await stateOf(fourth)).toBe('processing');
    await tell('checkout.session.async_payment_failed', session);
    expect(await stateOf(fourth)).toBe('failed');
    expect(await balance()).toBe(CREDIT + 30_000_000);
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('PAY-02 BIL-05: an event about a method is told again where Stripe did not say which', async () => {
    const { attempt } = await beginSetUp();
    stripe.mishaps.push({ call: 'GET /v1/setup_intents', goes: 500, isDone: false, times: 3 });
    const { body, signature } = stripe.event('checkout.session.completed', setupSession(attempt), { secret: SECRET });
    expect(await outcomeOf(await post(body, signature))).toBe('503 payment_unavailable');
    expect(await outcomeOf(await post(body, signature))).toBe('200');
    expect((await status()).method).toEqual({ brand: 'visa', last4: '4242', expires_month: 11, expires_year: 2031 });
    expect((await ask(PaymentStatus, 'POST', 'payment/remove/')).method).toBe(null);
    expect(hitsOf('POST /v1/payment_methods/pm_ok/detach')).toHaveLength(1);
  });

  it('BIL-05: a bank account is known by its last digits', async () => {
    stripe.stores = 'pm_bank';
    await tell('checkout.session.completed', setupSession((await beginSetUp()).attempt));
    expect((await status()).method).toMatchObject({ brand: 'us bank account', last4: '6789' });
  });
});

describe('charges of autopay', () => {
  it('PAY-03: are off the session, by a key of their own, and count by the event', async () => {
    const intent = await charge();
    const [hit] = hitsOf('POST /v1/payment_intents');
    expect([hit?.key, Object.fromEntries(hit?.params ?? [])]).toEqual([
      expect.stringMatching(new RegExp(`^autopay:${paying.ada.organizationId}:1:1:0:\\w{8}$`)),
      expect.objectContaining({
        return_url: `${paying.server.url}/org/${paying.ada.organizationId}/billing/overview/`,
        amount: '2000',
        currency: 'usd',
        confirm: 'true',
        off_session: 'true',
        payment_method: 'pm_ok',
      }),
    ]);
    expect(await balance()).toBe(4_000_000);
    await tell('payment_intent.succeeded', intent);
    expect(await balance()).toBe(24_000_000);
    expect(await proveLedger(paying.db)).toEqual([]);
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
    stripe.mishaps.push({ call: 'POST /v1/payment_intents', goes, isDone, times });
    await charge();
    expect(await intents()).toHaveLength(1);
    expect(new Set(hitsOf('POST /v1/payment_intents').map(({ key }) => key)).size).toBe(1);
  });

  it.each([
    ['pm_declined', 'Your card was declined.'],
    ['pm_confirm', 'The payment method needs a confirmation by its owner.'],
    ['pm_gone', 'The payment method can no longer be used.'],
    ['pm_detached', 'The payment method can no longer be used.'],
  ])('PAY-04: by %s are declined: %s', async (method, message) => {
    await cross(method);
    await vi.waitFor(
      async () => expect((await status()).error).toMatchObject({ message, next_try_at: expect.any(String) }),
      soon,
    );
    // The event that tells it, too, changes nothing more.
    for (const intent of await intents()) await tell('payment_intent.payment_failed', intent);
    expect((await status()).error).toMatchObject({ message });
    expect(await paying.mails()).toHaveLength(1);
    expect(await balance()).toBe(4_000_000);
  });

  it.each([
    [{ code: 'amount_too_large', message: 'Amount must be no more than $999,999.99.' }],
    [{ message: 'Your account cannot currently make live charges.' }],
    [{ message: 'The provided key does not have the required permissions.', status: 403 as const }],
    [{ message: 'Expired API Key provided.', status: 401 as const }],
  ])('PAY-17: that Stripe takes from nobody wait for the operator, by another key: %o', async (refuses) => {
    stripe.refuses = refuses;
    await cross();
    const refused = () =>
      vi.waitFor(async () => {
        const [row] = await paying.tries();
        if (row?.refusal == null || row.state !== 'due') throw new Error('Not refused yet.');
        return row;
      }, soon);
    const { id, refusal } = await refused();
    expect(refusal).toContain(refuses.message);
    expect([(await status()).error, await paying.mails()]).toEqual([null, []]);
    // It is not money on its way.
    await paying.use(4_000_000);
    expect((await paying.overview()).is_exhausted).toBe(true);
    const { text } = await runCommand({ ...paying.server.services, limitDefaults: LIMIT_DEFAULTS }, ['books', 'check']);
    expect(text).toContain(`${id}: a charge of 20 USD that the payment provider does not take (${refusal})`);
    stripe.refuses = undefined;
    paying.wait(11);
    const intent = await paying.confirmed();
    expect(new Set(hitsOf('POST /v1/payment_intents').map(({ key }) => key)).size).toBe(2);
    await tell('payment_intent.succeeded', intent);
    expect(await balance()).toBe(20_000_000);
  });

  it('PAY-13: that were made twice are followed by no other', async () => {
    const intent = await charge();
    await tell('payment_intent.succeeded', intent);
    await tell(
      'payment_intent.succeeded',
      stripe.addIntent(intent.metadata['payment_id'] ?? '', 2000, { metadata: intent.metadata }),
    );
    expect((await status()).error?.why).toBe('mismatched');
    expect(await balance()).toBe(24_000_000);
  });

  it('PAY-05 PAY-17: that was made and refused all the same is found before it is asked for by another key', async () => {
    stripe.mishaps.push({ call: 'POST /v1/payment_intents', goes: 403, isDone: true, times: 1 });
    await cross();
    await vi.waitUntil(async () => (await paying.tries())[0]?.refusal != null, soon);
    paying.wait(11);
    await paying.confirmed();
    expect(await paying.intents()).toHaveLength(1);
  });

  it.each([
    ['turns autopay off and on', () => paying.autopay(false), () => paying.autopay(true)],
    ['pays by hand, and uses that up', () => paying.paid(500), () => paying.use(6_000_000)],
  ])('PAY-05 PAY-17: that was made and refused all the same is found where its owner %s', async (_, first, then) => {
    stripe.mishaps.push({ call: 'POST /v1/payment_intents', goes: 403, isDone: true, times: 1 });
    await cross();
    await vi.waitUntil(async () => (await paying.tries())[0]?.refusal != null, soon);
    await first();
    await then();
    paying.wait(2);
    await paying.confirmed();
    expect([hitsOf('POST /v1/payment_intents').length, (await paying.tries()).length]).toEqual([1, 1]);
  });

  it('PAY-05 PAY-17: that was refused is looked for, and not asked for, before it ends, however late Stripe answers', async () => {
    stripe.refuses = { message: 'Your account cannot currently make live charges.' };
    await cross();
    await vi.waitUntil(async () => (await paying.tries())[0]?.refusal != null, soon);
    stripe.refuses = undefined;
    stripe.mishaps.push({ call: 'GET /v1/payment_intents', goes: 500, isDone: false, times: 9 });
    await paying.paid(500);
    const state = async () => (await paying.tries())[0]?.state;
    paying.wait(2);
    await vi.waitUntil(async () => (await state()) === 'sent', soon);
    // A server of the version before asks again for what was sent within an hour.
    expect((await paying.tries())[0]?.sent_at?.getTime()).toBeLessThanOrEqual(paying.now().getTime() - 3_600_000);
    stripe.mishaps.length = 0;
    paying.wait(2);
    await vi.waitUntil(async () => (await state()) === 'canceled', soon);
    expect(hitsOf('POST /v1/payment_intents')).toHaveLength(1);
  });

  it('PAY-17 BIX-14: that was refused, and that nobody wants any more, is neither told of nor in the way of another', async () => {
    stripe.refuses = { message: 'Your account cannot currently make live charges.' };
    await cross();
    await vi.waitUntil(async () => (await paying.tries())[0]?.refusal != null, soon);
    stripe.mishaps.push({ call: 'GET /v1/payment_intents', goes: 500, isDone: false, times: 99 });
    await paying.autopay(false);
    paying.wait(2);
    await vi.waitUntil(async () => (await paying.tries())[0]?.state === 'sent', soon);
    const [sought] = await paying.tries();
    paying.wait(40);
    // The look that has failed is put back.
    await vi.waitUntil(async () => {
      const jobs = paying.db
        .selectFrom('jobs')
        .select('run_at')
        .where('subject', '=', sought?.id ?? '');
      const [job] = await jobs.execute();
      return job !== undefined && job.run_at > paying.now();
    }, soon);
    expect([await paying.mails(), (await paying.overview()).pending]).toEqual([[], null]);
    expect(await status()).toMatchObject({
      attempt: { kind: 'setup' },
      error: null,
      balance_at_save_micros: 4_000_000,
    });
  });

  it('PAY-05: that are not wanted any more once the connection is open are not sent', async () => {
    await setUp();
    let isWanted = true;
    const charge = {
      key: randomUUID(),
      paymentId: randomUUID(),
      customerId: await paying.customer(),
      methodId: 'pm_ok',
    };
    const sent = paying.driver.charge({ ...charge, amountMicros: 5_000_000 }, paying.server.url, () => isWanted);
    isWanted = false;
    await expect(sent).rejects.toThrow(PaymentUnavailable);
    expect(hitsOf('POST /v1/payment_intents')).toEqual([]);
  });

  it('PAY-17: that a key may neither make nor look for is refused each time, and has no missing answer', async () => {
    for (const call of ['POST /v1/payment_intents', 'GET /v1/payment_intents'])
      stripe.mishaps.push({ call, goes: 403, isDone: false, times: 9 });
    await cross();
    const refusals = async () => Number((await paying.tries())[0]?.key.split(':')[4]);
    await vi.waitUntil(async () => (await refusals()) === 1, soon);
    paying.wait(11);
    await vi.waitUntil(async () => (await refusals()) === 2, soon);
    expect([(await paying.tries())[0]?.state, (await status()).error]).toEqual(['due', null]);
  });

  it('PAY-02 PAY-16: of which nothing is heard for thirty days stop autopay also after what has held it meanwhile', async () => {
    const other = await paying.paid(500);
    await setUp();
    await paying.autopay(true);
    await paying.use(11_000_000);
    const intent = await paying.confirmed();
    intent.status = 'processing';
    const dispute = { id: `dp_${randomUUID()}`, payment_intent: other.id, amount: 500, currency: 'usd' };
    await tell('charge.dispute.funds_withdrawn', dispute);
    await paying.reconcileIn(30 * 24 * 60 + 1);
    const states = async () => (await paying.tries()).map(({ state }) => state);
    expect([await states(), (await status()).error?.why]).toEqual([['failed'], 'disputed']);
    await tell('charge.dispute.funds_reinstated', dispute);
    expect([await states(), (await status()).error?.why]).toEqual([['failed'], 'silent']);
    // Its bank has declined it after all.
    await tell('payment_intent.payment_failed', { ...intent, ...declined('No.') });
    expect((await status()).error).toBe(null);
    expect(await states()).toHaveLength(2);
  });

  it('PAY-16 OPS-22: of which the version before has heard nothing hold autopay, and are readable for it', async () => {
    await cross();
    const intent = await paying.confirmed();
    intent.status = 'processing';
    const [charge] = await paying.tries();
    // As that version ends it.
    await paying.db
      .updateTable('payments')
      .set({ state: 'failed', ends_at: null, silent: true })
      .where('id', '=', charge?.id ?? '')
      .execute();
    const unknown = { error_why: 'unknown', error_message: 'It has no answer.', error_at: paying.now() } as const;
    await paying.setAccount(unknown);
    await paying.autopay(false);
    await paying.autopay(true);
    const account = await accountOf(paying.db, paying.ada.organizationId);
    expect([(await status()).error?.why, account?.error_why]).toEqual(['silent', 'unknown']);
    // As that version resets it, and has no answer again.
    await paying.setAccount({ below: false, error_why: null, error_message: null, error_at: null });
    await paying.setAccount(unknown);
    expect((await status()).error?.why).toBe('unknown');
    await tell('payment_intent.payment_failed', { ...intent, ...declined('No.') });
    expect((await status()).error).toBe(null);
  });

  it('PAY-05 PAY-16: of which nothing is heard after another was declined is not made again as somebody pays', async () => {
    await cross('pm_declined');
    await vi.waitFor(async () => expect((await status()).error?.why).toBe('declined'), soon);
    await paying.setAccount({ method_id: 'pm_ok' });
    paying.wait(61);
    await vi.waitUntil(async () => (await paying.tries())[1]?.provider_id != null, soon);
    const [, second] = await paying.tries();
    Object.assign(stripe.intents.find(({ id }) => id === second?.provider_id) ?? {}, { status: 'processing' });
    await paying.reconcileIn(30 * 24 * 60 + 1);
    expect((await status()).error?.why).toBe('silent');
    await paying.paid(500);
    await paying.use(11_000_000);
    expect((await paying.tries()).map(({ state }) => state)).toEqual(['failed', 'failed']);
  });

  it('PAY-16: that Stripe takes from nobody end after thirty days', async () => {
    stripe.refuses = { code: 'amount_too_large', message: 'No.' };
    await cross();
    const refused = (times: number, place = 0) =>
      vi.waitUntil(async () => (await paying.tries())[place]?.key.split(':')[4] === String(times), soon);
    await refused(1);
    const created_at = new Date(paying.now().getTime() - 31 * 24 * 3_600_000);
    const [{ id } = { id: '' }] = await paying.tries();
    await paying.db.updateTable('payments').set({ created_at }).where('id', '=', id).execute();
    paying.wait(11);
    await refused(2);
    await paying.reconcileIn(1);
    // The balance is low, so another one is asked for, which is refused as well.
    await refused(1, 1);
    expect((await paying.tries()).map(({ state }) => state)).toEqual(['canceled', 'due']);
  });

  it('PAY-17: that waits for its owner is canceled', async () => {
    await cross('pm_action');
    await vi.waitFor(async () => expect((await status()).error?.message).toContain('confirmation'), soon);
    expect((await intents()).map((one) => one.status)).toEqual(['canceled']);
  });

  it('PAY-17: that waits for its owner counts where that was done a moment before', async () => {
    stripe.onCancel = (intent) => Object.assign(intent, { status: 'succeeded', amount_received: intent.amount });
    await cross('pm_action');
    await tell('payment_intent.succeeded', await paying.confirmed());
    expect([await balance(), (await status()).error]).toEqual([24_000_000, null]);
  });

  it('PAY-04: that Stripe has taken may be declined by the bank later', async () => {
    const intent = await charge();
    await tell('payment_intent.payment_failed', { ...intent, ...declined('Insufficient funds.') });
    expect((await status()).error).toMatchObject({ why: 'declined', message: 'Insufficient funds.' });
    expect(await balance()).toBe(4_000_000);
  });

  it('PAY-04: that Stripe has taken are declined where their method is gone meanwhile', async () => {
    const gone = { type: 'invalid_request_error', code: 'resource_missing', param: 'payment_method' } as const;
    const intent = await charge();
    await tell('payment_intent.payment_failed', { ...intent, ...declined(''), last_payment_error: gone });
    const message = 'The payment method can no longer be used.';
    expect((await status()).error).toMatchObject({ why: 'declined', message });
  });

  it.each([
    ['an event', (failed: Failed) => tell('payment_intent.payment_failed', failed)],
    ['its answer', () => paying.reconcileIn(11)],
  ])(
    'PAY-17: that Stripe has taken and that fail not for their card wait for the operator: by %s',
    async (_by, hear) => {
      const failed = await charge();
      const no = { type: 'api_error', message: 'Charges are paused.' } as const;
      Object.assign(failed, { ...declined(''), last_payment_error: no });
      await hear(failed);
      expect(await paying.tries()).toMatchObject([{ state: 'due', refusal: 'Charges are paused.', provider_id: null }]);
      expect([(await status()).error, await paying.mails()]).toEqual([null, []]);
      // The next one is another, though its answer is lost, and what is told of the first says nothing of it.
      stripe.mishaps.push({ call: 'POST /v1/payment_intents', goes: 'reset', isDone: true, times: 3 });
      paying.wait(11);
      const next = await paying.confirmed();
      await tell('payment_intent.payment_failed', failed);
      expect(await paying.tries()).toMatchObject([{ state: 'sent', provider_id: next.id }]);
      expect(await intents()).toEqual([failed, next]);
      await tell('payment_intent.succeeded', next);
      expect([await balance(), await paying.entries()]).toEqual([24_000_000, [['payment', 20_000_000]]]);
    },
  );

  it('PAY-05: a decline whose answer was lost is found at Stripe', async () => {
    stripe.mishaps.push({ call: 'POST /v1/payment_intents', goes: 'reset', isDone: true, times: 3 });
    await cross('pm_declined');
    await vi.waitFor(async () => expect((await status()).error?.message).toBe('Your card was declined.'), soon);
    expect(paying.looks()).toHaveLength(1);
    expect(await intents()).toHaveLength(1);
  });
});
