/** What stops autopay until somebody resets it, whatever the provider says of a charge meanwhile. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { PaymentStatus } from '#contract/billing.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import type { MoneyEvent } from '#server/money/payments/port.ts';
import { settle } from '#server/money/payments/settle.ts';
import { Paying, soon } from './paying.ts';

const paying = new Paying();
const { ask, status, overview, use, begin, setUp, autopay, charged, charges, mails } = paying;
type Told = MoneyEvent extends infer One ? (One extends MoneyEvent ? Omit<One, 'id'> : never) : never;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const tell = (event: Told) => settle(paying.server.services, { ...event, id: randomUUID() } as MoneyEvent);

/** A payment that somebody has made by hand. */
async function paid(): Promise<string> {
  const { attempt: paymentId } = await begin(5_000_000);
  await tell({ type: 'paid', paymentId, amountMicros: 5_000_000, providerId: `test_${paymentId}` });
  return paymentId;
}
const disputed = (paymentId: string, disputeId = randomUUID()) =>
  tell({ type: 'disputed', paymentId, disputeId, amountMicros: 5_000_000 });
/** A charge that the provider has, and that no event has told the end of. */
async function sent(): Promise<string> {
  await setUp(TAKEN);
  await autopay(true);
  await use(11_000_000);
  await vi.waitUntil(async () => (await providerIds()).length === 1, soon);
  return charges()[0]?.paymentId ?? '';
}
async function providerIds(): Promise<string[]> {
  const rows = await paying.db
    .selectFrom('payments')
    .select('provider_id')
    .where('organization_id', '=', paying.ada.organizationId)
    .where('kind', '=', 'autopay')
    .execute();
  return rows.flatMap(({ provider_id }) => provider_id ?? []);
}
const states = async (): Promise<string[]> => {
  const rows = await paying.db
    .selectFrom('payments')
    .select('state')
    .where('organization_id', '=', paying.ada.organizationId)
    .where('kind', '=', 'autopay')
    .orderBy('position')
    .execute();
  return rows.map(({ state }) => state);
};
/** Its charges are taken; what is told of them here is told before that they have failed. */
const TAKEN = '4000000000000341';
const keys = () => new Set(charges().map(({ key }) => key));

describe('a charge that was sent before a dispute', () => {
  it('PAY-02 BIX-07: fails, and is not tried again', async () => {
    const payment = await paid();
    const paymentId = await sent();
    await disputed(payment);
    await tell({ type: 'failed', paymentId, message: 'Insufficient funds.' });
    expect(await states()).toEqual(['failed']);
    expect(await overview()).toMatchObject({ pending: null, error: { why: 'disputed', next_try_at: null } });
    expect(await mails()).toEqual(['Autopay has stopped – Parlance']);
    expect((await ask(PaymentStatus, 'PUT', 'payment/reset-error/')).error).toBe(null);
    expect((await states()).length).toBe(2);
  });

  it('PAY-02 BIX-07: is paid, and nothing is charged for the next crossing before a reset', async () => {
    const payment = await paid();
    const paymentId = await sent();
    await disputed(payment);
    await tell({ type: 'paid', paymentId, amountMicros: 20_000_000, providerId: `test_${paymentId}` });
    expect(await overview()).toMatchObject({ balance_micros: 19_000_000, error: { why: 'disputed' } });
    await use(15_000_000);
    expect(await states()).toEqual(['succeeded']);
    await ask(PaymentStatus, 'PUT', 'payment/reset-error/');
    await vi.waitUntil(() => charges().length === 2, soon);
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('PAY-02 PAY-05: has no answer, and is not asked for again; where it was never made, no other follows', async () => {
    const payment = await paid();
    await setUp();
    await autopay(true);
    paying.driver.fails = Infinity;
    await use(11_000_000);
    await vi.waitUntil(() => charges().length > 0, soon);
    await disputed(payment);
    await paying.chargesNoMore();
    const ahead = 25 * 3_600_000;
    paying.server.advance(ahead);
    await vi.waitUntil(async () => (await states())[0] === 'failed', soon);
    paying.server.advance(-ahead);
    expect(await states()).toEqual(['failed']);
    expect((await status()).error).toMatchObject({ why: 'disputed', next_try_at: null });
    expect(keys().size).toBe(1);
  });

  it('PAY-02: is due by a process of the version before, and is not made', async () => {
    const payment = await paid();
    await setUp('4000002500003155');
    await autopay(true);
    await use(11_000_000);
    await vi.waitUntil(async () => (await status()).error !== null, soon);
    const due = () => paying.db.updateTable('payments').set({ state: 'due' }).where('attempt', '=', 2);
    await disputed(payment);
    await due().where('organization_id', '=', paying.ada.organizationId).execute();
    paying.server.advance(3_601_000);
    await vi.waitUntil(async () => (await states())[1] === 'canceled', soon);
    paying.server.advance(-3_601_000);
    expect(charges()).toHaveLength(1);
    expect((await status()).error?.why).toBe('disputed');
  });
});

describe('an error that waits for a reset', () => {
  it('PAY-02 PAY-04: stays where somebody pays, or sets another method up', async () => {
    await setUp();
    await autopay(true);
    await use(6_000_000);
    await charged(24_000_000);
    const refund = { paymentId: charges()[0]?.paymentId ?? '', refundId: randomUUID(), amountMicros: 20_000_000 };
    await tell({ type: 'refunded', ...refund });
    expect((await status()).error?.why).toBe('refunded');
    await paid();
    await setUp(TAKEN);
    await vi.waitUntil(async () => (await status()).method?.last4 === '0341', soon);
    expect((await status()).error?.why).toBe('refunded');
    await use(9_000_000);
    expect(keys().size).toBe(1);
  });

  it('PAY-02 BIX-07: of two disputes ends as both are won', async () => {
    const payments = [await paid(), await paid()];
    await setUp();
    await autopay(true);
    const [first, second] = payments.map((paymentId) => ({
      paymentId,
      disputeId: randomUUID(),
      amountMicros: 5_000_000,
    }));
    if (first === undefined || second === undefined) throw new Error('There are two.');
    for (const dispute of [first, second]) await tell({ type: 'disputed', ...dispute });
    await tell({ type: 'dispute_won', ...first });
    expect((await status()).error?.why).toBe('disputed');
    await tell({ type: 'dispute_won', ...second });
    expect((await status()).error).toBe(null);
  });

  it('PAY-02 BIX-07: of a refund is not ended by a dispute from before that is won', async () => {
    const [payment, other] = [await paid(), await paid()];
    await setUp();
    await autopay(true);
    await use(10_000_000);
    const dispute = { paymentId: payment, disputeId: randomUUID(), amountMicros: 5_000_000 };
    await tell({ type: 'disputed', ...dispute });
    await tell({ type: 'refunded', paymentId: other, refundId: randomUUID(), amountMicros: 5_000_000 });
    expect((await status()).error?.why).toBe('refunded');
    await tell({ type: 'dispute_won', ...dispute });
    expect((await status()).error?.why).toBe('refunded');
    expect(charges()).toEqual([]);
  });

  it('PAY-13: of money that does not fit stops a try that waits since the charge was told as failed', async () => {
    const paymentId = await sent();
    await tell({ type: 'failed', paymentId, message: 'Insufficient funds.' });
    expect(await states()).toEqual(['failed', 'due']);
    const wrong = { type: 'paid', paymentId, amountMicros: 1_000_000, providerId: `test_${paymentId}` } as const;
    await tell(wrong);
    expect(await states()).toEqual(['failed', 'canceled']);
    expect((await status()).error).toMatchObject({ why: 'mismatched', next_try_at: null });
    await ask(PaymentStatus, 'PUT', 'payment/reset-error/');
    await tell(wrong);
    expect((await status()).error).toBe(null);
  });
});
