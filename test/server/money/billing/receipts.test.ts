/** Receipts and credit notes. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ReceiptUrl } from '#contract/transactions.ts';
import { REVERSE_CHARGE } from '#server/money/ledger/tax.ts';
import { organizationOf } from '../../people.ts';
import { CARD, HOUR_MS, Paying } from '../payments/paying.ts';

const paying = new Paying();
const { ask, transactions, submit, begin, pay, ended, tell, call } = paying;

/** The reason on the page that a browser gets for an address that does not work. */
async function missingPage(address: string): Promise<string | undefined> {
  const answer = await fetch(address, { headers: { accept: 'text/html,*/*' } });
  const html = await answer.text();
  expect([answer.status, html.includes('href="/org/billing/transactions/"')]).toEqual([404, true]);
  return /<\/h1><p>([^<]*)</.exec(html)?.[1];
}

describe('payments into the balance', () => {
  const detail = (name: string, address: string, tax_id: string) =>
    call('PUT', 'billing/', {
      autopay: { enabled: false, threshold_micros: 0, amount_micros: 5_000_000 },
      details: { name, address, tax_id },
    });
  const receiptAt = async (uuid = '') => (await ask(ReceiptUrl, 'GET', `billing/transaction/${uuid}/receipt-url/`)).url;
  const receiptOf = async (uuid?: string): Promise<string> => (await fetch(await receiptAt(uuid))).text();

  /** Kind and number, newest first. */
  const receipts = async () => (await transactions()).flatMap(({ receipt }) => receipt ?? []);

  it('PAY-07 BIL-08: have a receipt, for who is signed in or has its address, on which no script runs', async () => {
    await detail('Ada <b>Ltd</b>', '1 Main Street\nLondon', 'GB1');
    const { url, attempt } = await begin(25_000_000);
    await submit(url, { action: 'pay', card: CARD });
    await ended(attempt, 'succeeded');
    const [payment, credit] = await transactions();
    const receipt = await receiptAt(payment?.uuid);
    const page = await fetch(receipt);
    const text = await page.text();
    expect(text).toContain('<dt>Paid with</dt><dd>Visa ending in 4242</dd>');
    for (const part of ['25.00 USD', 'Ada &lt;b&gt;Ltd&lt;/b&gt;', '1 Main Street<br>London', 'GB1', 'TEST MODE'])
      expect(text).toContain(part);
    // What was bought, a date that keeps its zone, and a way back.
    expect(text).toContain('<td>Prepaid credit<br><span class="muted">Payment, for Test organization</span></td>');
    expect(text).toMatch(/<dt>Date<\/dt><dd>\d+ [A-Z][a-z]+ \d{4} at \d\d:\d\d\u00A0UTC</);
    expect(text).toContain('<a href="/">Open the console</a>');
    expect([page.headers.get('cache-control'), page.headers.get('x-robots-tag')]).toEqual(['no-store', 'noindex']);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe-inline/);
    expect((await fetch(`${receipt}x`)).status).toBe(404);
    expect(await missingPage(`${receipt}x`)).toBe('This address of a receipt is not complete.');
    expect((await call('GET', `billing/transaction/${credit?.uuid ?? ''}/receipt-url/`)).status).toBe(404);
    await paying.later(25 * HOUR_MS, async () =>
      expect(await missingPage(receipt)).toBe('This address of a receipt has expired. Each works for a day.'),
    );
  });

  it('PAY-07: name on their receipts who sold and paid then, whatever was changed since, and so do credit notes', async () => {
    await detail('Ada Ltd', 'London', 'GB1');
    const paymentId = await pay();
    await detail('Ada GmbH', 'Berlin', 'DE2');
    await call('PUT', '', { name: 'Renamed', contact_email: paying.ada.email });
    // A server with other settings, on which payments are no test any more.
    const stripe = { secretKey: 'sk', webhookSecrets: [] };
    const config = { ...paying.server.services.config, seller: ['Parlance SE', 'Paris'], stripe };
    const later = { ...paying.server.services, config };
    const amountMicros = 5_000_000;
    await tell({ type: 'refunded', paymentId, refundId: randomUUID(), amountMicros }, later);
    const { attempt: next } = await begin(amountMicros);
    await tell({ type: 'paid', paymentId: next, amountMicros, providerId: next }, later);
    const texts = await Promise.all((await transactions()).slice(0, 3).map(({ uuid }) => receiptOf(uuid)));
    const [last, note, first] = await receipts();
    // The credit note is of a payment that moved no money.
    expect([last?.number, note?.number, first?.number].map((number) => number?.replace(/\d{6}$/, ''))).toEqual([
      'R-',
      'TEST-R-',
      'TEST-R-',
    ]);
    expect(texts.map((text) => /<h1>(.*?)</.exec(text)?.[1])).toEqual([
      `Receipt ${last?.number}`,
      `Credit note ${note?.number}`,
      `Receipt ${first?.number}`,
    ]);
    expect(texts[1]).toContain(`<dt>Refers to</dt><dd>Receipt ${first?.number}</dd>`);
    expect(texts[1]).toContain('5.00 USD');
    const [before, after] = [
      ['Ada Ltd', 'London', 'GB1', 'Test organization', paying.server.services.config.seller.join(''), 'TEST MODE'],
      ['Ada GmbH', 'Berlin', 'DE2', 'Renamed', 'Parlance SE<br>Paris'],
    ];
    for (const [text, has, lacks] of [
      [texts[0], after, before.filter((part) => part !== paying.server.services.config.seller.join(''))],
      [texts[1], before, after],
      [texts[2], before, after],
    ] as const) {
      expect(has.filter((part) => text?.includes(part) !== true)).toEqual([]);
      expect(lacks.filter((part) => text?.includes(part) === true)).toEqual([]);
    }
    const rewriting = paying.db.updateTable('receipts').set({ name: 'Eve' }).execute();
    await expect(rewriting).rejects.toThrow('receipts are only added');
  });

  it('RCP-02 RCP-01: a refund that failed has a reversal, whether it was heard of before or not; each names what it is of', async () => {
    const paymentId = await pay();
    const [one, other] = [randomUUID(), randomUUID()];
    await tell({ type: 'refunded', paymentId, refundId: one, amountMicros: 2_000_000 });
    await detail('Somebody else', 'Elsewhere', '');
    await tell({ type: 'refund_failed', paymentId, refundId: one, amountMicros: 2_000_000 });
    await tell({ type: 'refund_failed', paymentId, refundId: one, amountMicros: 2_000_000 });
    await tell({ type: 'refund_failed', paymentId, refundId: other, amountMicros: 1_000_000 });
    const issued = await receipts();
    expect(issued.map(({ kind }) => kind)).toEqual(['reversal', 'credit_note', 'reversal', 'credit_note', 'receipt']);
    const numbers = issued.map(({ number }) => Number(/\d+$/.exec(number)?.[0]));
    const [newest = 0] = numbers;
    expect(numbers).toEqual([0, 1, 2, 3, 4].map((n) => newest - n));
    const entered = (await transactions()).filter(({ receipt }) => receipt !== null);
    for (const [n, of, total] of [
      [0, `Credit note ${issued[1]?.number}`, 'Total charged again</th><td class="amount">1.00 USD'],
      [1, `Receipt ${issued[4]?.number}`, 'Total refunded</th><td class="amount">1.00 USD'],
      [2, `Credit note ${issued[3]?.number}`, 'Total charged again</th><td class="amount">2.00 USD'],
    ] as const) {
      const text = await receiptOf(entered[n]?.uuid);
      expect(text).toContain(`<dt>Refers to</dt><dd>${of}</dd>`);
      expect(text).toContain(total);
      expect(text).not.toContain('Somebody else');
    }
  });

  it('RCP-02: what is given back before its payment counts has its credit note with the receipt, and names it', async () => {
    await detail('Ada', 'Berlin', '');
    const { attempt: paymentId } = await begin(5_000_000);
    const back = { paymentId, refundId: randomUUID(), amountMicros: 5_000_000 };
    for (const type of ['refunded', 'refund_failed'] as const) await tell({ ...back, type });
    expect(await receipts()).toEqual([]);
    await detail('Ada GmbH', 'Berlin', '');
    await tell({ type: 'paid', paymentId, amountMicros: 5_000_000, providerId: `test_${paymentId}` });
    const [payment, reversal, note] = await transactions();
    const issued = [payment, note, reversal].map((entry) => entry?.receipt);
    expect(issued.map((receipt) => receipt?.kind)).toEqual(['receipt', 'credit_note', 'reversal']);
    const numbers = issued.map((receipt) => receipt?.number ?? '');
    expect(numbers).toEqual(numbers.toSorted());
    const text = await receiptOf(note?.uuid);
    expect(text).toContain(`<dt>Refers to</dt><dd>Receipt ${numbers[0]}</dd>`);
    expect(text).toContain('Ada GmbH');
  });

  it('RCP-01: are of the series that the settings name; what Stripe takes by a key for tests is a test', async () => {
    const { services } = paying.server;
    const paidWith = async (more: Partial<typeof services.config>): Promise<string | undefined> => {
      const { attempt: paymentId } = await begin(5_000_000);
      const config = { ...services.config, ...more };
      await tell({ type: 'paid', paymentId, amountMicros: 5_000_000, providerId: paymentId }, { ...services, config });
      return (await receipts())[0]?.number;
    };
    const stripe = (secretKey: string) => ({ stripe: { secretKey, webhookSecrets: [] }, receiptSeries: 'B2026' });
    expect(await paidWith(stripe('sk_live_1'))).toBe('B2026-000001');
    expect(await paidWith(stripe('rk_live_1'))).toBe('B2026-000002');
    expect(await paidWith(stripe('sk_test_1'))).toBe('TEST-B2026-000001');
    expect(await paidWith({ receiptSeries: 'B2026' })).toBe('TEST-B2026-000002');
    expect(await paidWith({ receiptSeries: 'C' })).toBe('TEST-C-000001');
  });

  it('RCP-04: have addresses that can be withdrawn and then answer as unknown; later addresses work', async () => {
    await pay();
    await pay();
    const [payment, other] = await transactions();
    const path = `billing/transaction/${payment?.uuid ?? ''}/receipt-url/`;
    const untouched = await receiptAt(other?.uuid);
    const stale: string[] = [];
    for (const _round of [1, 2]) {
      const address = await receiptAt(payment?.uuid);
      expect((await fetch(address)).status).toBe(200);
      expect((await call('DELETE', path)).status).toBe(204);
      stale.push(address);
      for (const one of stale) expect(await missingPage(one)).toBe('This address of a receipt was withdrawn.');
    }
    expect((await fetch(await receiptAt(payment?.uuid))).status).toBe(200);
    expect((await fetch(untouched)).status).toBe(200);
    const withdrawn = { action: 'receipt_links.withdrawn', subject: payment?.receipt?.number };
    expect(await paying.noted('receipt_links.withdrawn')).toMatchObject([withdrawn, withdrawn]);
    const eve = await paying.server.createUser();
    const hers = await paying.server.call(eve, 'DELETE', `${organizationOf(eve)}${path}`);
    expect(hers.status).toBe(404);
    const elsewhere = await paying.server.call(eve, 'DELETE', paying.own(path));
    expect(elsewhere.status).toBe(404);
  });

  it('RCP-05: say net, tax and total, by the rate that held; parts that are given back have together the tax of the whole', async () => {
    const { services } = paying.server;
    const at = (rate: number) => ({ ...services, config: { ...services.config, tax: { country: 'DE', rate } } });
    const paid = async (from: typeof services): Promise<string> => {
      const { attempt: paymentId } = await begin(5_000_000);
      await tell({ type: 'paid', paymentId, amountMicros: 5_000_000, providerId: `test_${paymentId}` }, from);
      return paymentId;
    };
    const rows = () =>
      paying.db
        .selectFrom('receipts')
        .select(['kind', 'net_micros', 'tax_micros', 'tax_rate', 'tax_note', 'country'])
        .where('organization_id', '=', paying.ada.organizationId)
        .orderBy('number')
        .execute();
    await detail('Ada', 'Berlin', 'DE123456789');
    const paymentId = await paid(at(19_000));
    const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()];
    const given = { type: 'refunded', paymentId } as const;
    await tell({ ...given, refundId: one, amountMicros: 1_670_000 }, at(7000));
    await tell({ ...given, refundId: two, amountMicros: 1_670_000 }, at(7000));
    await tell({ type: 'refund_failed', paymentId, refundId: two, amountMicros: 1_670_000 }, at(7000));
    await tell({ ...given, refundId: three, amountMicros: 3_330_000 }, at(7000));
    const issued = await rows();
    expect(
      issued.map(({ kind, net_micros, tax_micros, tax_rate }) => [kind, net_micros, tax_micros, tax_rate]),
    ).toEqual([
      ['receipt', 4_200_000, 800_000, 19_000],
      ['credit_note', 1_400_000, 270_000, 19_000],
      ['credit_note', 1_410_000, 260_000, 19_000],
      ['reversal', 1_410_000, 260_000, 19_000],
      ['credit_note', 2_800_000, 530_000, 19_000],
    ]);
    const uuid = async () => (await transactions())[0]?.uuid;
    const note = await receiptOf(await uuid());
    for (const part of ['Net</th><td class="amount">2.80 USD', 'Tax 19%</th><td class="amount">0.53 USD', '3.33 USD'])
      expect(note).toContain(part);
    await detail('Ada', 'Athens', 'EL 123456789');
    await paid(at(19_000));
    expect((await rows()).at(-1)).toMatchObject({
      tax_micros: 0,
      tax_rate: 0,
      country: 'GR',
      tax_note: REVERSE_CHARGE,
    });
    expect(await receiptOf(await uuid())).toContain(`<p>${REVERSE_CHARGE}</p>`);
    await detail('Ada', 'Nowhere', 'FR1');
    await paid(at(19_000));
    expect((await rows()).at(-1)).toMatchObject({ tax_micros: 800_000, country: null, tax_note: '' });
    await paid(services);
    expect(await receiptOf(await uuid())).not.toContain('Net');
  });

  it('RCP-03: stay when their organization is gone, but have no address any more', async () => {
    await pay();
    const [payment] = await transactions();
    const address = await receiptAt(payment?.uuid);
    expect((await paying.remove()).status).toBe(204);
    const kept = await paying.db
      .selectFrom('receipts')
      .select(['kind', 'total_micros', 'organization'])
      .where('organization_id', '=', paying.ada.organizationId)
      .execute();
    expect(kept).toEqual([{ kind: 'receipt', total_micros: 5_000_000, organization: 'Test organization' }]);
    expect((await fetch(address)).status).toBe(404);
  });
});
