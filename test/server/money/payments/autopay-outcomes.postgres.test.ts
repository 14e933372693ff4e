/** Charges of autopay whose outcome is not known. */
import { describe, expect, it, vi } from 'vitest';
import { availableMicros } from '#server/money/ledger/accounts.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { autopayHandler } from '#server/money/payments/autopay.ts';
import { PaymentUnavailable, type PaymentDriver } from '#server/money/payments/port.ts';
import type { RunningJob } from '#server/platform/jobs/worker.ts';
import { accountOf, addCharge, paymentsOf } from '../books.ts';
import { soon } from '../served.ts';
import { FAILS_LATER, HOUR_MS, Paying, WatchedDriver } from './paying.ts';

const paying = new Paying();
const { status, overview, transactions, use, autopay, cross, charged } = paying;
const { charges, keys, mails, failed, looked, pay, resetError, setUp } = paying;

/** Half an hour after the charge, people are told that it has no answer. */
const toldUnanswered = async (): Promise<void> => {
  await looked(2);
  const why = async () => (await accountOf(paying.db, paying.ada.organizationId))?.error_why;
  await paying.later(HOUR_MS / 2, () => vi.waitUntil(async () => (await why()) === 'unknown', soon));
};

describe('a charge whose outcome is not known', () => {
  it('PAY-05: asks again by the same key while the outcome is not known', async () => {
    paying.driver.fails = 3;
    await cross();
    await charged(24_000_000);
    expect(charges()).toHaveLength(4);
    expect(keys()).toHaveLength(1);
    expect((await transactions()).filter(({ kind }) => kind === 'payment')).toHaveLength(1);
  });

  it('PAY-05 BIX-07: an unknown outcome is mailed to the owners and stops charges; a reset asks again with the same key', async () => {
    paying.driver.fails = Infinity;
    await cross();
    await looked(6);
    expect((await status()).error).toBe(null);
    await toldUnanswered();
    const { error } = await status();
    expect(error).toMatchObject({
      why: 'unknown',
      message: expect.stringContaining('has not said'),
      next_try_at: null,
    });
    await looked(3);
    expect(await mails()).toEqual(['A payment has no answer yet – Parlance']);
    await use(10_000_000);
    expect((await resetError()).error).toBe(null);
    await toldUnanswered();
    expect(await mails()).toHaveLength(2);
    expect((await overview()).pending).toMatchObject({ kind: 'autopay', state: 'processing' });
    paying.driver.fails = 0;
    await charged(14_000_000);
    expect(keys()).toHaveLength(1);
    expect(await status()).toMatchObject({ error: null });
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('PAY-05: is not made again as somebody pays by hand, or by another method, until it has an answer', async () => {
    paying.driver.fails = Infinity;
    await cross();
    await toldUnanswered();
    await pay();
    await setUp(FAILS_LATER);
    expect((await status()).error).toMatchObject({ why: 'unknown' });
    await use(6_000_000);
    expect(keys()).toHaveLength(1);
  });

  it('PAY-05: is asked about first where it is due for an hour, as in a database that was restored', async () => {
    const { services } = paying.server;
    await setUp();
    await autopay(true);
    const { organizationId: organization_id } = paying.ada;
    const at = new Date(paying.now().getTime() - HOUR_MS);
    const due = { organization_id, method_id: null, amount_micros: 20_000_000, state: 'due', at } as const;
    const subject = await addCharge(paying.db, due);
    await use(6_000_000);
    const made = { outcome: 'sent', providerId: `pi_${subject}` } as const;
    const look = vi
      .fn<PaymentDriver['look']>((_, since) => Promise.resolve(since.getTime() <= at.getTime() ? made : undefined))
      .mockRejectedValueOnce(new PaymentUnavailable('is out of reach'));
    const driver = Object.assign(new WatchedDriver(services), { look });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const job = { subject, complete: () => Promise.resolve() } as unknown as RunningJob;
    await expect(autopayHandler(services, driver).run(job)).rejects.toThrow(PaymentUnavailable);
    await autopayHandler(services, driver).run(job);
    expect(driver.charges).toEqual([]);
    expect((await paymentsOf(paying.db, organization_id)).at(-1)).toMatchObject({
      state: 'sent',
      provider_id: `pi_${subject}`,
    });
  });

  it('PAY-05: what the provider has of a charge is its outcome, and it is not asked for again', async () => {
    paying.driver.fails = Infinity;
    paying.driver.known = { outcome: 'declined', message: 'Insufficient funds.' };
    await cross();
    await failed();
    expect((await status()).error?.message).toBe('Insufficient funds.');
    expect(charges()).toHaveLength(1);
  });

  it('PAY-05: what the provider does not know an hour after it was last asked for is charged by a new key', async () => {
    paying.driver.fails = Infinity;
    await cross();
    await vi.waitUntil(() => charges().length > 1, soon);
    await paying.later(25 * HOUR_MS, async () => {
      await vi.waitUntil(() => keys().length === 2, soon);
      paying.driver.fails = 0;
      const left = () => availableMicros(paying.db, paying.ada.organizationId);
      await vi.waitUntil(async () => (await left()) === 24_000_000, soon);
    });
    expect(await paying.tries()).toMatchObject([
      { state: 'canceled', error_message: 'The charge did not reach the payment provider. Nothing was charged.' },
      { state: 'succeeded', error_message: null },
    ]);
  });

  it('PAY-05: a process whose clock has jumped ahead takes no charge that was asked for a moment ago for never made', async () => {
    paying.driver.fails = Infinity;
    await cross();
    await vi.waitUntil(() => charges().length > 0, soon);
    const now = Date.now.bind(Date);
    const machine = vi.spyOn(Date, 'now').mockImplementation(() => now() + 2 * 3_600_000);
    try {
      await looked(3);
    } finally {
      machine.mockRestore();
    }
    expect(keys()).toHaveLength(1);
  });

  it('PAY-05: is not asked for again by who has turned autopay off meanwhile', async () => {
    paying.driver.fails = Infinity;
    await cross();
    await vi.waitUntil(() => charges().length > 0, soon);
    await autopay(false);
    await paying.chargesNoMore();
  });
});
