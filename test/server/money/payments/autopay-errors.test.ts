/** What stops autopay, and what lets it go on: after a while, or once somebody resets it, whatever the provider says meanwhile. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { PaymentStatus } from '#contract/paying.ts';
import { enterCorrection } from '#server/money/payments/correct.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { AUTOPAY } from '#server/money/ledger/schedule.ts';
import { enqueue } from '#server/platform/jobs/queue.ts';
import { colleague } from '../../people.ts';
import { soon } from '../served.ts';
import { CARD, FAILS_LATER, HOUR_MS, Paying } from './paying.ts';

const paying = new Paying();
const { status, overview, use, pay, setUp, autopay, cross, decline } = paying;
const { charged, charges, failed, keys, states, mails, tell, resetError } = paying;

describe('the error of autopay', () => {
  it('PAY-02 PAY-04 BIX-07: what is refunded or disputed is not charged again before a reset, and the owners are told', async () => {
    await cross();
    await charged(24_000_000);
    const event = { paymentId: charges()[0]?.paymentId ?? '', amountMicros: 20_000_000 };
    await tell({ ...event, type: 'refunded', refundId: randomUUID() });
    expect(await overview()).toMatchObject({
      balance_micros: 4_000_000,
      pending: null,
      error: { why: 'refunded', next_try_at: null },
    });
    expect(await mails()).toEqual(['Autopay has stopped – Parlance']);
    expect((await resetError()).error).toBe(null);
    await charged(24_000_000);
    const disputeId = randomUUID();
    await tell({ ...event, type: 'disputed', disputeId });
    expect(await overview()).toMatchObject({ balance_micros: 4_000_000, pending: null });
    expect((await status()).error).toMatchObject({ why: 'disputed', message: expect.stringContaining('disputed') });
    await tell({ ...event, type: 'dispute_won', disputeId });
    expect(await overview()).toMatchObject({ balance_micros: 24_000_000, error: null });
    // The same dispute, told late and once more.
    await tell({ ...event, type: 'disputed', disputeId });
    expect(await overview()).toMatchObject({ balance_micros: 24_000_000, error: null });
    expect(charges()).toHaveLength(2);
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('PAY-02 PAY-04: a won dispute leaves the error of a decline; another dispute stops the waiting try', async () => {
    const event = { paymentId: await pay(), amountMicros: 5_000_000 };
    await decline(11_000_000);
    const { error } = await status();
    const won = { ...event, type: 'dispute_won', disputeId: randomUUID() } as const;
    await tell(won);
    expect((await status()).error).toEqual(error);
    await tell({ ...event, type: 'disputed', disputeId: randomUUID() });
    expect(await overview()).toMatchObject({ pending: null, error: { why: 'disputed', next_try_at: null } });
    await tell(won);
    expect((await status()).error?.why).toBe('disputed');
    expect(charges()).toHaveLength(1);
  });

  it('PAY-04 PAY-08: mails a decline to owners and billing members, tries a few times, then waits for an audited reset', async () => {
    const others = [
      await colleague(paying.server, paying.ada, 'admin'),
      await colleague(paying.server, paying.ada, 'member'),
    ];
    const toOthers = () => Promise.all(others.map(({ email }) => mails(email)));
    const before = await toOthers();
    const accountant = await colleague(paying.server, paying.ada, 'billing');
    await decline();
    // A charge whose job loses its lease as the clock jumps is asked for again, by the same key.
    const tried = () => keys().map((key) => key.split(':').slice(2, 4).join('/'));
    expect(await mails()).toEqual(['A payment failed – Parlance']);
    expect(await mails(accountant.email)).toContain('A payment failed – Parlance');
    expect((await status()).error).toMatchObject({
      why: 'declined',
      message: 'The card needs a confirmation by its owner.',
      amount_micros: 20_000_000,
      next_try_at: expect.any(String),
    });
    const [letter] = (await paying.letters()).filter(({ subject }) => subject.startsWith('A payment failed'));
    expect(letter?.body_text.replaceAll(/\s+/g, ' ')).toMatch(
      /could not charge 20\.00 USD to Visa 3155 for .*: The card needs a confirmation by its owner\. .* Replace the payment method, or add to the balance by hand/,
    );
    // What waits for the next try is not money on its way.
    expect(await overview()).toMatchObject({ pending: null, error: { why: 'declined' } });
    expect((await status()).attempt).toMatchObject({ kind: 'autopay', state: 'failed' });
    await use(100_000);
    const mailed = (count: number) => vi.waitUntil(async () => (await mails()).length === count, soon);
    for (const [count, hours] of [
      [2, 1],
      [3, 1 + 24],
      [4, 1 + 24 + 72],
    ] as const)
      await paying.later(hours * HOUR_MS + count * 1000, () => mailed(count));
    expect((await status()).error?.next_try_at).toBe(null);
    expect(tried()).toHaveLength(4);
    await use(100_000);
    expect(tried()).toHaveLength(4);
    for (const count of [5, 6, 7]) {
      // What is told is how it stands as the error goes, however soon the charge that follows is declined.
      expect((await resetError()).error).toBe(null);
      await mailed(count);
    }
    expect(tried()).toEqual([...['1/1', '1/2', '1/3', '1/4'], ...['2/1', '3/1', '4/1']]);
    expect(await toOthers()).toEqual(before);
    const resets = (await paying.noted('payment_error.reset')).map(({ detail }) => detail);
    expect(resets).toEqual([1, 2, 3].map(() => 'The card needs a confirmation by its owner.'));
  });

  it('PAY-04: who turns autopay off is not charged by the try that waits after a decline, and is once it is on again', async () => {
    await decline();
    expect((await status()).error?.next_try_at).not.toBeNull();
    await autopay(false);
    expect(await overview()).toMatchObject({ pending: null, error: null });
    await autopay(true);
    await failed();
    expect(charges()).toHaveLength(2);
  });

  it('PAY-02 PAY-04: a payment that is told of a second time leaves the error of a later charge as it is', async () => {
    const paymentId = await pay();
    await decline(11_000_000);
    await tell({ type: 'paid', paymentId, amountMicros: 5_000_000, providerId: `test_${paymentId}` });
    expect((await status()).error).toMatchObject({ next_try_at: expect.any(String) });
    expect(charges()).toHaveLength(1);
  });

  it('PAY-04: another method ends the error, and is charged', async () => {
    await decline();
    await setUp();
    await charged(24_000_000);
    expect(await status()).toMatchObject({ error: null, method: { last4: '4242' } });
  });

  it('PAY-04: a decline of the method before leaves the new one without an error, and it is charged', async () => {
    await cross(FAILS_LATER);
    await vi.waitUntil(() => charges().length > 0, soon);
    await setUp();
    await tell({ type: 'failed', paymentId: charges()[0]?.paymentId ?? '', message: 'No' });
    expect((await status()).error).toBe(null);
    await charged(24_000_000);
    expect(charges().at(-1)?.methodId).toBe(`test_${CARD}`);
    expect(await mails()).toEqual([]);
  });
});

const dispute = (paymentId: string) => ({ paymentId, disputeId: randomUUID(), amountMicros: 5_000_000 });
const disputed = (paymentId: string) => tell({ type: 'disputed', ...dispute(paymentId) });
/** A charge that the provider has, and that no event has told the end of. */
async function sent(): Promise<string> {
  await cross(FAILS_LATER, 11_000_000);
  await vi.waitUntil(async () => (await paying.tries()).some(({ provider_id }) => provider_id !== null), soon);
  return charges()[0]?.paymentId ?? '';
}

/** A charge that has brought its money. */
async function chargeOf(): Promise<string> {
  await use(6_000_000);
  await charged(24_000_000);
  return charges()[0]?.paymentId ?? '';
}

describe('a charge that was sent before a dispute', () => {
  it('PAY-02 BIX-07: fails, and is not tried again', async () => {
    const payment = await pay();
    const paymentId = await sent();
    await disputed(payment);
    await tell({ type: 'failed', paymentId, message: 'Insufficient funds.' });
    expect(await states()).toEqual(['failed']);
    expect(await overview()).toMatchObject({ pending: null, error: { why: 'disputed', next_try_at: null } });
    expect(await mails()).toEqual(['Autopay has stopped – Parlance']);
    expect((await resetError()).error).toBe(null);
    expect((await states()).length).toBe(2);
  });

  it('PAY-02 BIX-07: is paid, and nothing is charged for the next crossing before a reset', async () => {
    const payment = await pay();
    const paymentId = await sent();
    await disputed(payment);
    await tell({ type: 'paid', paymentId, amountMicros: 20_000_000, providerId: `test_${paymentId}` });
    expect(await overview()).toMatchObject({ balance_micros: 19_000_000, error: { why: 'disputed' } });
    await use(15_000_000);
    expect(await states()).toEqual(['succeeded']);
    await resetError();
    await vi.waitUntil(() => charges().length === 2, soon);
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('PAY-02 PAY-05: has no answer, and is not asked for again; where it was never made, no other follows', async () => {
    const payment = await pay();
    paying.driver.fails = Infinity;
    await cross(undefined, 11_000_000);
    await vi.waitUntil(() => charges().length > 0, soon);
    await disputed(payment);
    await paying.chargesNoMore();
    await paying.later(25 * HOUR_MS, () => vi.waitUntil(async () => (await states())[0] === 'canceled', soon));
    expect(await states()).toEqual(['canceled']);
    expect((await status()).error).toMatchObject({ why: 'disputed', next_try_at: null });
    expect(keys()).toHaveLength(1);
  });

  it('PAY-02: is due by a process of the version before, and is not made', async () => {
    const payment = await pay();
    await decline(11_000_000);
    await disputed(payment);
    const [, second] = await paying.tries();
    const subject = second?.id ?? '';
    await paying.db.transaction().execute(async (trx) => {
      await trx.updateTable('payments').set({ state: 'due' }).where('id', '=', subject).execute();
      // Its job may have ended already, because the dispute has canceled the charge.
      await trx.deleteFrom('jobs').where('subject', '=', subject).execute();
      await enqueue(trx, { kind: AUTOPAY, subject, now: paying.now() });
    });
    await paying.later(HOUR_MS + 1000, () => vi.waitUntil(async () => (await states())[1] === 'canceled', soon));
    expect(charges()).toHaveLength(1);
    expect((await status()).error?.why).toBe('disputed');
  });
});

describe('an error that waits for a reset', () => {
  it('PAY-02 PAY-04: stays where somebody pays, or sets another method up', async () => {
    await cross();
    await charged(24_000_000);
    const refund = { paymentId: charges()[0]?.paymentId ?? '', refundId: randomUUID(), amountMicros: 20_000_000 };
    await tell({ type: 'refunded', ...refund });
    expect((await status()).error?.why).toBe('refunded');
    await pay();
    await setUp(FAILS_LATER);
    await vi.waitUntil(async () => (await status()).method?.last4 === '0341', soon);
    expect((await status()).error?.why).toBe('refunded');
    await use(9_000_000);
    expect(keys()).toHaveLength(1);
  });

  it('PAY-02 BIX-07: is there for money that a bank takes though it has said before that it will not, until that is back', async () => {
    await cross();
    await charged(24_000_000);
    const of = { paymentId: charges()[0]?.paymentId ?? '', disputeId: randomUUID() };
    for (const type of ['dispute_opened', 'dispute_dropped'] as const) await tell({ ...of, type });
    expect((await status()).error).toBe(null);
    const money = { ...of, amountMicros: 20_000_000 };
    await tell({ ...money, type: 'disputed' });
    expect(await overview()).toMatchObject({ pending: null, error: { why: 'disputed' } });
    await tell({ ...money, type: 'dispute_won' });
    expect(await overview()).toMatchObject({ balance_micros: 24_000_000, error: null });
    await tell({ ...money, type: 'disputed' });
    expect((await status()).error).toBe(null);
    expect(charges()).toHaveLength(1);
  });

  it('PAY-02: is there for money that a bank takes after a reset of its question, also where the books do not take it', async () => {
    const of = { paymentId: await pay(), disputeId: randomUUID() };
    await setUp();
    await autopay(true);
    await tell({ ...of, type: 'dispute_opened' });
    await resetError();
    const inEuros = { type: 'other_currency', of: 'disputed', reference: of.disputeId, amount: '5 EUR' } as const;
    await tell({ ...inEuros, paymentId: of.paymentId });
    expect((await status()).error?.why).toBe('disputed');
  });

  it('LED-06: of a dispute that was reset is over for good once its bank says so', async () => {
    const of = { paymentId: await pay(), disputeId: randomUUID() };
    await setUp();
    await autopay(true);
    await tell({ ...of, type: 'dispute_opened' });
    await resetError();
    await tell({ ...of, type: 'dispute_dropped' });
    const held = paying.db
      .selectFrom('account_holds')
      .select('ended_by')
      .where('cause', '=', `dispute:${of.disputeId}`);
    expect(await held.execute()).toEqual([{ ended_by: 'provider' }]);
  });

  it('PAY-02 PAY-24: is not reset by whoever has not read of all that holds autopay, each of which has a mail', async () => {
    const [first, second] = [dispute(await pay()), dispute(await pay())];
    await setUp();
    await autopay(true);
    await tell({ type: 'disputed', ...first });
    const { error } = await status();
    expect(error).toMatchObject({ why: 'disputed', others: [] });
    await tell({ type: 'disputed', ...second });
    expect(await mails()).toEqual(['Autopay has stopped – Parlance', 'Autopay has stopped – Parlance']);
    const refused = await paying.call('PUT', 'payment/reset-error/', { version: error?.version });
    expect([refused.status, await refused.json()]).toMatchObject([409, { error_type: 'payment_error_changed' }]);
    expect((await status()).error).toMatchObject({
      why: 'disputed',
      others: [{ message: expect.stringContaining('disputed') }],
    });
    expect((await resetError()).error).toBe(null);
  });

  it('PAY-02 BIX-07: of two disputes ends as both are won', async () => {
    const [first, second] = [dispute(await pay()), dispute(await pay())];
    await setUp();
    await autopay(true);
    for (const one of [first, second]) await tell({ type: 'disputed', ...one });
    await tell({ type: 'dispute_won', ...first });
    expect((await status()).error?.why).toBe('disputed');
    await tell({ type: 'dispute_won', ...second });
    expect((await status()).error).toBe(null);
  });

  it('PAY-02 BIX-07: of a dispute and a refund is that of the dispute, and then that of the refund, until that fails', async () => {
    const [one, other] = [dispute(await pay()), await pay()];
    await cross(undefined, 11_000_000);
    const refund = { paymentId: other, refundId: randomUUID(), amountMicros: 5_000_000 };
    await tell({ type: 'refunded', ...refund });
    await tell({ type: 'disputed', ...one });
    expect((await status()).error?.why).toBe('disputed');
    await tell({ type: 'dispute_won', ...one });
    expect((await status()).error?.why).toBe('refunded');
    await pay();
    expect((await status()).error?.why).toBe('refunded');
    expect(charges()).toEqual([]);
    await tell({ type: 'refund_failed', ...refund });
    expect((await status()).error).toBe(null);
  });

  it('PAY-02: of a refund that comes while a charge is on its way, is not charged back after it', async () => {
    const other = await pay();
    const paymentId = await sent();
    await tell({ type: 'refunded', paymentId: other, refundId: randomUUID(), amountMicros: 5_000_000 });
    await tell({ type: 'paid', paymentId, amountMicros: 20_000_000, providerId: `test_${paymentId}` });
    await use(20_000_000);
    expect(await overview()).toMatchObject({ balance_micros: -1_000_000, error: { why: 'refunded' } });
    expect(await states()).toEqual(['succeeded']);
  });

  it('PAY-02: of a refund that leaves enough is not charged back later', async () => {
    const paymentId = await pay();
    await setUp();
    await autopay(true, 5_000_000, 5_000_000);
    await tell({ type: 'refunded', paymentId, refundId: randomUUID(), amountMicros: 2_000_000 });
    expect(await overview()).toMatchObject({ balance_micros: 13_000_000, error: { why: 'refunded' } });
    await use(13_000_000);
    expect(await states()).toEqual([]);
  });

  it('PAY-02 LIM-11: of what the operator takes out of the balance is not charged back', async () => {
    await setUp();
    await autopay(true);
    await enterCorrection(paying.server.services, {
      ...{ organizationId: paying.ada.organizationId, kind: 'correction', micros: -6_000_000 },
      ...{ reference: 'T-1', description: 'Paid out' },
    });
    expect(await overview()).toMatchObject({ balance_micros: 4_000_000, error: { why: 'refunded' } });
    expect(await states()).toEqual([]);
  });

  it('PAY-02: is there for a dispute while autopay is off, and for one of more than its payment', async () => {
    const disputed = dispute(await pay());
    await setUp();
    await tell({ type: 'disputed', ...disputed, amountMicros: 50_000_000 });
    expect((await status()).error).toBe(null);
    await autopay(true);
    expect((await status()).error?.why).toBe('disputed');
    await use(14_000_000);
    expect(await states()).toEqual([]);
    await tell({ type: 'dispute_won', ...disputed, amountMicros: 50_000_000 });
    expect((await status()).error).toBe(null);
  });

  it('PAY-02 PAY-03: is not there for a refund while autopay is off: once that is on, the low balance is charged once', async () => {
    const paymentId = await pay();
    await setUp();
    await use(9_000_000);
    await tell({ type: 'refunded', paymentId, refundId: randomUUID(), amountMicros: 5_000_000 });
    expect(await states()).toEqual([]);
    await autopay(true);
    await charged(21_000_000);
    for (const enabled of [false, true]) await autopay(enabled);
    expect(await states()).toEqual(['succeeded']);
  });

  it('PAY-02: of a disputed charge ends with another payment method, not with the same one stored again', async () => {
    const one = await sent();
    await tell({ type: 'paid', paymentId: one, amountMicros: 20_000_000, providerId: `test_${one}` });
    await disputed(one);
    await paying.ask(PaymentStatus, 'POST', 'payment/remove/');
    await setUp(FAILS_LATER);
    await autopay(true);
    expect((await status()).error?.why).toBe('disputed');
    await setUp();
    expect((await status()).error).toBe(null);
    await tell({ type: 'disputed', ...dispute(one), amountMicros: 1 });
    expect((await status()).error?.why).toBe('disputed');
  });

  it.each([
    ['of what was paid by hand, with a card that nobody knows', '4242', '0341', pay],
    ['of a charge, with a method of which no digits are known', '0341', '', chargeOf],
    ['of a charge to a method of which no digits are known', '', '4242', chargeOf],
  ])('PAY-02: of the dispute %s, stays as another payment method is stored', async (_, before, after, paid) => {
    const store = async (last4: string) => {
      const { attempt: paymentId } = await paying.begin(undefined);
      const method = { id: `test_${CARD}`, brand: 'visa', last4, expires_month: 12, expires_year: 2099 };
      await tell({ type: 'stored', paymentId, method });
    };
    await store(before);
    await autopay(true);
    await disputed(await paid());
    await store(after);
    expect((await status()).error?.why).toBe('disputed');
    // As a version before has noted a method without digits.
    const holds = paying.db.updateTable('account_holds').where('organization_id', '=', paying.ada.organizationId);
    await holds.set({ card: 'link' }).execute();
    await store('1881');
    expect((await status()).error?.why).toBe('disputed');
  });

  it('PAY-13: of money that does not fit stops a try that waits since the charge was told as failed', async () => {
    const paymentId = await sent();
    await tell({ type: 'failed', paymentId, message: 'Insufficient funds.' });
    expect(await states()).toEqual(['failed', 'due']);
    const wrong = { type: 'paid', paymentId, amountMicros: 1_000_000, providerId: `test_${paymentId}` } as const;
    await tell(wrong);
    expect(await states()).toEqual(['failed', 'canceled']);
    expect((await status()).error).toMatchObject({ why: 'mismatched', next_try_at: null });
    await resetError();
    await tell(wrong);
    expect((await status()).error).toBe(null);
  });
});
