/** Charges of autopay whose outcome is not known. */
import { describe, expect, it, vi } from 'vitest';
import { sql } from 'kysely';
import { PaymentStatus } from '#contract/billing.ts';
import { availableMicros } from '#server/money/ledger/accounts.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { Paying, soon } from './paying.ts';

const paying = new Paying();
const { ask, status, overview, transactions, use, setUp, autopay, charged, charges, mails, failed } = paying;

describe('a charge whose outcome is not known', () => {
  it('PAY-05: asks again by the same key while the outcome is not known', async () => {
    await setUp();
    await autopay(true);
    paying.driver.fails = 3;
    await use(6_000_000);
    await charged(24_000_000);
    expect(charges()).toHaveLength(4);
    expect(new Set(charges().map(({ key }) => key)).size).toBe(1);
    expect((await transactions()).filter(({ kind }) => kind === 'payment')).toHaveLength(1);
  });

  it('PAY-05 BIX-07: tells the owners where the outcome stays unknown, and charges nothing else: a reset asks again by the same key', async () => {
    await setUp();
    await autopay(true);
    paying.driver.fails = Infinity;
    await use(6_000_000);
    await failed();
    const { error } = await status();
    expect(error).toMatchObject({
      why: 'unknown',
      message: expect.stringContaining('has not said'),
      next_try_at: null,
    });
    const looks = paying.driver.looks;
    await vi.waitUntil(() => paying.driver.looks >= looks + 3, soon);
    expect(await mails()).toEqual(['A payment has no answer yet – Parlance']);
    await use(10_000_000);
    expect((await ask(PaymentStatus, 'PUT', 'payment/reset-error/')).error).toBe(null);
    await failed();
    expect(await mails()).toHaveLength(2);
    expect((await overview()).pending).toMatchObject({ kind: 'autopay', state: 'processing' });
    paying.driver.fails = 0;
    await charged(14_000_000);
    expect(new Set(charges().map(({ key }) => key)).size).toBe(1);
    expect(await status()).toMatchObject({ error: null });
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('PAY-05: what the provider has of a charge is its outcome, and it is not asked for again', async () => {
    await setUp();
    await autopay(true);
    paying.driver.fails = Infinity;
    paying.driver.known = { outcome: 'declined', message: 'Insufficient funds.' };
    await use(6_000_000);
    await failed();
    expect((await status()).error?.message).toBe('Insufficient funds.');
    expect(charges()).toHaveLength(1);
  });

  it('PAY-05: what the provider does not know an hour after it was last asked for is charged by a new key', async () => {
    await setUp();
    await autopay(true);
    paying.driver.fails = Infinity;
    await use(6_000_000);
    await vi.waitUntil(() => charges().length > 1, soon);
    const ahead = 25 * 3_600_000;
    paying.server.advance(ahead);
    await vi.waitUntil(() => new Set(charges().map(({ key }) => key)).size === 2, soon);
    paying.driver.fails = 0;
    await vi.waitUntil(async () => (await availableMicros(paying.db, paying.ada.organizationId)) === 24_000_000, soon);
    paying.server.advance(-ahead);
    const { rows } = await sql<{
      state: string;
      error_message: string | null;
    }>`select state, error_message from payments
      where organization_id = ${paying.ada.organizationId} and kind = 'autopay' order by position`.execute(paying.db);
    expect(rows).toEqual([
      { state: 'failed', error_message: 'The charge did not reach the payment provider. Nothing was charged.' },
      { state: 'succeeded', error_message: null },
    ]);
  });

  it('PAY-05: a process whose clock has jumped ahead takes no charge that was asked for a moment ago for never made', async () => {
    await setUp();
    await autopay(true);
    paying.driver.fails = Infinity;
    await use(6_000_000);
    await vi.waitUntil(() => charges().length > 0, soon);
    const now = Date.now.bind(Date);
    const machine = vi.spyOn(Date, 'now').mockImplementation(() => now() + 2 * 3_600_000);
    try {
      const before = paying.driver.looks;
      await vi.waitUntil(() => paying.driver.looks >= before + 3, soon);
    } finally {
      machine.mockRestore();
    }
    expect(new Set(charges().map(({ key }) => key)).size).toBe(1);
  });

  it('PAY-05: is not asked for again by who has turned autopay off meanwhile', async () => {
    await setUp();
    await autopay(true);
    paying.driver.fails = Infinity;
    await use(6_000_000);
    await vi.waitUntil(() => charges().length > 0, soon);
    await autopay(false);
    await paying.chargesNoMore();
  });
});
