/** Payments whose events do not come: Stripe is asked, on a server that speaks the calls that are used. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { BillingSettings } from '#contract/billing.ts';
import { PaymentStatus } from '#contract/paying.ts';
import { endOfPageless } from '#server/money/ledger/life.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { mayLackPayments, noteRestored } from '#server/money/payments/past.ts';
import { listRefused } from '#server/money/payments/refuse.ts';
import { organizationOf, outcomeOf } from '../../people.ts';
import { beginPayment, entriesOf, paymentsOf } from '../books.ts';
import { CREDIT, paidSession, setupSession, soon, StripePaying } from './stripe-paying.ts';
import { declined, type StripeServer } from './stripe-server.ts';

const paying = new StripePaying();
const { stripe, ask, status, balance, pay, beginSetUp, tell } = paying;
const { charge, entries, mails, wait, reconcile, reconcileIn, call } = paying;
/** How often Stripe was asked about a payment of this organization; a try of another test's may fall due meanwhile. */
const asked = async (): Promise<number> => {
  const rows = await paymentsOf(paying.db, paying.ada.organizationId);
  const ids = rows.flatMap(({ page_id, provider_id }) => [page_id, provider_id]).filter((id) => id !== null);
  return stripe.hits.filter(({ call: hit }) => hit.startsWith('GET ') && ids.some((id) => hit.endsWith(`/${id}`)))
    .length;
};
const DAY_MINUTES = 24 * 60;
const isAbout = (told: unknown, payment: string): boolean => JSON.stringify(told).includes(payment);
const CHARGED = [['payment', 20_000_000]];
const stateOf = async (attempt: string) => (await status(attempt)).attempt?.state;

describe('a charge of autopay whose event does not come', () => {
  it('PAY-09: is asked for after ten minutes, counts by the answer, and an event that comes after all changes nothing', async () => {
    // What was paid is listed now, and in six hours again.
    await reconcile();
    const intent = await charge();
    for (const minutes of [0, 9]) await reconcileIn(minutes);
    expect([await asked(), await entries()]).toEqual([0, []]);
    await reconcileIn(2);
    expect([await asked(), await entries(), await balance()]).toEqual([1, CHARGED, 24_000_000]);
    await tell('payment_intent.succeeded', intent);
    await reconcileIn(60 * 24);
    expect([await asked(), await entries()]).toEqual([1, CHARGED]);
    expect((await status()).attempt?.state).toBe('succeeded');
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('PAY-09: is not asked for once its event has come', async () => {
    await tell('payment_intent.succeeded', await charge());
    await reconcileIn(60);
    expect([await asked(), await entries()]).toEqual([0, CHARGED]);
  });

  it('PAY-09: counts once where the event comes as several processes ask', async () => {
    const intent = await charge();
    wait(11);
    await Promise.all([
      reconcile(),
      tell('payment_intent.succeeded', intent),
      reconcile(),
      tell('payment_intent.succeeded', intent),
    ]);
    expect([await entries(), await balance()]).toEqual([CHARGED, 24_000_000]);
    expect(await asked()).toBeLessThanOrEqual(1);
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('PAY-09: waits while Stripe says that it is under way, and is asked for less and less often', async () => {
    const intent = await charge();
    intent.status = 'processing';
    for (let minute = 0; minute < 24 * 60; minute += 5) await reconcileIn(5);
    // After 10 minutes, 20, 40 …, then every six hours.
    expect(await asked()).toBeGreaterThanOrEqual(7);
    expect(await asked()).toBeLessThanOrEqual(10);
    expect([await entries(), await mails()]).toEqual([[], []]);
    intent.status = 'succeeded';
    await reconcileIn(6 * 60 + 1);
    expect(await entries()).toEqual(CHARGED);
  });

  it('PAY-09: is declined by the answer, once, and tried again by another key later', async () => {
    const intent = await charge();
    Object.assign(intent, declined('Insufficient funds.'));
    wait(11);
    await Promise.all([reconcile(), tell('payment_intent.payment_failed', intent), reconcile()]);
    expect(await mails()).toEqual(['A payment failed – Parlance']);
    expect((await status()).error).toMatchObject({ message: 'Insufficient funds.', next_try_at: expect.any(String) });
    expect(await paying.tries()).toMatchObject([
      { attempt: 1, state: 'failed' },
      { attempt: 2, state: 'due' },
    ]);
  });

  it('PAY-09 PAY-05: its owners are told once Stripe has not said it for half an hour; a reset lets it be asked for soon', async () => {
    const intent = await charge();
    const others = stripe.intents.splice(0);
    await reconcileIn(11);
    expect(await mails()).toEqual([]);
    for (const minutes of [11, 11, 11]) await reconcileIn(minutes);
    expect(await mails()).toEqual(['A payment has no answer yet – Parlance']);
    expect(await entries()).toEqual([]);
    stripe.intents.push(...others);
    const before = await asked();
    await reconcile();
    expect(await asked()).toBe(before);
    await paying.resetError();
    await reconcile();
    expect([await entries(), (await status()).error]).toEqual([CHARGED, null]);
    expect(intent.status).toBe('succeeded');
  });

  it('PAY-09: that its bank takes days over is not told for one question without an answer, and no longer once there is one', async () => {
    const intent = await charge();
    intent.status = 'processing';
    for (let hour = 0; hour < 30; hour += 1) await reconcileIn(60);
    const gone = stripe.intents.splice(0);
    await reconcileIn(6 * 60 + 1);
    expect((await status()).error).toBe(null);
    stripe.intents.push(...gone);
    await reconcileIn(11);
    stripe.intents.splice(0);
    for (const minutes of [6 * 60 + 1, 11, 11, 11]) await reconcileIn(minutes);
    expect((await status()).error?.why).toBe('unknown');
    stripe.intents.push(...gone);
    await reconcileIn(11);
    expect([(await status()).error, await mails()]).toEqual([null, ['A payment has no answer yet – Parlance']]);
    expect((await paying.tries()).map(({ state }) => state)).toEqual(['sent']);
  });

  it('PAY-17: is canceled where it waits for its owner, so that nobody pays it beside the next try', async () => {
    const intent = await charge();
    Object.assign(intent, { status: 'requires_action', amount_received: 0 });
    await reconcileIn(11);
    expect(intent.status).toBe('canceled');
    expect((await status()).error).toMatchObject({ why: 'declined', message: expect.stringContaining('confirmation') });
    expect(await paying.tries()).toMatchObject([{ state: 'failed' }, { state: 'due' }]);
  });

  it('PAY-17: counts where its owner has confirmed it a moment before that', async () => {
    const intent = await charge();
    Object.assign(intent, { status: 'requires_action', amount_received: 0 });
    stripe.onCancel = () => Object.assign(intent, { status: 'succeeded', amount_received: intent.amount });
    await reconcileIn(11);
    expect([await entries(), (await status()).error]).toEqual([CHARGED, null]);
  });

  it('PAY-09: counts for nothing where what Stripe has there is another payment', async () => {
    const intent = await charge();
    intent.metadata = { payment_id: randomUUID() };
    await reconcileIn(11);
    expect([await asked(), await entries()]).toEqual([1, []]);
  });
});

describe('a page whose events do not come', () => {
  const forgotten = (method: string): Promise<void> =>
    vi.waitFor(() => expect(paying.hitsOf(`POST /v1/payment_methods/${method}/detach`)).toHaveLength(1), soon);
  const answers = async (attempt: string, end?: Parameters<StripeServer['endPage']>[1]) => {
    if (end !== undefined) stripe.endPage(attempt, end);
    await reconcileIn(7 * 60);
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
    const { attempt } = await beginSetUp();
    const end = { setup_intent: 'seti_1' };
    expect(await answers(attempt, end)).toBe('succeeded');
    expect((await status()).method?.last4).toBe('4242');
    expect((await ask(PaymentStatus, 'POST', 'payment/remove/')).method).toBe(null);
    await tell('checkout.session.completed', stripe.endPage(attempt, end));
    expect((await status()).method).toBe(null);
  });

  it('PAY-23: a removal ends it, at the provider, too; what the bank confirms after all is forgotten there', async () => {
    await paying.setUp('pm_first');
    await paying.autopay(true);
    const { attempt, url } = await beginSetUp();
    expect((await ask(PaymentStatus, 'POST', 'payment/remove/')).method).toBe(null);
    expect((await status(attempt)).attempt).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('was removed'),
    });
    expect(stripe.sessions.find((page) => page.url === url)?.status).toBe('expired');
    stripe.stores = 'pm_late';
    await tell('checkout.session.completed', setupSession(attempt));
    await forgotten('pm_late');
    expect((await status()).method).toBe(null);
    expect((await ask(BillingSettings, 'GET', 'billing/')).autopay.enabled).toBe(false);
    await paying.setUp('pm_since');
    expect((await status()).method?.last4).toBe('4242');
    expect(paying.hitsOf('POST /v1/payment_methods/pm_since/detach')).toEqual([]);
  });

  it('PAY-23: what it stores as a method is removed goes with that', async () => {
    await paying.setUp('pm_first');
    const { attempt } = await beginSetUp();
    const forget = paying.driver.forget.bind(paying.driver);
    vi.spyOn(paying.driver, 'forget').mockImplementationOnce(async (method) => {
      await forget(method);
      stripe.stores = 'pm_meanwhile';
      await tell('checkout.session.completed', setupSession(attempt));
    });
    expect((await ask(PaymentStatus, 'POST', 'payment/remove/')).method).toBe(null);
    await forgotten('pm_meanwhile');
    expect((await paying.noted('payment_method.removed')).length).toBe(1);
  });

  it('PAY-23: leads to no page where a method is removed as that opens', async () => {
    await paying.setUp();
    const open = paying.driver.openPage.bind(paying.driver);
    vi.spyOn(paying.driver, 'openPage').mockImplementationOnce(async (request) => {
      await ask(PaymentStatus, 'POST', 'payment/remove/');
      return open(request);
    });
    const begun = await call('POST', 'payment/setup/', { attempt: randomUUID() });
    expect(await outcomeOf(begun)).toBe('409 payment_ended');
  });

  it('PAY-16: that the provider does not open ends at once, and the same attempt may be made again', async () => {
    stripe.mishaps.push({ call: 'POST /v1/checkout/sessions', goes: 500, isDone: false, times: 3 });
    const attempt = randomUUID();
    const begun = await call('POST', 'payment/', { attempt, amount_micros: 5_000_000 });
    expect(await outcomeOf(begun)).toBe('503 payment_unavailable');
    expect(await stateOf(attempt)).toBe('canceled');
    const { url } = await paying.begin(5_000_000, attempt);
    expect([url, await stateOf(attempt)]).toEqual([stripe.sessions.at(-1)?.url, 'open']);
    const other = await call('POST', 'payment/', { attempt, amount_micros: 6_000_000 });
    expect(await outcomeOf(other)).toBe('409 payment_ended');
  });

  it('PAY-16: whose process ended before there was a page ends after an hour', async () => {
    const attempt = await beginPayment(paying.db, {
      organization_id: paying.ada.organizationId,
      amount_micros: 5_000_000,
      page_id: null,
      ends_at: endOfPageless(paying.now()),
      at: paying.now(),
    });
    await reconcileIn(59);
    expect(await stateOf(attempt)).toBe('open');
    await reconcileIn(2);
    expect(await stateOf(attempt)).toBe('canceled');
  });

  it('PAY-16: is ended at the provider after a day, and counts if it was paid a moment before', async () => {
    const [left, inTime] = [await pay(5_000_000), await pay(6_000_000)];
    const intent = stripe.addIntent(inTime.attempt, 600);
    stripe.endPage(inTime.attempt, { payment_status: 'paid', amount_total: 600, payment_intent: intent });
    await reconcileIn(23 * 60);
    expect(await stateOf(left.attempt)).toBe('open');
    expect(await stateOf(inTime.attempt)).toBe('succeeded');
    await reconcileIn(61);
    expect(await stateOf(left.attempt)).toBe('canceled');
    expect(stripe.sessions.find(({ url }) => url === left.url)?.status).toBe('expired');
  });

  it('PAY-11 PAY-16: is ended as its organization is deleted, which a payment that counts by then is refused to nobody', async () => {
    const [left, paid] = [await pay(5_000_000), await pay(6_000_000)];
    stripe.endPage(paid.attempt, {
      payment_status: 'paid',
      amount_total: 600,
      payment_intent: stripe.addIntent(paid.attempt, 600),
    });
    stripe.mishaps.push({ call: 'POST /v1/checkout/sessions/', goes: 500, isDone: false, times: 6 });
    expect(await outcomeOf(await paying.remove())).toBe('409 payment_under_way');
    stripe.mishaps.length = 0;
    // Nobody has read of the payment that counts by now.
    expect(await outcomeOf(await paying.remove())).toBe('409 balance_positive');
    expect(await outcomeOf(await paying.remove())).toBe('204');
    expect(stripe.sessions.find(({ url }) => url === left.url)?.status).toBe('expired');
  });

  it("PAY-16: fails after thirty days without the bank's answer, tells the operator, and counts if it is paid after all", async () => {
    const { attempt } = await pay(5_000_000);
    const intent = stripe.addIntent(attempt, 500, { status: 'processing', amount_received: 0 });
    expect(await answers(attempt, { payment_intent: intent })).toBe('processing');
    const error = vi.spyOn(paying.server.services.log, 'error');
    await reconcileIn(29 * DAY_MINUTES);
    expect(await stateOf(attempt)).toBe('processing');
    await reconcileIn(DAY_MINUTES + 1);
    const lines = error.mock.calls.filter(([told]) => isAbout(told, attempt));
    error.mockRestore();
    expect(lines).toEqual([[{ payment: attempt }, 'a payment had no end for 30 days']]);
    expect((await status(attempt)).attempt).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('30 days'),
    });
    await tell('payment_intent.succeeded', Object.assign(intent, { status: 'succeeded', amount_received: 500 }));
    expect(await stateOf(attempt)).toBe('succeeded');
    expect(await entries()).toEqual([['payment', 5_000_000]]);
  });

  it('PAY-09: of the test, before there was Stripe, ends as what it was', async () => {
    const { attempt } = await pay(5_000_000);
    await paying.db
      .updateTable('payments')
      .set({ page_id: `test_${attempt}` })
      .where('id', '=', attempt)
      .execute();
    expect(await answers(attempt)).toBe('failed');
    expect((await status(attempt)).attempt?.error).toContain('No money was moved');
  });
});

describe('PAY-22: where rows are of an earlier time, as after a restore', () => {
  /** Due, and looked at by its job in vain. */
  const putOff = (): Promise<void> =>
    vi.waitFor(async () => {
      const [due] = await paying.tries();
      const job = await paying.db
        .selectFrom('jobs')
        .select('run_at')
        .where('subject', '=', due?.id ?? '')
        .executeTakeFirstOrThrow();
      expect(job.run_at.getTime()).toBeGreaterThan(paying.now().getTime() + 20_000);
    }, soon);

  it('autopay charges nothing before Stripe has told of all that was paid, and of what went back', async () => {
    await noteRestored(paying.db);
    await paying.cross();
    await putOff();
    const down = { goes: 500, isDone: false, times: 9 } as const;
    stripe.mishaps.push({ ...down, call: 'GET /v1/payment_intents' });
    await reconcileIn(1);
    await putOff();
    stripe.mishaps.splice(0, 1, { ...down, call: 'GET /v1/refunds' });
    await reconcileIn(11);
    await putOff();
    expect(await paying.intents()).toEqual([]);
    stripe.mishaps.splice(0, 1);
    await reconcileIn(11);
    // Its job may have looked again meanwhile.
    wait(1);
    await paying.confirmed();
    expect(await paying.intents()).toHaveLength(1);
  });

  it.each([false, true])(
    'what it is charging by the bank is not charged again: in them, as not asked for: %s',
    async (isKnown) => {
      await paying.setUp();
      await noteRestored(paying.db);
      await paying.autopay(true);
      if (isKnown) await paying.use(6_000_000);
      const attempt = (await paying.tries())[0]?.id ?? randomUUID();
      const metadata = { payment_id: attempt, kind: 'autopay' };
      const customer = await paying.customer();
      const intent = stripe.addIntent(attempt, 2000, { customer, metadata, status: 'processing' });
      for (const enabled of [false, true]) await paying.autopay(enabled);
      await reconcile();
      await paying.use(6_000_000);
      const left = (await paying.tries()).filter(({ state }) => state !== 'canceled');
      expect([left, (await status()).error?.why]).toEqual([[], 'mismatched']);
      Object.assign(intent, { status: 'canceled' });
    },
  );

  it.each(['autopay', 'page'])(
    'what was paid since by %s is not charged again, and the operator is told whose it is',
    async (kind) => {
      await paying.setUp();
      const [attempt, customer] = [randomUUID(), await paying.customer()];
      const metadata = { payment_id: attempt, kind };
      const { id } = stripe.addIntent(attempt, 2000, { customer, metadata });
      await noteRestored(paying.db);
      await paying.autopay(true);
      await paying.use(6_000_000);
      await putOff();
      await reconcile();
      await reconcileIn(6 * 60 + 1);
      expect((await paying.tries()).map(({ state }) => state)).toEqual(['canceled']);
      expect((await status()).error).toMatchObject({ why: 'mismatched' });
      const told = await listRefused(paying.db);
      expect(told.map(({ cause, organization_id }) => [cause, organization_id])).toContainEqual([
        `payment:${attempt}:${id}`,
        paying.ada.organizationId,
      ]);
      expect(await balance()).toBe(CREDIT - 6_000_000);
    },
  );

  it('whoever disputes what was paid since is not charged before a reset', async () => {
    await paying.setUp();
    await paying.setAccount({ method_last4: '1111' });
    const [attempt, customer] = [randomUUID(), await paying.customer()];
    const { id } = stripe.addIntent(attempt, 2000, { customer });
    await noteRestored(paying.db);
    await paying.autopay(true);
    await tell('checkout.session.completed', { ...paidSession(attempt, 2000, id), customer });
    await paying.resetError();
    const dispute = { id: `dp_${randomUUID()}`, payment_intent: id, amount: 2000, currency: 'usd' };
    const why = async () => (await status()).error?.why;
    await tell('charge.dispute.created', dispute);
    expect(await why()).toBe('disputed');
    await paying.resetError();
    for (let time = 0; time < 2; time += 1) await tell('charge.dispute.funds_withdrawn', dispute);
    // Nobody knows which card that was.
    await paying.setUp();
    expect(await why()).toBe('disputed');
    await tell('charge.dispute.funds_reinstated', dispute);
    expect(await why()).toBe(undefined);
    // Told the other way round, another one holds nothing.
    const other = { ...dispute, id: `dp_${randomUUID()}` };
    for (const event of ['reinstated', 'withdrawn'] as const) await tell(`charge.dispute.funds_${event}`, other);
    expect(await why()).toBe(undefined);
  });

  it('PAY-22: what one organization has paid since is none of another, which begins the same attempt', async () => {
    await paying.setUp();
    const [attempt, customer] = [randomUUID(), await paying.customer()];
    const eve = await paying.server.createUser();
    const begin = () =>
      paying.server.call(eve, 'POST', `${organizationOf(eve)}payment/`, { attempt, amount_micros: 20_000_000 });
    expect((await begin()).status).toBe(200);
    const { id } = stripe.addIntent(attempt, 2000, { customer });
    await tell('checkout.session.completed', { ...paidSession(attempt, 2000, id), customer });
    expect((await entriesOf(paying.db, eve.organizationId)).map(({ kind }) => kind)).toEqual(['credit']);
    const told = (await listRefused(paying.db)).filter(({ payment_id }) => payment_id === attempt);
    expect(told.map(({ why, organization_id }) => [why, organization_id])).toEqual([
      ['gone', paying.ada.organizationId],
    ]);
    expect(await outcomeOf(await begin())).toBe('409 payment_ended');
  });

  it('a key that may not list refunds or disputes holds nobody up', async () => {
    await noteRestored(paying.db);
    stripe.mishaps.push({ call: 'GET /v1/refunds', goes: 403, isDone: false, times: 9 });
    await reconcile();
    stripe.mishaps.splice(0, 1);
    expect(await mayLackPayments(paying.db)).toBe(false);
  });
});
