/** What stops autopay, and what lets it go on. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { colleague } from '../../people.ts';
import { soon } from '../served.ts';
import { CARD, FAILS_LATER, HOUR_MS, Paying } from './paying.ts';

const paying = new Paying();
const { status, overview, use, pay, setUp, autopay, cross, decline, charged, charges, mails, tell, resetError } =
  paying;

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

  it('PAY-02 PAY-04: a dispute that was won leaves the error of a decline; the try that waits is not made after another dispute, whichever is won', async () => {
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

  it('PAY-04 PAY-08: tells a decline to the owners alone, tries again later a few times, then waits for a reset, which is in the audit log', async () => {
    const others = [
      await colleague(paying.server, paying.ada, 'admin'),
      await colleague(paying.server, paying.ada, 'member'),
    ];
    const toOthers = () => Promise.all(others.map(({ email }) => mails(email)));
    const before = await toOthers();
    await decline();
    // A charge whose job loses its lease as the clock jumps is asked for again, by the same key.
    const tried = () => paying.keys().map((key) => key.split(':').slice(2).join('/'));
    expect(await mails()).toEqual(['A payment failed – Parlance']);
    expect((await status()).error).toMatchObject({
      why: 'declined',
      message: 'The card needs a confirmation by its owner.',
      next_try_at: expect.any(String),
    });
    // What waits for the next try is not money on its way.
    expect(await overview()).toMatchObject({ pending: null, error: { why: 'declined' } });
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

  it('PAY-04: who turns autopay off is not charged by the try that waits after a decline', async () => {
    await decline();
    expect((await status()).error?.next_try_at).not.toBeNull();
    await autopay(false);
    expect(await overview()).toMatchObject({ pending: null, error: { next_try_at: null } });
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
