/** Payments into the balance, and what the overview says of it. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { applyPaymentEvent } from '#server/money/payments/apply-event.ts';
import { DEFAULT_PRICES } from '#server/platform/prices.ts';
import { storePrices } from '#server/money/usage/price-lists.ts';
import { colleague, leftOf, organizationOf, outcomeOf } from '../../people.ts';
import { accountOf, entriesOf, paymentsOf } from '../books.ts';
import { CREDIT, soon } from '../served.ts';
import { CARD, CONFIRM, FAILS_LATER, HOUR_MS, LATE, Paying } from './paying.ts';

const paying = new Paying();
const { status, overview, transactions, use, submit, begin, pay, ended, listed, call } = paying;

describe('payments into the balance', () => {
  it('PAY-01 BIL-06: are made on a page of the test, count once, and lead back', async () => {
    const { url, attempt } = await begin(25_000_000);
    expect(await (await fetch(url)).text()).toContain('Test mode');
    expect((await status(attempt)).attempt).toMatchObject({ state: 'open', amount_micros: 25_000_000 });
    const paid = await submit(url, { action: 'pay', card: CARD });
    expect([paid.status, paid.headers.get('location')]).toEqual([
      303,
      `${paying.server.url}/org/${paying.ada.organizationId}/billing/overview/?attempt=${attempt}`,
    ]);
    await submit(url, { action: 'pay', card: CARD });
    await ended(attempt, 'succeeded');
    expect(await overview()).toMatchObject({ mode: 'test', is_charging: true, balance_micros: CREDIT + 25_000_000 });
    expect(await listed()).toEqual([
      ['payment', 25_000_000],
      ['credit', CREDIT],
    ]);
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('BIL-06: are declined, confirmed, left, or fail later', async () => {
    const first = await begin(5_000_000);
    const said = async (card: string) => {
      const answer = await submit(first.url, { action: 'pay', card });
      // Back and a reload send no form a second time.
      expect(answer.status).toBe(303);
      return (await fetch(new URL(answer.headers.get('location') ?? '', first.url))).text();
    };
    expect(await said('4000000000000002')).toContain('The card was declined');
    expect(await said(CONFIRM)).toContain('asks you to confirm the use of the card');
    expect((await status(first.attempt)).attempt?.state).toBe('open');
    await submit(first.url, { action: 'confirm', card: CONFIRM });
    await ended(first.attempt, 'succeeded');

    const second = await begin(5_000_000);
    await submit(second.url, { action: 'cancel' });
    await ended(second.attempt, 'canceled');

    const third = await begin(5_000_000);
    await submit(third.url, { action: 'pay', card: FAILS_LATER });
    await ended(third.attempt, 'processing');
    paying.server.advance(10_000);
    await ended(third.attempt, 'failed');
    expect((await status(third.attempt)).attempt?.error).toBe('The bank returned the payment.');
    expect((await overview()).balance_micros).toBe(CREDIT + 5_000_000);
  });

  it('PAY-20: who has paid has completed the page, and the payment is under way until it is told of', async () => {
    const { url, attempt } = await begin(5_000_000);
    await Promise.all(Array.from({ length: 3 }, () => submit(url, { action: 'pay', card: LATE })));
    for (const later of [
      await fetch(url, { redirect: 'manual' }),
      await submit(url, { action: 'cancel' }),
      await submit(url, { action: 'pay', card: FAILS_LATER }),
    ])
      expect(later.headers.get('location')).toMatch(new RegExp(`/billing/overview/\\?attempt=${attempt}$`));
    await ended(attempt, 'processing');
    expect((await overview()).pending).toMatchObject({ uuid: attempt, state: 'processing', amount_micros: 5_000_000 });
    const words = async () => (await paying.db.selectFrom('test_payment_words').select('word').execute()).length;
    await vi.waitUntil(async () => (await words()) === 1, soon);
    paying.server.advance(10_000);
    await ended(attempt, 'succeeded');
    await vi.waitUntil(async () => (await words()) === 0, soon);
    const events = paying.db.selectFrom('payment_events').select('type').where('id', 'like', `evt_test_${attempt}_%`);
    expect((await events.orderBy('type').execute()).map(({ type }) => type)).toEqual(['accepted', 'paid']);
    expect(await overview()).toMatchObject({ balance_micros: CREDIT + 5_000_000, pending: null });
  });

  it('BIL-06: the same attempt is the same payment, and one that is over is not begun again', async () => {
    const { url, attempt } = await begin(5_000_000);
    expect(await begin(5_000_000, attempt)).toEqual({ url, attempt });
    const again = async (amount_micros: number) =>
      outcomeOf(await call('POST', 'payment/', { attempt, amount_micros }));
    expect(await again(6_000_000)).toBe('409 payment_ended');
    await submit(url, { action: 'cancel' });
    await ended(attempt, 'canceled');
    expect(await again(5_000_000)).toBe('409 payment_ended');
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(303);
    expect((await fetch(`${url}x`)).status).toBe(404);
  });

  it.each([4_990_000, 10_000_010_000, 5_000_001])('BIL-06: %i micro-USD are refused', async (amount_micros) => {
    expect((await call('POST', 'payment/', { attempt: randomUUID(), amount_micros })).status).toBe(400);
  });

  it.each([
    ['at once', undefined],
    ['a refund before one that fails', [4, 1, 5, 0, 2, 3, 6, 7]],
    ['a refund after one that fails', [5, 4, 1, 2, 3, 6, 7, 0]],
  ])('PAY-02: events that come late, twice and out of order change the balance once: %s', async (_what, inOrder) => {
    const { attempt: paymentId } = await begin(5_000_000);
    const amountMicros = 5_000_000;
    const of = { paymentId, providerId: `pi_${paymentId}` };
    const events = [
      { id: randomUUID(), type: 'refund_failed', ...of, refundId: `re_2_${paymentId}`, amountMicros },
      { id: randomUUID(), type: 'refunded', ...of, refundId: `re_1_${paymentId}`, amountMicros: 2_000_000 },
      { id: randomUUID(), type: 'failed', paymentId, message: 'No' },
      { id: randomUUID(), type: 'dispute_won', ...of, disputeId: `dp_1_${paymentId}`, amountMicros },
      { id: randomUUID(), type: 'paid', ...of, amountMicros },
      { id: randomUUID(), type: 'refunded', ...of, refundId: `re_2_${paymentId}`, amountMicros },
      { id: randomUUID(), type: 'disputed', ...of, disputeId: `dp_1_${paymentId}`, amountMicros },
      { id: randomUUID(), type: 'paid', ...of, amountMicros },
    ] as const;
    if (inOrder === undefined)
      await Promise.all([...events, ...events].map((event) => applyPaymentEvent(paying.server.services, event)));
    else for (const which of inOrder) await applyPaymentEvent(paying.server.services, events[which] ?? events[0]);
    expect((await status(paymentId)).attempt).toMatchObject({ state: 'succeeded', error: null });
    expect((await overview()).balance_micros).toBe(CREDIT + 3_000_000);
    expect(await transactions()).toHaveLength(7);
    const waits = await paying.db
      .selectFrom('refused_events')
      .select('cause')
      .where('payment_id', '=', paymentId)
      .where('settled_at', 'is', null)
      .execute();
    expect(waits).toEqual([]);
    expect(await proveLedger(paying.db)).toEqual([]);
  });
});

describe('what an organization that is deleted owes or has', () => {
  const delete_ = (lost?: number) => call('DELETE', lost === undefined ? '' : `?lost_micros=${lost}`);
  const left = () => leftOf(paying.server, paying.ada);
  const books = async () => ({
    entries: (await entriesOf(paying.db, paying.ada.organizationId)).map((entry) => [entry.kind, entry.amount_micros]),
    account: await accountOf(paying.db, paying.ada.organizationId),
  });

  it('PAY-11: owes: it is deleted once that is paid, and a page on which somebody may do so stays', async () => {
    await use(CREDIT + 1_230_000);
    expect(await left()).toBe(-1_230_000);
    const { attempt } = await begin(5_000_000);
    expect(await (await delete_(Number.MAX_SAFE_INTEGER)).json()).toMatchObject({
      error_type: 'balance_negative',
      message: 'The organization owes 1.23 USD. Pay first, or have the operator settle it, then delete it.',
    });
    expect((await status(attempt)).attempt?.state).toBe('open');
    await pay();
    expect(await outcomeOf(await delete_(await left()))).toBe('204');
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('PAY-11: a payment is under way: another page, on which somebody may pay, stays open', async () => {
    const [ordered, other] = [await begin(5_000_000), await begin(6_000_000)];
    await paying.tell({ type: 'accepted', paymentId: ordered.attempt });
    expect(await outcomeOf(await delete_(await left()))).toBe('409 payment_under_way');
    expect((await status(other.attempt)).attempt?.state).toBe('open');
  });

  it('PAY-11: owes where nothing has a price any more, so that nobody can pay: it is deleted, and the debt written off', async () => {
    await use(CREDIT + 1);
    const { clock } = paying.server.services;
    await storePrices(paying.db, new Map(), clock);
    try {
      expect(await left()).toBe(0);
      expect(await outcomeOf(await delete_())).toBe('204');
    } finally {
      await storePrices(paying.db, DEFAULT_PRICES, clock);
    }
    expect((await books()).entries.at(-1)).toEqual(['correction', 1]);
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('PAY-11: owes less than a cent, which nobody can pay: it is deleted, and that written off in the books', async () => {
    await use(CREDIT + 10_000);
    expect(await left()).toBe(-10_000);
    expect(await outcomeOf(await delete_())).toBe('409 balance_negative');
    await paying.give(1, 'credit:rest');
    expect(await left()).toBe(0);
    expect(await outcomeOf(await delete_())).toBe('204');
    expect((await books()).entries.at(-1)).toEqual(['correction', 9_999]);
    expect((await books()).account?.balance_micros).toBe(0);
    const [line] = await paying.db
      .selectFrom('audit_log')
      .select(['action', 'detail'])
      .where('organization_id', '=', paying.ada.organizationId)
      .execute();
    expect(line).toEqual({ action: 'organization.deleted', detail: 'debt written off: 0.009999 USD' });
    expect(await proveLedger(paying.db)).toEqual([]);
  });

  it('LED-09 PAY-18: has some: it is deleted by who agrees to lose all of it; books and who did it stay', async () => {
    const { organizationId, email } = paying.ada;
    await pay();
    await use(1_500_000);
    const before = (await books()).entries;
    const balance = await left();
    expect(balance).toBe(CREDIT + 5_000_000 - 1_500_000);
    // Nobody has read more than that lately.
    for (const lost of [undefined, balance - 1, CREDIT + 5_000_001, Number.MAX_SAFE_INTEGER])
      expect(await (await delete_(lost)).json()).toMatchObject({
        error_type: 'balance_positive',
        message:
          'The balance of 13.5 USD would be lost. To delete the organization anyway, confirm that amount in lost_micros.',
      });
    expect((await books()).entries).toEqual(before);
    expect(await outcomeOf(await delete_(balance))).toBe('204');
    const { entries, account } = await books();
    expect(entries).toEqual([...before, ['usage', -1_500_000], ['correction', -balance]]);
    expect(account).toMatchObject({ balance_micros: 0, customer_id: null, method_id: null, billing_name: '' });
    expect(account?.closed_at).toBeInstanceOf(Date);
    expect((await paymentsOf(paying.db, organizationId)).map(({ state }) => state)).toEqual(['succeeded']);
    const lines = paying.db
      .selectFrom('audit_log')
      .select(['action', 'actor', 'subject', 'detail'])
      .where('organization_id', '=', organizationId);
    expect(await lines.execute()).toEqual([
      { action: 'organization.deleted', actor: email, subject: 'Test organization', detail: 'balance lost: 13.5 USD' },
    ]);
    expect(await proveLedger(paying.db)).toEqual([]);
    // Of a version before, which knows nothing of it.
    await expect(paying.give(1, 'refund:late')).rejects.toThrow('the account is closed');
    await paying.db.deleteFrom('audit_log').where('organization_id', '=', organizationId).execute();
    expect(await lines.execute()).toHaveLength(1);
  });

  it('PAY-18: has fallen by use since it was read: it goes; what was used longer ago was not', async () => {
    await use(1_000_000, new Date(paying.now().getTime() - 2 * 24 * HOUR_MS));
    const before = await left();
    await use(1_500_000);
    expect(await outcomeOf(await delete_(before + 1))).toBe('409 balance_positive');
    expect(await outcomeOf(await delete_(before))).toBe('204');
  });

  it('PAY-18: is used up: nothing is said to be lost', async () => {
    await use(CREDIT);
    expect(await (await delete_(CREDIT + 1)).json()).toMatchObject({
      error_type: 'balance_positive',
      message: 'Nothing of the balance would be lost. To delete the organization, leave lost_micros out.',
    });
    expect(await outcomeOf(await delete_())).toBe('204');
  });

  it.each(['-1', '1.5', 'x', '9007199254740992'])('PAY-18: nobody agrees to lose %s', async (lost) => {
    expect(await outcomeOf(await call('DELETE', `?lost_micros=${lost}`))).toBe('400 invalid_request');
  });

  it('PAY-18: is told to its owners alone', async () => {
    const admin = await colleague(paying.server, paying.ada, 'admin');
    const path = `${organizationOf(paying.ada)}deletion/`;
    expect(await outcomeOf(await paying.server.call(admin, 'GET', path))).toBe('403 permission_denied');
  });

  it.each([
    ...(['accounts', 'usage_days', 'payments', 'ledger_entries', 'receipts', 'receipt_series'] as const),
    ...(['pruned_usage', 'credits_given'] as const),
  ])('LED-07 LED-09: nothing of %s can be removed, nor can an organization whose account is open', async (table) => {
    const { db, ada } = paying;
    await expect(sql`delete from ${sql.table(table)}`.execute(db)).rejects.toThrow(`rows of ${table} are kept`);
    await expect(sql`truncate ${sql.table(table)} cascade`.execute(db)).rejects.toThrow('are kept');
    const removal = db.deleteFrom('organizations').where('id', '=', ada.organizationId).execute();
    await expect(removal).rejects.toThrow('the account of an organization is closed before it is deleted');
  });
});
