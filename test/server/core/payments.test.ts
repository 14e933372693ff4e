import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sql } from 'kysely';
import * as v from 'valibot';
import { ApiError } from '#contract/errors.ts';
import {
  BillingOverview,
  BillingSettings,
  HostedPage,
  PaymentStatus,
  ReceiptUrl,
  TransactionPage,
  type PaymentAttempt,
} from '#contract/billing.ts';
import { availableMicros, enter, lockAccount } from '#server/money/ledger/accounts.ts';
import { keepPrices } from '#server/money/usage/price-lists.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import type { ChargeRequest, ChargeResult } from '#server/money/payments/port.ts';
import { settle } from '#server/money/payments/settle.ts';
import { TestDriver } from '#server/money/payments/test-driver.ts';
import { startTestServer, type TestServer, type TestUser } from '../harness.ts';
import { colleague } from './people.ts';
import { useUp } from './usage.ts';

const CREDIT = 10_000_000;
const CARD = '4242424242424242';

/** The test's driver, whose charges are watched, and can be made to fail. */
class WatchedDriver extends TestDriver {
  readonly charges: ChargeRequest[] = [];
  fails = 0;
  looks = 0;
  /** What it says to have of every charge. */
  known: ChargeResult | undefined;

  override look(request: ChargeRequest): Promise<ChargeResult | undefined> {
    this.looks += 1;
    return this.known ? Promise.resolve(this.known) : super.look(request);
  }

  override async charge(request: ChargeRequest): Promise<ChargeResult> {
    this.charges.push(request);
    if (this.fails > 0) {
      this.fails -= 1;
      throw new Error('The connection was reset.');
    }
    return super.charge(request);
  }
}

let server: TestServer;
let driver: WatchedDriver;
let ada: TestUser;
beforeAll(async () => {
  server = await startTestServer({
    payments: (services) => {
      driver = new WatchedDriver(services);
      return driver;
    },
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  ada = await server.createUser();
  driver.charges.length = 0;
  driver.fails = 0;
  driver.known = undefined;
});
afterEach(() => {
  // A charge that is asked for without end would be so for the tests that follow.
  driver.fails = 0;
});

const db = () => server.services.db;
const own = (path: string): string => `/api/v2/organizations/${ada.organizationId}/${path}`;
async function ask<const S extends v.GenericSchema>(schema: S, method: string, path: string, body?: unknown) {
  const answer = await server.call(ada, method, own(path), body);
  return v.parse(schema, await answer.json());
}
const status = (attempt?: string) =>
  ask(PaymentStatus, 'GET', `payment/status/${attempt === undefined ? '' : `?attempt=${attempt}`}`);
const overview = () => ask(BillingOverview, 'GET', 'billing/overview/');
const transactions = async () =>
  (await ask(TransactionPage, 'GET', 'billing/transactions/?return_total=true')).transactions;
const use = (micros: number): Promise<string> => useUp(db(), ada, micros, server.services.clock());

/** What somebody does on a hosted page. */
const submit = (url: string, form: Record<string, string>): Promise<Response> =>
  fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
const begin = (amount_micros: number | undefined, attempt: string = randomUUID()): Promise<HostedPage> =>
  amount_micros === undefined
    ? ask(HostedPage, 'POST', 'payment/setup/', { attempt })
    : ask(HostedPage, 'POST', 'payment/', { attempt, amount_micros });
async function ended(attempt: string, state: PaymentAttempt['state']): Promise<void> {
  await vi.waitUntil(async () => (await status(attempt)).attempt?.state === state, soon);
}
async function setUp(card: string = CARD): Promise<void> {
  const { url, attempt } = await begin(undefined);
  await submit(url, { action: 'confirm', card });
  await ended(attempt, 'succeeded');
}
const autopay = (enabled: boolean, threshold_micros = 5_000_000, amount_micros = 20_000_000) =>
  server.call(ada, 'PUT', own('billing/'), { autopay: { enabled, threshold_micros, amount_micros } });
const charged = (balance: number): Promise<boolean> =>
  vi.waitUntil(async () => (await overview()).balance_micros === balance, soon);
/** Of this test's organization. */
const charges = (): ChargeRequest[] => driver.charges.filter(({ key }) => key.includes(ada.organizationId));
const soon = { timeout: 30_000, interval: 20 };
const mails = async (recipient = ada.email): Promise<string[]> => {
  const rows = await db()
    .selectFrom('outbox')
    .select('subject')
    .where('recipient', '=', recipient)
    .orderBy('created_at')
    .execute();
  return rows.map(({ subject }) => subject);
};
const failed = (): Promise<boolean> => vi.waitUntil(async () => (await status()).error !== null, soon);

describe('payments into the balance', () => {
  it('PAY-01 BIL-06: are made on a page of the test, count once, and lead back', async () => {
    const { url, attempt } = await begin(25_000_000);
    expect(await (await fetch(url)).text()).toContain('Test mode');
    expect((await status(attempt)).attempt).toMatchObject({ state: 'open', amount_micros: 25_000_000 });
    const paid = await submit(url, { action: 'pay', card: CARD });
    expect([paid.status, paid.headers.get('location')]).toEqual([
      303,
      `${server.url}/org/${ada.organizationId}/billing/overview/?attempt=${attempt}`,
    ]);
    await submit(url, { action: 'pay', card: CARD });
    await ended(attempt, 'succeeded');
    expect(await overview()).toMatchObject({ mode: 'test', is_charging: true, balance_micros: CREDIT + 25_000_000 });
    expect((await transactions()).map(({ kind, amount_micros }) => [kind, amount_micros])).toEqual([
      ['payment', 25_000_000],
      ['credit', CREDIT],
    ]);
    expect(await proveLedger(db())).toEqual([]);
  });

  it('BIL-06: are declined, confirmed, left, or fail later', async () => {
    const first = await begin(5_000_000);
    expect(await (await submit(first.url, { action: 'pay', card: '4000000000000002' })).text()).toContain(
      'The card was declined',
    );
    expect(await (await submit(first.url, { action: 'pay', card: '4000002500003155' })).text()).toContain(
      'whether it’s you',
    );
    expect((await status(first.attempt)).attempt?.state).toBe('open');
    await submit(first.url, { action: 'confirm', card: '4000002500003155' });
    await ended(first.attempt, 'succeeded');

    const second = await begin(5_000_000);
    await submit(second.url, { action: 'cancel' });
    await ended(second.attempt, 'canceled');

    const third = await begin(5_000_000);
    await submit(third.url, { action: 'pay', card: '4000000000000341' });
    await ended(third.attempt, 'processing');
    server.advance(10_000);
    await ended(third.attempt, 'failed');
    expect((await status(third.attempt)).attempt?.error).toBe('The bank returned the payment.');
    expect((await overview()).balance_micros).toBe(CREDIT + 5_000_000);
  });

  it('BIL-06: the same attempt is the same payment, and one that is over is not begun again', async () => {
    const { url, attempt } = await begin(5_000_000);
    expect(await begin(5_000_000, attempt)).toEqual({ url, attempt });
    const other = await server.call(ada, 'POST', own('payment/'), { attempt, amount_micros: 6_000_000 });
    expect([other.status, v.parse(ApiError, await other.json()).error_type]).toEqual([409, 'payment_ended']);
    await submit(url, { action: 'cancel' });
    await ended(attempt, 'canceled');
    expect((await server.call(ada, 'POST', own('payment/'), { attempt, amount_micros: 5_000_000 })).status).toBe(409);
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(303);
    expect((await fetch(`${url}x`)).status).toBe(404);
  });

  it.each([4_990_000, 10_000_010_000, 5_000_001])('BIL-06: %i micro-USD are refused', async (amount_micros) => {
    const answer = await server.call(ada, 'POST', own('payment/'), { attempt: randomUUID(), amount_micros });
    expect(answer.status).toBe(400);
  });

  it('PAY-02: events that come late, twice and out of order change the balance once', async () => {
    const { attempt: paymentId } = await begin(5_000_000);
    const amountMicros = 5_000_000;
    const events = [
      { id: randomUUID(), type: 'refund_failed', paymentId, refundId: 're_2', amountMicros },
      { id: randomUUID(), type: 'refunded', paymentId, refundId: 're_1', amountMicros: 2_000_000 },
      { id: randomUUID(), type: 'failed', paymentId, message: 'No' },
      { id: randomUUID(), type: 'dispute_won', paymentId, disputeId: 'dp_1', amountMicros },
      { id: randomUUID(), type: 'paid', paymentId, amountMicros, providerId: `pi_${paymentId}` },
      { id: randomUUID(), type: 'refunded', paymentId, refundId: 're_2', amountMicros },
      { id: randomUUID(), type: 'disputed', paymentId, disputeId: 'dp_1', amountMicros },
      { id: randomUUID(), type: 'paid', paymentId, amountMicros, providerId: `pi_${paymentId}` },
    ] as const;
    await Promise.all([...events, ...events].map((event) => settle(server.services, event)));
    expect((await status(paymentId)).attempt).toMatchObject({ state: 'succeeded', error: null });
    expect((await overview()).balance_micros).toBe(CREDIT + 3_000_000);
    expect(await transactions()).toHaveLength(7);
    expect(await proveLedger(db())).toEqual([]);
  });

  const detail = (name: string, address: string, tax_id: string) =>
    server.call(ada, 'PUT', own('billing/'), {
      autopay: { enabled: false, threshold_micros: 0, amount_micros: 5_000_000 },
      details: { name, address, tax_id },
    });
  const receiptOf = async (uuid = ''): Promise<string> => {
    const { url } = await ask(ReceiptUrl, 'GET', `billing/transaction/${uuid}/receipt-url/`);
    return (await fetch(url)).text();
  };

  it('PAY-07 BIL-08: have a receipt, for who is signed in or has its address', async () => {
    await detail('Ada <b>Ltd</b>', '1 Main Street\nLondon', 'GB1');
    const { url, attempt } = await begin(25_000_000);
    await submit(url, { action: 'pay', card: CARD });
    await ended(attempt, 'succeeded');
    const [payment, credit] = await transactions();
    const { url: receipt } = await ask(ReceiptUrl, 'GET', `billing/transaction/${payment?.uuid ?? ''}/receipt-url/`);
    const text = await (await fetch(receipt)).text();
    for (const part of ['Receipt R-', '25.00 USD', 'Ada &lt;b&gt;Ltd&lt;/b&gt;', 'London', 'GB1', 'TEST MODE'])
      expect(text).toContain(part);
    expect((await fetch(`${receipt}x`)).status).toBe(404);
    expect((await server.call(ada, 'GET', own(`billing/transaction/${credit?.uuid ?? ''}/receipt-url/`))).status).toBe(
      404,
    );
    server.advance(25 * 3_600_000);
    expect((await fetch(receipt)).status).toBe(404);
    server.advance(-25 * 3_600_000);
  });

  it('PAY-07: name on their receipts who sold and paid then, whatever was changed since, and so do credit notes', async () => {
    await detail('Ada Ltd', 'London', 'GB1');
    const { attempt: paymentId } = await begin(5_000_000);
    const amountMicros = 5_000_000;
    await settle(server.services, { id: randomUUID(), type: 'paid', paymentId, amountMicros, providerId: paymentId });
    await detail('Ada GmbH', 'Berlin', 'DE2');
    await server.call(ada, 'PUT', own(''), { name: 'Renamed', contact_email: ada.email });
    // A server with other settings, on which payments are no test any more.
    const stripe = { secretKey: 'sk', webhookSecrets: [] };
    const config = { ...server.services.config, seller: ['Parlance SE', 'Paris'], stripe };
    const later = { ...server.services, config };
    await settle(later, { id: randomUUID(), type: 'refunded', paymentId, refundId: randomUUID(), amountMicros });
    const { attempt: next } = await begin(5_000_000);
    await settle(later, { id: randomUUID(), type: 'paid', paymentId: next, amountMicros, providerId: next });
    const texts = await Promise.all((await transactions()).slice(0, 3).map(({ uuid }) => receiptOf(uuid)));
    const [before, after] = [
      ['Ada Ltd', 'London', 'GB1', 'Test organization', server.services.config.seller.join(''), 'TEST MODE'],
      ['Ada GmbH', 'Berlin', 'DE2', 'Renamed', 'Parlance SE<br>Paris'],
    ];
    for (const [text, has, lacks] of [
      [texts[0], after, before.filter((part) => part !== server.services.config.seller.join(''))],
      [texts[1], before, after],
      [texts[2], before, after],
    ] as const) {
      expect(has.filter((part) => text?.includes(part) !== true)).toEqual([]);
      expect(lacks.filter((part) => text?.includes(part) === true)).toEqual([]);
    }
    const rewriting = db().updateTable('receipts').set({ name: 'Eve' }).execute();
    await expect(rewriting).rejects.toThrow('receipts are only added');
  });

  it('PAY-07: of before receipts were kept name how it stands today', async () => {
    const { attempt: paymentId } = await begin(5_000_000);
    const amountMicros = 5_000_000;
    await settle(server.services, { id: randomUUID(), type: 'paid', paymentId, amountMicros, providerId: paymentId });
    const [payment] = await transactions();
    await db()
      .deleteFrom('receipts')
      .where('entry_id', '=', payment?.uuid ?? '')
      .execute();
    await detail('Ada GmbH', 'Berlin', 'DE2');
    const text = await receiptOf(payment?.uuid);
    for (const part of ['Ada GmbH', 'Berlin', 'DE2', 'TEST MODE']) expect(text).toContain(part);
  });

  it('BIL-08: transactions are paged with a total', async () => {
    const page = (query: string) => ask(TransactionPage, 'GET', `billing/transactions/${query}`);
    expect(await page('')).toMatchObject({ total: null, transactions: [{ kind: 'credit' }] });
    expect(await page('?return_total=true&offset=1&limit=1')).toEqual({ total: 1, transactions: [] });
    expect((await server.call(ada, 'GET', own('billing/transactions/?offset=-1'))).status).toBe(400);
  });
});

describe('autopay', () => {
  it('BIL-05 BIL-07 PAY-08: needs a payment method, which is set up and removed; all of it is in the audit log', async () => {
    expect((await autopay(true)).status).toBe(409);
    await setUp();
    expect((await status()).method).toEqual({ brand: 'Visa', last4: '4242', expires_month: 12, expires_year: 2099 });
    expect((await autopay(true)).status).toBe(200);
    expect((await ask(BillingSettings, 'GET', 'billing/')).autopay.enabled).toBe(true);
    expect((await ask(PaymentStatus, 'POST', 'payment/remove/')).method).toBe(null);
    expect((await ask(BillingSettings, 'GET', 'billing/')).autopay.enabled).toBe(false);
    const noted = await db()
      .selectFrom('audit_log')
      .select(['actor', 'action', 'subject', 'detail'])
      .where('organization_id', '=', ada.organizationId)
      .orderBy('position')
      .execute();
    const [byAda, byProvider] = [{ actor: ada.email }, { actor: 'Payment provider' }];
    expect(noted).toEqual([
      { ...byAda, action: 'payment_method.setup_begun', subject: 'Billing', detail: '' },
      { ...byProvider, action: 'payment_method.changed', subject: 'Visa 4242', detail: '' },
      { ...byAda, action: 'billing.updated', subject: 'Billing', detail: 'autopay: off → on' },
      { ...byAda, action: 'payment_method.removed', subject: 'Visa 4242', detail: '' },
    ]);
  });

  it('PAY-08: a method that takes the place of another is told once, with both, and the same one again is no change', async () => {
    await setUp();
    await setUp();
    await setUp('4000000000000341');
    const changes = await db()
      .selectFrom('audit_log')
      .select(['subject', 'detail'])
      .where('organization_id', '=', ada.organizationId)
      .where('action', '=', 'payment_method.changed')
      .orderBy('position')
      .execute();
    expect(changes).toEqual([
      { subject: 'Visa 4242', detail: '' },
      { subject: 'Visa 0341', detail: 'Visa 4242 → Visa 0341' },
    ]);
  });

  it('PAY-08: a method that goes with its customer is told, and that autopay goes with it', async () => {
    await setUp();
    await autopay(true);
    await db()
      .updateTable('accounts')
      .set({ customer_id: 'of_another_provider' })
      .where('organization_id', '=', ada.organizationId)
      .execute();
    await begin(5_000_000);
    expect((await status()).method).toBe(null);
    const removed = await db()
      .selectFrom('audit_log')
      .select(['actor', 'subject', 'detail'])
      .where('organization_id', '=', ada.organizationId)
      .where('action', '=', 'payment_method.removed')
      .execute();
    expect(removed).toEqual([
      {
        actor: ada.email,
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
    expect(charges().map(({ amountMicros }) => amountMicros)).toEqual([5_000_000]);
    await use(30_000_000);
    await charged(5_000_000);
    expect(charges().map(({ amountMicros }) => amountMicros)).toEqual([5_000_000, 26_000_000]);
    expect(new Set(charges().map(({ key }) => key)).size).toBe(2);
    expect(await proveLedger(db())).toEqual([]);
  });

  it('PAY-03: charges at once where it is turned on below its threshold', async () => {
    await setUp();
    await use(9_000_000);
    await autopay(true, 5_000_000, 20_000_000);
    await charged(21_000_000);
    expect(charges()).toHaveLength(1);
  });

  it('PAY-03: charges whole cents, rounded up, and no more at once than may be paid', async () => {
    await setUp();
    await autopay(true, 5_000_000, 5_000_000);
    await use(10_000_001);
    await charged(5_009_999);
    expect(charges().map(({ amountMicros }) => amountMicros)).toEqual([5_010_000]);
    await use(20_000_009_999);
    await charged(5_000_000);
    expect(charges().map(({ amountMicros }) => amountMicros)).toEqual([5_010_000, 10_000_000_000, 10_000_000_000]);
  });

  it('PAY-05: asks again by the same key while the outcome is not known', async () => {
    await setUp();
    await autopay(true);
    driver.fails = 3;
    await use(6_000_000);
    await charged(24_000_000);
    expect(charges()).toHaveLength(4);
    expect(new Set(charges().map(({ key }) => key)).size).toBe(1);
    expect((await transactions()).filter(({ kind }) => kind === 'payment')).toHaveLength(1);
  });

  it('PAY-05: tells the owners where the outcome stays unknown, and charges nothing else: a reset asks again by the same key', async () => {
    await setUp();
    await autopay(true);
    driver.fails = Infinity;
    await use(6_000_000);
    await failed();
    const { error } = await status();
    expect(error).toMatchObject({ message: expect.stringContaining('has not said'), next_try_at: null });
    const looks = driver.looks;
    await vi.waitUntil(() => driver.looks >= looks + 3, soon);
    expect(await mails()).toEqual(['A payment has no answer yet – Parlance']);
    await use(10_000_000);
    expect((await ask(PaymentStatus, 'PUT', 'payment/reset-error/')).error).toBe(null);
    await failed();
    expect(await mails()).toHaveLength(2);
    expect((await overview()).pending).toMatchObject({ kind: 'autopay', state: 'processing' });
    driver.fails = 0;
    await charged(14_000_000);
    expect(new Set(charges().map(({ key }) => key)).size).toBe(1);
    expect(await status()).toMatchObject({ error: null });
    expect(await proveLedger(db())).toEqual([]);
  });

  it('PAY-05: what the provider has of a charge is its outcome, and it is not asked for again', async () => {
    await setUp();
    await autopay(true);
    driver.fails = Infinity;
    driver.known = { outcome: 'declined', message: 'Insufficient funds.' };
    await use(6_000_000);
    await failed();
    expect((await status()).error?.message).toBe('Insufficient funds.');
    expect(charges()).toHaveLength(1);
  });

  it('PAY-05: what the provider does not know an hour after it was last asked for is charged by a new key', async () => {
    await setUp();
    await autopay(true);
    driver.fails = Infinity;
    await use(6_000_000);
    await vi.waitUntil(() => charges().length > 1, soon);
    const ahead = 25 * 3_600_000;
    server.advance(ahead);
    await vi.waitUntil(() => new Set(charges().map(({ key }) => key)).size === 2, soon);
    driver.fails = 0;
    await vi.waitUntil(async () => (await availableMicros(db(), ada.organizationId)) === 24_000_000, soon);
    server.advance(-ahead);
    const { rows } = await sql<{
      state: string;
      error_message: string | null;
    }>`select state, error_message from payments
      where organization_id = ${ada.organizationId} and kind = 'autopay' order by position`.execute(db());
    expect(rows).toEqual([
      { state: 'failed', error_message: 'The charge did not reach the payment provider. Nothing was charged.' },
      { state: 'succeeded', error_message: null },
    ]);
  });

  it('PAY-05: a process whose clock has jumped ahead takes no charge that was asked for a moment ago for never made', async () => {
    await setUp();
    await autopay(true);
    driver.fails = Infinity;
    await use(6_000_000);
    await vi.waitUntil(() => charges().length > 0, soon);
    const now = Date.now.bind(Date);
    const machine = vi.spyOn(Date, 'now').mockImplementation(() => now() + 2 * 3_600_000);
    try {
      const before = driver.looks;
      await vi.waitUntil(() => driver.looks >= before + 3, soon);
    } finally {
      machine.mockRestore();
    }
    expect(new Set(charges().map(({ key }) => key)).size).toBe(1);
  });

  it('PAY-05: is not asked for again by who has turned autopay off meanwhile', async () => {
    await setUp();
    await autopay(true);
    driver.fails = Infinity;
    await use(6_000_000);
    await vi.waitUntil(() => charges().length > 0, soon);
    await autopay(false);
    const looked = (times: number): Promise<boolean> => {
      const before = driver.looks;
      return vi.waitUntil(() => driver.looks >= before + times, soon);
    };
    await looked(2);
    const asked = charges().length;
    await looked(3);
    expect(charges()).toHaveLength(asked);
  });

  it('PAY-03: charges what is needed by the time that it is charged, and nothing where that is nothing', async () => {
    await setUp('4000002500003155');
    await autopay(true, 5_000_000, 5_000_000);
    await use(6_000_000);
    await failed();
    await db()
      .transaction()
      .execute(async (trx) => {
        const account = await lockAccount(trx, ada.organizationId);
        await enter(trx, {
          organizationId: account?.organization_id ?? '',
          kind: 'credit',
          micros: 3_000_000,
          cause: randomUUID(),
          description: 'Thanks',
          at: new Date(),
        });
      });
    server.advance(3_601_000);
    const stateOf = async (): Promise<string | undefined> =>
      (
        await db()
          .selectFrom('payments')
          .select('state')
          .where('organization_id', '=', ada.organizationId)
          .where('attempt', '=', 2)
          .executeTakeFirst()
      )?.state;
    await vi.waitUntil(async () => (await stateOf()) === 'canceled', soon);
    server.advance(-3_601_000);
    expect((await status()).error).toBe(null);
    expect(charges()).toHaveLength(1);
  });

  it('PAY-03: charges where nothing is left, also with a threshold of nothing', async () => {
    await setUp();
    await autopay(true, 0, 5_000_000);
    await use(10_000_000);
    await charged(5_000_000);
  });

  it('PAY-02 PAY-04: what is refunded or disputed is not charged again before a reset, and the owners are told', async () => {
    await setUp();
    await autopay(true);
    await use(6_000_000);
    await charged(24_000_000);
    const payment = charges()[0]?.paymentId ?? '';
    const event = { paymentId: payment, amountMicros: 20_000_000 };
    await settle(server.services, { ...event, id: randomUUID(), type: 'refunded', refundId: randomUUID() });
    expect(await overview()).toMatchObject({ balance_micros: 4_000_000, pending: null, error: { next_try_at: null } });
    expect(await mails()).toEqual(['Autopay has stopped – Parlance']);
    await ask(PaymentStatus, 'PUT', 'payment/reset-error/');
    await charged(24_000_000);
    const disputeId = randomUUID();
    await settle(server.services, { ...event, id: randomUUID(), type: 'disputed', disputeId });
    expect(await overview()).toMatchObject({ balance_micros: 4_000_000, pending: null });
    expect((await status()).error?.message).toContain('disputed');
    await settle(server.services, { ...event, id: randomUUID(), type: 'dispute_won', disputeId });
    expect(await overview()).toMatchObject({ balance_micros: 24_000_000, error: null });
    // The same dispute, told late and once more.
    await settle(server.services, { ...event, id: randomUUID(), type: 'disputed', disputeId });
    expect(await overview()).toMatchObject({ balance_micros: 24_000_000, error: null });
    expect(charges()).toHaveLength(2);
    expect(await proveLedger(db())).toEqual([]);
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
    await settle(server.services, { ...event, type: 'dispute_won' });
    expect((await status()).error).toEqual(error);
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
      message: 'The card needs a confirmation by its owner.',
      next_try_at: expect.any(String),
    });
    await use(100_000);
    let ahead = 0;
    for (const [tries, hours] of [
      [2, 1],
      [3, 24],
      [4, 72],
    ] as const) {
      ahead += hours * 3_600_000 + 1000;
      server.advance(hours * 3_600_000 + 1000);
      await vi.waitUntil(async () => (await mails()).length === tries, soon);
    }
    // Back to where the access token is good.
    server.advance(-ahead);
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

  it('PAY-03 UXP-32: charges nothing where nothing has a price, and takes no payment', async () => {
    await setUp();
    await autopay(true);
    const { config, clock } = server.services;
    await keepPrices(db(), new Map(), clock());
    try {
      await use(6_000_000);
      expect(
        await db()
          .selectFrom('payments')
          .select('id')
          .where('organization_id', '=', ada.organizationId)
          .where('kind', '<>', 'setup')
          .execute(),
      ).toEqual([]);
      const refusal = await server.call(ada, 'POST', own('payment/'), {
        attempt: randomUUID(),
        amount_micros: 5_000_000,
      });
      expect(refusal.status).toBe(409);
      expect(v.parse(ApiError, await refusal.json()).error_type).toBe('nothing_charged');
    } finally {
      await keepPrices(db(), config.prices, clock());
    }
    // What was left aside is looked at with the next request.
    await use(1);
    await charged(10_000_000 - 6_000_001 + 20_000_000);
  });

  it('PAY-04: a decline is told to the owners alone', async () => {
    const others = [await colleague(server, ada, 'admin'), await colleague(server, ada, 'member')];
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
    expect((await overview()).pending).toMatchObject({ kind: 'autopay', state: 'processing' });
    await autopay(false);
    expect(await overview()).toMatchObject({ pending: null, error: { next_try_at: null } });
  });

  it('PAY-04 PAY-08: a reset is in the audit log, with the error that it ended', async () => {
    await setUp('4000002500003155');
    await autopay(true);
    await use(6_000_000);
    await failed();
    await ask(PaymentStatus, 'PUT', 'payment/reset-error/');
    const noted = await db()
      .selectFrom('audit_log')
      .select('detail')
      .where('organization_id', '=', ada.organizationId)
      .where('action', '=', 'payment_error.reset')
      .execute();
    expect(noted).toEqual([{ detail: 'The card needs a confirmation by its owner.' }]);
  });

  it('PAY-02 PAY-04: a payment that is told of a second time leaves the error of a later charge as it is', async () => {
    const { attempt: paymentId } = await begin(5_000_000);
    const paid = { type: 'paid', paymentId, amountMicros: 5_000_000, providerId: `pi_${paymentId}` } as const;
    await settle(server.services, { ...paid, id: randomUUID() });
    await setUp('4000002500003155');
    await autopay(true);
    await use(11_000_000);
    await failed();
    await settle(server.services, { ...paid, id: randomUUID() });
    expect((await status()).error).toMatchObject({ next_try_at: expect.any(String) });
    expect(charges()).toHaveLength(1);
  });

  it('PAY-11: an organization is not deleted while its money is on its way; what was paid is there, then it goes', async () => {
    const { url, attempt } = await begin(5_000_000);
    const remove = () => server.call(ada, 'DELETE', own(''));
    const refusal = await remove();
    expect(refusal.status).toBe(409);
    expect(v.parse(ApiError, await refusal.json()).error_type).toBe('payment_under_way');
    await submit(url, { action: 'pay', card: CARD });
    await ended(attempt, 'succeeded');
    expect((await overview()).balance_micros).toBe(CREDIT + 5_000_000);
    expect((await remove()).status).toBe(204);
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
    await settle(server.services, { id: randomUUID(), type: 'failed', paymentId, message: 'No' });
    expect((await status()).error).toBe(null);
    await charged(24_000_000);
    expect(charges().at(-1)?.methodId).toBe(`test_${CARD}`);
    expect(await mails()).toEqual([]);
  });

  it('PAY-02 BIL-05: a method that is stored counts, though its page was told as left, and a payment was made since', async () => {
    const { attempt: paymentId } = await begin(undefined);
    await settle(server.services, { id: randomUUID(), type: 'canceled', paymentId });
    const { url, attempt } = await begin(5_000_000);
    await submit(url, { action: 'pay', card: CARD });
    await ended(attempt, 'succeeded');
    const method = { id: 'test_1', brand: 'Visa', last4: '4242', expires_month: 12, expires_year: 2099 };
    await settle(server.services, { id: randomUUID(), type: 'stored', paymentId, method });
    expect(await status(paymentId)).toMatchObject({ attempt: { state: 'succeeded' }, method: { last4: '4242' } });
  });

  it('PAY-03: a payment that lifts the balance takes the place of a charge that waits', async () => {
    await setUp('4000002500003155');
    await autopay(true);
    await use(6_000_000);
    await failed();
    const { url, attempt } = await begin(5_000_000);
    await submit(url, { action: 'pay', card: CARD });
    await ended(attempt, 'succeeded');
    expect(await overview()).toMatchObject({ balance_micros: 9_000_000, error: null, pending: null });
  });
});

describe('the overview', () => {
  it('BIL-01: tells what is left, what the period cost, and how long it lasts', async () => {
    const day = 86_400_000;
    const now = server.services.clock();
    for (const ago of [1, 3]) await useUp(db(), ada, 700_000, new Date(now.getTime() - ago * day));
    await use(600_000);
    const today = now.toISOString().slice(0, 10);
    expect(await ask(BillingOverview, 'GET', `billing/overview/?start_date=${today}&end_date=${today}`)).toMatchObject({
      balance_micros: 8_000_000,
      cost_micros: 600_000,
      // At 1.40 USD in the three days since the first request.
      days_left: 17,
      is_exhausted: false,
      period: { start_date: today, end_date: today },
    });
    const reversed = await server.call(ada, 'GET', own('billing/overview/?start_date=2026-05-02&end_date=2026-05-01'));
    expect(reversed.status).toBe(400);
    expect(await overview()).toMatchObject({ period: { start_date: `${today.slice(0, 7)}-01`, end_date: today } });
    await use(8_000_000);
    expect(await overview()).toMatchObject({ balance_micros: 0, is_exhausted: true, days_left: 0 });
  });
});
