/** Money at Stripe that is not what was asked for, and money that went back without a word. */
import { describe, expect, it } from 'vitest';
import { runCommand } from '#server/app/admin/commands.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { CREDIT, paidSession, StripePaying } from './stripe-paying.ts';

const paying = new StripePaying();
const { stripe, pay, tell, charge, status, balance, entries, mails, reconcile, reconcileIn, wait, hitsOf } = paying;
const told = async (): Promise<string> =>
  (await runCommand({ ...paying.server.services, limitDefaults: LIMIT_DEFAULTS }, ['books', 'check'])).text;
const seconds = (minutesAgo = 0): number => Math.floor(paying.now().getTime() / 1000) - minutesAgo * 60;
/** Twenty dollars that have come. */
const paid = () => paying.paid(2000);

describe('PAY-13: money that does not fit', () => {
  it.each([
    ['another currency', { currency: 'eur' }, '2000 eur (smallest units), in no balance, as it is not in US dollars'],
    ['less', { amount_received: 1999 }, '19.99 USD, in no balance, as it does not fit the payment'],
    ['more', { amount_received: 2001 }, '20.01 USD, in no balance, as it does not fit the payment'],
    ['nothing', { amount_received: 0 }, 'paid, 0 USD, in no balance, as it does not fit the payment'],
    ['a minus', { amount_received: -2000 }, 'paid, -20 USD, in no balance, as it does not fit the payment'],
  ])('is not entered: %s', async (_what, wrong, words) => {
    const { attempt } = await pay(20_000_000);
    const intent = stripe.addIntent(attempt, 2000, wrong);
    for (let time = 0; time < 2; time += 1) await tell('payment_intent.succeeded', intent);
    expect([await balance(), await entries()]).toEqual([CREDIT, []]);
    expect((await status(attempt)).attempt).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('not what was asked for'),
    });
    const lines = (await told()).split('\n').filter((line) => line.includes(attempt));
    expect(lines).toEqual([expect.stringContaining(words)]);
    expect(lines[0]).toContain(`organization ${paying.ada.organizationId}`);
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('is not entered by the word of a page, nor by the answer to a question', async () => {
    const [first, second] = [await pay(5_000_000), await pay(5_000_000)];
    await tell('checkout.session.completed', { ...paidSession(first.attempt, 500, 'pi_1'), currency: 'eur' });
    stripe.endPage(second.attempt, { payment_status: 'paid', currency: 'jpy' });
    await reconcileIn(7 * 60);
    expect(await entries()).toEqual([]);
    const text = await told();
    for (const { attempt } of [first, second])
      expect(text).toMatch(new RegExp(`payment:${attempt}:[\\w-]+: paid, 500 `));
    // What is right and comes after all counts.
    await tell('payment_intent.succeeded', stripe.addIntent(first.attempt, 500));
    expect((await status(first.attempt)).attempt).toMatchObject({ state: 'succeeded', error: null });
    expect(await entries()).toEqual([['payment', 5_000_000]]);
  });

  it('is not entered a second time: another charge for the same payment, and what is given back of that', async () => {
    const intent = await paid();
    const attempt = intent.metadata['payment_id'] ?? '';
    const second = stripe.addIntent(attempt, 2000);
    for (let time = 0; time < 2; time += 1) await tell('payment_intent.succeeded', second);
    const back = {
      id: `re_${second.id}`,
      amount: 2000,
      currency: 'usd',
      payment_intent: second.id,
      status: 'succeeded',
    };
    await tell('refund.updated', back);
    expect(await entries()).toEqual([['payment', 20_000_000]]);
    const lines = (await told()).split('\n').filter((line) => line.includes('second payment for the same'));
    expect(lines.filter((line) => line.includes(second.id))).toHaveLength(2);
  });

  it('is not taken out of the balance: refunds that sum up to more than their payment', async () => {
    const intent = await paid();
    const back = (id: string, amount: number) => ({
      id: `${id}_${intent.id}`,
      amount,
      currency: 'usd',
      payment_intent: intent.id,
    });
    for (const [id, amount] of [
      ['re_1', 1500],
      ['re_2', 600],
      ['re_3', 500],
    ] as const)
      await tell('refund.updated', { ...back(id, amount), status: 'succeeded' });
    expect((await entries()).slice(1)).toEqual([
      ['refund', -15_000_000],
      ['refund', -5_000_000],
    ]);
    // What has failed is not taken back any more, and makes way for what was too much beside it.
    await tell('refund.failed', { ...back('re_1', 1500), status: 'failed' });
    await tell('refund.updated', { ...back('re_4', 901), status: 'succeeded' });
    await tell('refund.updated', { ...back('re_5', 900), status: 'succeeded' });
    expect((await entries()).slice(3)).toEqual([
      ['correction', 15_000_000],
      ['refund', -6_000_000],
      ['refund', -9_000_000],
    ]);
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it.each([
    ['after', ['payment_intent.succeeded', 'refund.updated', 'charge.dispute.funds_withdrawn']],
    ['before', ['refund.updated', 'charge.dispute.funds_withdrawn', 'payment_intent.succeeded']],
  ] as const)('is not taken out of the balance when it goes back, which is told %s it', async (_when, order) => {
    const { attempt } = await pay(20_000_000);
    const intent = stripe.addIntent(attempt, 2000, { amount_received: 1999 });
    const back = { payment_intent: intent.id, currency: 'usd' };
    const objects = {
      'payment_intent.succeeded': intent,
      'refund.updated': { ...back, id: `re_${attempt}`, status: 'succeeded', amount: 1200 },
      'charge.dispute.funds_withdrawn': { ...back, id: `dp_${attempt}`, amount: 799 },
    };
    for (const type of order) await tell(type, objects[type]);
    expect(await balance()).toBe(CREDIT);
    expect(await told()).toContain(`payment:${attempt}:${intent.id}: paid, 19.99 USD`);
    expect(await proveLedger(paying.db)).toEqual([]);
    // All of it comes by another charge, of which nothing has gone back.
    await tell('payment_intent.succeeded', stripe.addIntent(attempt, 2000));
    expect(await balance()).toBe(CREDIT + 20_000_000);
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('BIX-07: of a charge stops autopay before a reset, and the owners are told', async () => {
    const intent = await charge();
    await tell('payment_intent.succeeded', { ...intent, currency: 'eur' });
    expect((await status()).error).toMatchObject({ why: 'mismatched', next_try_at: null });
    expect(await mails()).toEqual(['Autopay has stopped – Parlance']);
    await paying.use(100_000);
    expect(await paying.intents()).toHaveLength(1);
  });

  it.each([
    ['of another currency', { amount: 500, currency: 'eur' }, ['refund', 'dispute']],
    ['of more than was paid', { amount: 2001, currency: 'usd' }, ['refund']],
    ['of less than nothing', { amount: -500, currency: 'usd' }, ['refund', 'dispute']],
  ])('is not entered: what is given back %s', async (_what, wrong, kinds) => {
    const intent = await paid();
    const of = { id: `of_${paying.ada.userId}`, payment_intent: intent.id, ...wrong };
    if (kinds.includes('refund')) await tell('refund.updated', { ...of, status: 'succeeded' });
    if (kinds.includes('dispute')) await tell('charge.dispute.funds_withdrawn', of);
    expect(await entries()).toEqual([['payment', 20_000_000]]);
    const text = await told();
    for (const kind of kinds) expect(text).toContain(`${kind}:${of.id}`);
    expect((await status()).attempt?.state).toBe('succeeded');
  });
});

describe('PAY-14: refunds and disputes whose events do not come', () => {
  const refundOf = (intent: { id: string }, amount: number, more: object = {}) => {
    const refund = {
      id: `re_${crypto.randomUUID()}`,
      amount,
      currency: 'usd',
      status: 'succeeded',
      payment_intent: intent.id,
      created: seconds(),
      ...more,
    };
    stripe.refunds.push(refund);
    return refund;
  };

  it('PAY-14: nor is a payment lost that this database knows nothing of, as after a restore: the operator is told', async () => {
    const attempt = crypto.randomUUID();
    const intent = stripe.addIntent(attempt, 700);
    await reconcileIn(6 * 60 + 1);
    expect(await told()).toContain(`payment:${attempt}:${intent.id}: paid, 7 USD, in no balance`);
  });

  it('are asked for every six hours, and count once, whichever is first', async () => {
    const intent = await paid();
    const [first, second] = [refundOf(intent, 300), refundOf(intent, 200)];
    await tell('refund.updated', first);
    await reconcileIn(6 * 60 + 1);
    const all = [
      ['payment', 20_000_000],
      ['refund', -3_000_000],
      ['refund', -2_000_000],
    ];
    expect(await entries()).toEqual(all);
    await tell('refund.updated', second);
    await reconcileIn(60);
    expect(hitsOf('GET /v1/refunds').length).toBe(1);
    wait(5 * 60 + 1);
    await Promise.all([reconcile(), reconcile()]);
    expect([hitsOf('GET /v1/refunds').length, await entries()]).toEqual([2, all]);
    second.status = 'failed';
    await reconcileIn(6 * 60 + 1);
    expect((await entries()).slice(3)).toEqual([['correction', 2_000_000]]);
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('are asked for at once where a clock that was ahead has put it off', async () => {
    refundOf(await paid(), 300);
    const next_at = new Date(paying.now().getTime() + 30 * 86_400_000);
    await paying.db.insertInto('provider_looks').values({ next_at }).execute();
    await reconcile();
    expect((await entries()).slice(1)).toEqual([['refund', -3_000_000]]);
  });

  it('are not asked for twice where another process has read a slightly later time', async () => {
    refundOf(await paid(), 300);
    const next_at = new Date(paying.now().getTime() + 6 * 3_600_000 + 5000);
    await paying.db.insertInto('provider_looks').values({ next_at }).execute();
    await reconcile();
    expect(hitsOf('GET /v1/refunds')).toEqual([]);
  });

  it('say by what has moved how a dispute stands', async () => {
    const intent = await paid();
    const id = `dp_${crypto.randomUUID()}`;
    const dispute = { ...refundOf(intent, 2000), id, balance_transactions: [] as object[] };
    stripe.refunds.length = 0;
    stripe.disputes.push(dispute);
    const later = async () => {
      await reconcileIn(6 * 60 + 1);
      return (await entries()).slice(1);
    };
    expect(await later()).toEqual([]);
    dispute.balance_transactions.push({ amount: -2000, fee: 1500, currency: 'usd' });
    const taken = [
      ['dispute', -20_000_000],
      ['fee', -15_000_000],
    ];
    expect(await later()).toEqual(taken);
    // An event of before there were transactions in it is about the same.
    await tell('charge.dispute.funds_withdrawn', { ...dispute, balance_transactions: undefined });
    // Some of it comes back, and not the fee.
    dispute.balance_transactions.push({ amount: 800, fee: 0, currency: 'usd' });
    expect(await later()).toEqual([...taken, ['dispute', 8_000_000]]);
    await tell('charge.dispute.funds_reinstated', dispute);
    expect(await balance()).toBe(CREDIT - 7_000_000);
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('take their fee also where they are told of first as they are won', async () => {
    const intent = await paid();
    stripe.disputes.push({
      ...refundOf(intent, 2000),
      id: `dp_${crypto.randomUUID()}`,
      balance_transactions: [
        { amount: -2000, fee: 1500, currency: 'usd' },
        { amount: 2000, fee: -1500, currency: 'usd' },
      ],
    });
    stripe.refunds.length = 0;
    await reconcileIn(6 * 60 + 1);
    expect((await entries()).slice(1)).toEqual([
      ['dispute', -20_000_000],
      ['dispute', 20_000_000],
      ['fee', -15_000_000],
      ['fee', 15_000_000],
    ]);
  });

  it('take what has moved in US dollars, whatever currency the dispute is in', async () => {
    const intent = await paid();
    const moved = { amount: -10_320, fee: 1500, currency: 'usd' };
    const id = `dp_${crypto.randomUUID()}`;
    const dispute = { ...refundOf(intent, 9000), id, currency: 'eur', balance_transactions: [moved] };
    stripe.refunds.length = 0;
    await tell('charge.dispute.funds_withdrawn', dispute);
    expect((await entries()).slice(1)).toEqual([
      ['dispute', -103_200_000],
      ['fee', -15_000_000],
    ]);
  });

  it("hold autopay though nothing has moved, and count in their payment's currency, whatever Stripe's balance has", async () => {
    await paying.setUp();
    await paying.autopay(true);
    const intent = await paid();
    const id = `dp_${crypto.randomUUID()}`;
    const question = { ...refundOf(intent, 2000), id, status: 'needs_response', balance_transactions: [] as object[] };
    stripe.refunds.length = 0;
    stripe.disputes.push(question);
    await reconcileIn(6 * 60 + 1);
    expect((await status()).error?.why).toBe('disputed');
    question.balance_transactions.push({ amount: -1850, fee: 1400, currency: 'eur' });
    await reconcileIn(6 * 60 + 1);
    const taken = [['dispute', -20_000_000]];
    expect((await entries()).slice(1)).toEqual(taken);
    // How much of the payment some of another currency is, nobody knows.
    question.balance_transactions.push({ amount: 800, fee: 0, currency: 'eur' });
    await reconcileIn(6 * 60 + 1);
    expect((await entries()).slice(1)).toEqual(taken);
    expect(await told()).toContain(`dispute-won:${id}: dispute_won, 800 eur (smallest units), in no balance`);
    question.balance_transactions[1] = { amount: 1850, fee: 0, currency: 'eur' };
    await tell('charge.dispute.funds_reinstated', question);
    expect((await entries()).slice(1)).toEqual([...taken, ['dispute', 20_000_000]]);
  });

  it('are asked for again soon where Stripe does not answer, on whatever page, and of the last 120 days', async () => {
    const intent = await paid();
    for (let n = 0; n < 3; n += 1) refundOf(intent, 100, { created: seconds(n) });
    refundOf(intent, 100, { created: seconds(121 * 24 * 60) });
    stripe.mishaps.push({ call: 'GET /v1/disputes', goes: 500, isDone: false, times: 3 });
    await reconcileIn(6 * 60 + 1);
    await reconcileIn(11);
    expect(hitsOf('GET /v1/disputes').length).toBe(4);
    expect((await entries()).slice(1)).toEqual([1, 2, 3].map(() => ['refund', -1_000_000]));
  });
});
