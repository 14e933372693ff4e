/** Receipts and credit notes. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ReceiptUrl } from '#contract/billing.ts';
import { readReceipt, receiptUrl } from '#server/money/billing/receipts.ts';
import { CARD, HOUR_MS, Paying } from '../payments/paying.ts';

const paying = new Paying();
const { ask, transactions, submit, begin, pay, ended, tell, call } = paying;

describe('payments into the balance', () => {
  const detail = (name: string, address: string, tax_id: string) =>
    call('PUT', 'billing/', {
      autopay: { enabled: false, threshold_micros: 0, amount_micros: 5_000_000 },
      details: { name, address, tax_id },
    });
  const receiptAt = async (uuid = '') => (await ask(ReceiptUrl, 'GET', `billing/transaction/${uuid}/receipt-url/`)).url;
  const receiptOf = async (uuid?: string): Promise<string> => (await fetch(await receiptAt(uuid))).text();

  it('PAY-07 BIL-08: have a receipt, for who is signed in or has its address, on which no script runs', async () => {
    await detail('Ada <b>Ltd</b>', '1 Main Street\nLondon', 'GB1');
    const { url, attempt } = await begin(25_000_000);
    await submit(url, { action: 'pay', card: CARD });
    await ended(attempt, 'succeeded');
    const [payment, credit] = await transactions();
    const receipt = await receiptAt(payment?.uuid);
    const page = await fetch(receipt);
    const text = await page.text();
    for (const part of ['25.00 USD', 'Ada &lt;b&gt;Ltd&lt;/b&gt;', '1 Main Street<br>London', 'GB1', 'TEST MODE'])
      expect(text).toContain(part);
    expect([page.headers.get('cache-control'), page.headers.get('x-robots-tag')]).toEqual(['no-store', 'noindex']);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe-inline/);
    expect((await fetch(`${receipt}x`)).status).toBe(404);
    expect((await call('GET', `billing/transaction/${credit?.uuid ?? ''}/receipt-url/`)).status).toBe(404);
    await paying.later(25 * HOUR_MS, async () => expect((await fetch(receipt)).status).toBe(404));
  });

  it('PAY-07: name on their receipts who sold and paid then, whatever was changed since, and so do credit notes; numbered without a gap', async () => {
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
    const number = `R-${paying.ada.organizationId.slice(0, 8).toUpperCase()}`;
    expect(texts.map((text) => /<h1>(.*?)</.exec(text)?.[1])).toEqual([
      `Receipt ${number}-0003`,
      `Credit note ${number}-0002`,
      `Receipt ${number}-0001`,
    ]);
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

  it('PAY-07: of before receipts were kept name how it stands today', async () => {
    await pay();
    const [payment] = await transactions();
    await paying.db
      .deleteFrom('receipts')
      .where('entry_id', '=', payment?.uuid ?? '')
      .execute();
    await detail('Ada GmbH', 'Berlin', 'DE2');
    const text = await receiptOf(payment?.uuid);
    for (const part of ['Ada GmbH', 'Berlin', 'DE2', 'TEST MODE']) expect(text).toContain(part);
    const { services } = paying.server;
    const today = { ...services, config: { ...services.config, seller: ['Parlance SE', 'Paris'] } };
    const { url } = await receiptUrl(services, paying.ada.organizationId, payment?.uuid ?? '');
    expect((await readReceipt(today, url.split('/').at(-1) ?? '')).seller).toEqual(['Parlance SE', 'Paris']);
  });

  it('PAY-07: have a number that no other organization has, also where ids begin alike, and once one of them is gone', async () => {
    const begin8 = randomUUID().slice(0, 8);
    const ids = [1, 2, 3, 4].map(() => begin8 + randomUUID().slice(8));
    const numberOf = async (id: string): Promise<string> => {
      const entry = randomUUID();
      const values = {
        id: entry,
        organization_id: id,
        kind: 'payment' as const,
        amount_micros: 1,
        balance_after_micros: 1,
      };
      await paying.db
        .insertInto('ledger_entries')
        .values({ ...values, cause: entry, description: 'Payment', at: new Date() })
        .execute();
      const { url } = await receiptUrl(paying.server.services, id, entry);
      return (await readReceipt(paying.server.services, url.split('/').at(-1) ?? '')).number;
    };
    for (const id of ids)
      await paying.db
        .insertInto('organizations')
        .values({ id, name: 'Alike', contact_email: 'a@example.com', feature_flags: [], created_at: new Date() })
        .execute();
    const [first = '', second = '', third = '', fourth = ''] = ids;
    expect(await numberOf(first)).toBe(`R-${begin8.toUpperCase()}-0001`);
    const both = await Promise.all([numberOf(second), numberOf(third)]);
    expect(new Set(both).size).toBe(2);
    for (const number of both) expect(number).toMatch(/^R-[0-9A-F]{12,}-0001$/);
    await paying.db.deleteFrom('organizations').where('id', '=', first).execute();
    expect(await numberOf(fourth)).not.toBe(`R-${begin8.toUpperCase()}-0001`);
    expect(await numberOf(second)).toBe(both[0]?.replace(/1$/, '2'));
  });
});
