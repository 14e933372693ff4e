/** Autopay: what it charges, and when. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { BillingSettings } from '#contract/billing.ts';
import { chargeAt, PaymentStatus } from '#contract/paying.ts';
import { DEFAULT_PRICES } from '#server/platform/prices.ts';
import { storePrices } from '#server/money/usage/price-lists.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { outcomeOf } from '../../people.ts';
import { CREDIT, soon } from '../served.ts';
import { CONFIRM, FAILS_LATER, HOUR_MS, Paying } from './paying.ts';

const paying = new Paying();
const { ask, status, overview, use, begin, pay, setUp, autopay, charged, charges, amounts, failed, noted, tell, call } =
  paying;

describe('autopay', () => {
  it('BIL-05 BIL-07 PAY-08: needs a payment method, which is set up and removed; all of it is in the audit log', async () => {
    expect((await autopay(true)).status).toBe(409);
    await setUp();
    expect((await status()).method).toEqual({ brand: 'Visa', last4: '4242', expires_month: 12, expires_year: 2099 });
    expect((await autopay(true)).status).toBe(200);
    expect((await ask(BillingSettings, 'GET', 'billing/')).autopay.enabled).toBe(true);
    expect((await ask(PaymentStatus, 'POST', 'payment/remove/')).method).toBe(null);
    expect((await ask(BillingSettings, 'GET', 'billing/')).autopay.enabled).toBe(false);
    const [byAda, byProvider] = [{ actor: paying.ada.email }, { actor: 'Payment provider' }];
    expect(await noted()).toEqual([
      { ...byAda, action: 'payment_method.setup_begun', subject: 'Billing', detail: '' },
      { ...byProvider, action: 'payment_method.changed', subject: 'Visa 4242', detail: '' },
      { ...byAda, action: 'billing.updated', subject: 'Billing', detail: 'autopay: off → on' },
      { ...byAda, action: 'payment_method.removed', subject: 'Visa 4242', detail: '' },
    ]);
  });

  it('PAY-08: a method that takes the place of another is told once, with both, and the same one again is no change', async () => {
    await setUp();
    await setUp();
    await setUp(FAILS_LATER);
    expect(await noted('payment_method.changed')).toMatchObject([
      { subject: 'Visa 4242', detail: '' },
      { subject: 'Visa 0341', detail: 'Visa 4242 → Visa 0341' },
    ]);
  });

  it('PAY-08: a method that goes with its customer is told, and that autopay goes with it', async () => {
    await setUp();
    await autopay(true);
    await paying.setAccount({ customer_id: 'of_another_provider' });
    await begin(5_000_000);
    expect((await status()).method).toBe(null);
    expect(await noted('payment_method.removed')).toMatchObject([
      {
        actor: paying.ada.email,
        subject: 'Visa 4242',
        detail: 'The payment provider has another customer now; autopay: on → off',
      },
    ]);
  });

  it('PAY-03: charges once for each crossing, at least what lifts the balance to the threshold', async () => {
    await setUp();
    await autopay(true, 5_000_000, 5_000_000);
    await Promise.all(Array.from({ length: 12 }, () => use(500_000)));
    await charged(CREDIT - 6_000_000 + 5_000_000);
    expect(amounts()).toEqual([5_000_000]);
    await use(30_000_000);
    await charged(5_000_000);
    expect(amounts()).toEqual([5_000_000, 26_000_000]);
    expect(paying.keys()).toHaveLength(2);
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('PAY-03 BIX-14: charges at once where it is turned on below its threshold, which is told before, once', async () => {
    expect((await status()).balance_at_save_micros).toBe(null);
    await setUp();
    await use(9_000_000);
    expect((await status()).balance_at_save_micros).toBe(1_000_000);
    await autopay(true, 30_000_000, 20_000_000);
    expect((await status()).balance_at_save_micros).not.toBe(1_000_000);
    await charged(30_000_000);
    expect(amounts()).toEqual([chargeAt(1_000_000, { threshold_micros: 30_000_000, amount_micros: 20_000_000 })]);
    expect((await status()).balance_at_save_micros).toBe(30_000_000);
  });

  it('PAY-04 BIX-14: another method is charged at once after a decline, which is told before', async () => {
    await paying.decline();
    expect(await status()).toMatchObject({ balance_at_save_micros: null, charge_at_method_micros: 20_000_000 });
    await setUp();
    await charged(24_000_000);
    expect((await status()).charge_at_method_micros).toBe(null);
  });

  it('PAY-03: charges whole cents, rounded up, and no more at once than may be paid', async () => {
    await setUp();
    await autopay(true, 5_000_000, 5_000_000);
    await use(10_000_001);
    await charged(5_009_999);
    expect(amounts()).toEqual([5_010_000]);
    await use(20_000_009_999);
    await charged(5_000_000);
    expect(amounts()).toEqual([5_010_000, 10_000_000_000, 10_000_000_000]);
  });

  it('PAY-03: charges what is needed by the time that it is charged, and nothing where that is nothing', async () => {
    await setUp(CONFIRM);
    await autopay(true, 5_000_000, 5_000_000);
    await use(6_000_000);
    await failed();
    await paying.give(3_000_000);
    await paying.later(HOUR_MS + 1000, () => vi.waitUntil(async () => (await paying.states())[1] === 'canceled', soon));
    expect((await status()).error).toBe(null);
    expect(charges()).toHaveLength(1);
  });

  it('PAY-03: charges where nothing is left, also with a threshold of nothing', async () => {
    await setUp();
    await autopay(true, 0, 5_000_000);
    await use(10_000_000);
    await charged(5_000_000);
  });

  it('PAY-03 UXP-32: charges nothing where nothing has a price, and takes no payment', async () => {
    await setUp();
    await autopay(true);
    const { clock } = paying.server.services;
    await storePrices(paying.db, new Map(), clock);
    try {
      await use(6_000_000);
      expect(await paying.tries()).toEqual([]);
      const refusal = await call('POST', 'payment/', { attempt: randomUUID(), amount_micros: 5_000_000 });
      expect(await outcomeOf(refusal)).toBe('409 nothing_charged');
    } finally {
      await storePrices(paying.db, DEFAULT_PRICES, clock);
    }
    // What was left aside is looked at with the next request.
    await use(1);
    await charged(10_000_000 - 6_000_001 + 20_000_000);
  });

  it('PAY-02 BIL-05: a method that is stored counts, though its page was told as left, and a payment was made since', async () => {
    const { attempt: paymentId } = await begin(undefined);
    await tell({ type: 'canceled', paymentId });
    await pay();
    const method = { id: 'test_1', brand: 'Visa', last4: '4242', expires_month: 12, expires_year: 2099 };
    await tell({ type: 'stored', paymentId, method });
    expect(await status(paymentId)).toMatchObject({ attempt: { state: 'succeeded' }, method: { last4: '4242' } });
  });

  it('PAY-03 BIL-05: a method is not stored while its customer is not known, as after a restore: nobody could be charged', async () => {
    const { attempt: paymentId } = await begin(undefined);
    await paying.setAccount({ customer_id: null });
    const method = { id: 'test_1', brand: 'Visa', last4: '4242', expires_month: 12, expires_year: 2099 };
    await tell({ type: 'stored', paymentId, method });
    expect((await status()).method).toBe(null);
    expect((await autopay(true)).status).toBe(409);
    // The method that its job removes at the provider.
    const setup = paying.db.selectFrom('payments').select('method_id').where('id', '=', paymentId);
    expect(await setup.execute()).toEqual([{ method_id: method.id }]);
  });

  it('PAY-03: a payment that lifts the balance takes the place of a charge that waits', async () => {
    await paying.decline();
    await pay();
    expect(await overview()).toMatchObject({ balance_micros: 9_000_000, error: null, pending: null });
  });
});
