/** What stops autopay until somebody resets it, whatever the provider says of a charge meanwhile. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { soon } from '../served.ts';
import { FAILS_LATER, HOUR_MS, Paying } from './paying.ts';

const paying = new Paying();
const { status, overview, use, pay, setUp, autopay, cross, decline, charged, charges, keys, states, mails, tell } =
  paying;

const dispute = (paymentId: string) => ({ paymentId, disputeId: randomUUID(), amountMicros: 5_000_000 });
const disputed = (paymentId: string) => tell({ type: 'disputed', ...dispute(paymentId) });
/** A charge that the provider has, and that no event has told the end of. */
async function sent(): Promise<string> {
  await cross(FAILS_LATER, 11_000_000);
  await vi.waitUntil(async () => (await paying.tries()).some(({ provider_id }) => provider_id !== null), soon);
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
    expect((await paying.resetError()).error).toBe(null);
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
    await paying.resetError();
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
    await paying.later(25 * HOUR_MS, () => vi.waitUntil(async () => (await states())[0] === 'failed', soon));
    expect(await states()).toEqual(['failed']);
    expect((await status()).error).toMatchObject({ why: 'disputed', next_try_at: null });
    expect(keys()).toHaveLength(1);
  });

  it('PAY-02: is due by a process of the version before, and is not made', async () => {
    const payment = await pay();
    await decline(11_000_000);
    await disputed(payment);
    const [, second] = await paying.tries();
    await paying.db
      .updateTable('payments')
      .set({ state: 'due' })
      .where('id', '=', second?.id ?? '')
      .execute();
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

  it('PAY-02 BIX-07: of a refund is not ended by a dispute from before that is won', async () => {
    const [one, other] = [dispute(await pay()), await pay()];
    await cross(undefined, 10_000_000);
    await tell({ type: 'disputed', ...one });
    await tell({ type: 'refunded', paymentId: other, refundId: randomUUID(), amountMicros: 5_000_000 });
    expect((await status()).error?.why).toBe('refunded');
    await tell({ type: 'dispute_won', ...one });
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
    await paying.resetError();
    await tell(wrong);
    expect((await status()).error).toBe(null);
  });
});
