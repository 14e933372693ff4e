/** What stops autopay, and what lets it go on. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { PaymentStatus } from '#contract/billing.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { settle } from '#server/money/payments/settle.ts';
import { CARD, Paying, soon } from './paying.ts';
import { colleague } from '../../people.ts';

const paying = new Paying();
const { ask, status, overview, use, submit, begin, ended, setUp, autopay, charged, charges, mails, failed } = paying;

describe('the error of autopay', () => {
  it('PAY-02 PAY-04 BIX-07: what is refunded or disputed is not charged again before a reset, and the owners are told', async () => {
    await setUp();
    await autopay(true);
    await use(6_000_000);
    await charged(24_000_000);
    const payment = charges()[0]?.paymentId ?? '';
    const event = { paymentId: payment, amountMicros: 20_000_000 };
    await settle(paying.server.services, { ...event, id: randomUUID(), type: 'refunded', refundId: randomUUID() });
    expect(await overview()).toMatchObject({
      balance_micros: 4_000_000,
      pending: null,
      error: { why: 'refunded', next_try_at: null },
    });
    expect(await mails()).toEqual(['Autopay has stopped – Parlance']);
    expect((await ask(PaymentStatus, 'PUT', 'payment/reset-error/')).error).toBe(null);
    await charged(24_000_000);
    const disputeId = randomUUID();
    await settle(paying.server.services, { ...event, id: randomUUID(), type: 'disputed', disputeId });
    expect(await overview()).toMatchObject({ balance_micros: 4_000_000, pending: null });
    expect((await status()).error).toMatchObject({ why: 'disputed', message: expect.stringContaining('disputed') });
    await settle(paying.server.services, { ...event, id: randomUUID(), type: 'dispute_won', disputeId });
    expect(await overview()).toMatchObject({ balance_micros: 24_000_000, error: null });
    // The same dispute, told late and once more.
    await settle(paying.server.services, { ...event, id: randomUUID(), type: 'disputed', disputeId });
    expect(await overview()).toMatchObject({ balance_micros: 24_000_000, error: null });
    expect(charges()).toHaveLength(2);
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('PAY-02 PAY-04: a dispute that was won leaves the error of a decline as it is', async () => {
    const { url, attempt: paymentId } = await begin(5_000_000);
    await submit(url, { action: 'pay', card: CARD });
    await ended(paymentId, 'succeeded');
    await setUp('4000002500003155');
    await autopay(true);
    await use(11_000_000);
    await failed();
    const { error } = await status();
    const event = { id: randomUUID(), paymentId, disputeId: randomUUID(), amountMicros: 5_000_000 };
    await settle(paying.server.services, { ...event, type: 'dispute_won' });
    expect((await status()).error).toEqual(error);
  });

  it('PAY-02 PAY-04: a try that waits after a decline is not made after a dispute, nor does another dispute that is won let it go on', async () => {
    const { url, attempt: paymentId } = await begin(5_000_000);
    await submit(url, { action: 'pay', card: CARD });
    await ended(paymentId, 'succeeded');
    await setUp('4000002500003155');
    await autopay(true);
    await use(11_000_000);
    await failed();
    const [disputeId, other] = [randomUUID(), randomUUID()];
    const event = { paymentId, amountMicros: 5_000_000 };
    await settle(paying.server.services, { ...event, id: randomUUID(), type: 'dispute_won', disputeId: other });
    await settle(paying.server.services, { ...event, id: randomUUID(), type: 'disputed', disputeId });
    expect(await overview()).toMatchObject({ pending: null, error: { why: 'disputed', next_try_at: null } });
    await settle(paying.server.services, { ...event, id: randomUUID(), type: 'dispute_won', disputeId: other });
    expect((await status()).error?.why).toBe('disputed');
    expect(charges()).toHaveLength(1);
  });

  it('PAY-04: tells a decline to the owners, tries again later a few times, then waits for a reset', async () => {
    await setUp('4000002500003155');
    await autopay(true);
    await use(6_000_000);
    await failed();
    // A charge whose job loses its lease as the clock jumps is asked for again, by the same key.
    const tried = () => [...new Set(charges().map(({ key }) => key.split(':').slice(2).join('/')))];
    expect(await mails()).toEqual(['A payment failed – Parlance']);
    expect((await status()).error).toMatchObject({
      why: 'declined',
      message: 'The card needs a confirmation by its owner.',
      next_try_at: expect.any(String),
    });
    // What waits for the next try is not money on its way.
    expect(await overview()).toMatchObject({ pending: null, error: { why: 'declined' } });
    await use(100_000);
    let ahead = 0;
    for (const [tries, hours] of [
      [2, 1],
      [3, 24],
      [4, 72],
    ] as const) {
      ahead += hours * 3_600_000 + 1000;
      paying.server.advance(hours * 3_600_000 + 1000);
      await vi.waitUntil(async () => (await mails()).length === tries, soon);
    }
    // Back to where the access token is good.
    paying.server.advance(-ahead);
    expect((await status()).error?.next_try_at).toBe(null);
    expect(tried()).toHaveLength(4);
    await use(100_000);
    expect(tried()).toHaveLength(4);
    for (const tries of [5, 6, 7]) {
      // What is told is how it stands as the error goes, however soon the charge that follows is declined.
      expect((await ask(PaymentStatus, 'PUT', 'payment/reset-error/')).error).toBe(null);
      await vi.waitUntil(async () => (await mails()).length === tries, soon);
    }
    expect(tried()).toEqual([...['1/1', '1/2', '1/3', '1/4'], ...['2/1', '3/1', '4/1']]);
  });

  it('PAY-04: a decline is told to the owners alone', async () => {
    const others = [
      await colleague(paying.server, paying.ada, 'admin'),
      await colleague(paying.server, paying.ada, 'member'),
    ];
    const before = await Promise.all(others.map(({ email }) => mails(email)));
    await setUp('4000002500003155');
    await autopay(true);
    await use(6_000_000);
    await failed();
    expect(await mails()).toEqual(['A payment failed – Parlance']);
    expect(await Promise.all(others.map(({ email }) => mails(email)))).toEqual(before);
  });

  it('PAY-04: who turns autopay off is not charged by the try that waits after a decline', async () => {
    await setUp('4000002500003155');
    await autopay(true);
    await use(6_000_000);
    await failed();
    expect((await status()).error?.next_try_at).not.toBeNull();
    await autopay(false);
    expect(await overview()).toMatchObject({ pending: null, error: { next_try_at: null } });
  });

  it('PAY-04 PAY-08: a reset is in the audit log, with the error that it ended', async () => {
    await setUp('4000002500003155');
    await autopay(true);
    await use(6_000_000);
    await failed();
    await ask(PaymentStatus, 'PUT', 'payment/reset-error/');
    const noted = await paying.db
      .selectFrom('audit_log')
      .select('detail')
      .where('organization_id', '=', paying.ada.organizationId)
      .where('action', '=', 'payment_error.reset')
      .execute();
    expect(noted).toEqual([{ detail: 'The card needs a confirmation by its owner.' }]);
  });

  it('PAY-02 PAY-04: a payment that is told of a second time leaves the error of a later charge as it is', async () => {
    const { attempt: paymentId } = await begin(5_000_000);
    const paid = { type: 'paid', paymentId, amountMicros: 5_000_000, providerId: `pi_${paymentId}` } as const;
    await settle(paying.server.services, { ...paid, id: randomUUID() });
    await setUp('4000002500003155');
    await autopay(true);
    await use(11_000_000);
    await failed();
    await settle(paying.server.services, { ...paid, id: randomUUID() });
    expect((await status()).error).toMatchObject({ next_try_at: expect.any(String) });
    expect(charges()).toHaveLength(1);
  });

  it('PAY-04: another method, or a payment, ends the error', async () => {
    await setUp('4000002500003155');
    await autopay(true);
    await use(6_000_000);
    await failed();
    await setUp();
    await charged(24_000_000);
    expect(await status()).toMatchObject({ error: null, method: { last4: '4242' } });
  });

  it('PAY-04: a decline of the method before leaves the new one without an error, and it is charged', async () => {
    await setUp('4000000000000341');
    await autopay(true);
    await use(6_000_000);
    await vi.waitUntil(() => charges().length > 0, soon);
    await setUp();
    const paymentId = charges()[0]?.paymentId ?? '';
    await settle(paying.server.services, { id: randomUUID(), type: 'failed', paymentId, message: 'No' });
    expect((await status()).error).toBe(null);
    await charged(24_000_000);
    expect(charges().at(-1)?.methodId).toBe(`test_${CARD}`);
    expect(await mails()).toEqual([]);
  });
});
