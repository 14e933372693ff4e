/** What is mailed as a payment arrives. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import * as v from 'valibot';
import { HostedPage } from '#contract/paying.ts';
import { applyPaymentEvent } from '#server/money/payments/apply-event.ts';
import type { PaidWith } from '#server/money/payments/port.ts';
import type { TestUser } from '../../harness.ts';
import { colleague } from '../../people.ts';
import { FAILS_LATER, HOUR_MS, Paying } from './paying.ts';

const paying = new Paying();
const { begin, letters } = paying;
const paidEvent = (paymentId: string, paidWith?: PaidWith) => ({
  ...({ type: 'paid', amountMicros: 25_000_000 } as const),
  ...(paidWith && { paidWith }),
  ...{ id: randomUUID(), paymentId, providerId: `test_${paymentId}` },
});

it('PAY-25: owners and who looks after billing get the number of the receipt and a link to it', async () => {
  const { server, ada } = paying;
  const [accountant, admin] = [await colleague(server, ada, 'billing'), await colleague(server, ada, 'admin')];
  const { attempt } = await begin(25_000_000);
  await applyPaymentEvent(server.services, paidEvent(attempt));
  const [row] = await paying.transactions();
  for (const { email } of [ada, accountant]) {
    const letter = (await letters(email)).at(-1);
    expect(letter?.subject).toBe('Payment of 25.00 USD received – Parlance');
    const [about, link = '', after] = letter?.body_text.split('\n\n') ?? [];
    expect(about).toBe(
      `We received your payment of 25.00 USD and added it to the balance of Test organization. The receipt is ${row?.receipt?.number}. This was a test: no money moved.`,
    );
    expect(after).toContain(`${server.url}/org/${ada.organizationId}/billing/transactions/`);
    expect(await (await fetch(link)).text()).toContain(`<h1>Receipt ${row?.receipt?.number}</h1>`);
  }
  expect(await letters(admin.email)).toEqual([]);
});

it.each([
  [{ brand: 'Visa', last4: '4242' }, 'Visa ending in 4242'],
  [{ brand: 'Bank transfer', last4: '' }, 'Bank transfer'],
])('PAY-25 PAY-07: mail and receipt name what it was paid with: %o', async (paidWith, name) => {
  const { attempt } = await begin(25_000_000);
  await applyPaymentEvent(paying.server.services, paidEvent(attempt, paidWith));
  const letter = (await letters()).at(-1);
  expect(letter?.body_text).toContain(` It was paid with ${name}. The receipt is `);
  const [, link = ''] = letter?.body_text.split('\n\n') ?? [];
  expect(await (await fetch(link)).text()).toContain(`<dt>Paid with</dt><dd>${name}</dd>`);
});

it('PAY-07: what an event does not know another may add, once; no event knew it of older payments', async () => {
  const { attempt } = await begin(25_000_000);
  const apply = (paidWith?: PaidWith) => applyPaymentEvent(paying.server.services, paidEvent(attempt, paidWith));
  await apply();
  const link = (await letters()).at(-1)?.body_text.split('\n\n')[1] ?? '';
  const receipt = async () => (await fetch(link)).text();
  expect(await receipt()).not.toContain('Paid with');
  await apply({ brand: 'Visa', last4: '4242' });
  await apply({ brand: 'Link', last4: '' });
  expect(await receipt()).toContain('<dt>Paid with</dt><dd>Visa ending in 4242</dd>');
  expect(await letters()).toHaveLength(1);
});

it('PAY-25: a payment is confirmed once, however often and by however many processes it is told', async () => {
  const { attempt } = await begin(25_000_000);
  const [event, other] = [paidEvent(attempt), paidEvent(attempt)];
  await Promise.all([event, event, other].map((one) => applyPaymentEvent(paying.server.services, one)));
  await applyPaymentEvent(paying.server.services, event);
  expect(await letters()).toHaveLength(1);
});

const beginsAs = async (who: TestUser) => {
  const attempt = randomUUID();
  const path = paying.own('payment/');
  const answer = await paying.server.call(who, 'POST', path, { attempt, amount_micros: 25_000_000 });
  return v.parse(HostedPage, await answer.json());
};

it('PAY-26: who began a payment is mailed if it fails late, and every page is told', async () => {
  const admin = await colleague(paying.server, paying.ada, 'admin');
  const { url, attempt } = await beginsAs(admin);
  const day = (ago: number) => new Date(Date.now() - ago * 24 * HOUR_MS);
  const set = (moment: { created_at: Date } | { failed_at: Date }) =>
    paying.db.updateTable('payments').set(moment).where('id', '=', attempt).execute();
  await set({ created_at: day(14) });
  await begin(5_000_000);
  await paying.submit(url, { action: 'pay', card: FAILS_LATER });
  await paying.ended(attempt, 'failed');
  const letter = (await letters(admin.email)).at(-1);
  expect(letter?.subject).toBe('A payment failed – Parlance');
  expect(letter?.body_text).toContain(
    'Your payment of 25.00 USD for Test organization failed: The bank returned the payment.',
  );
  // Admins may pay.
  expect(letter?.body_text).toContain(`/org/${paying.ada.organizationId}/billing/overview/`);
  expect(letter?.body_text).toContain(' Pay again, ');
  expect(await letters()).toEqual([]);
  expect(await paying.overview()).toMatchObject({ pending: null, failed: { uuid: attempt, state: 'failed' } });
  await set({ failed_at: day(1) });
  expect((await paying.overview()).failed).toBe(null);
  await set({ failed_at: day(0) });
  await paying.pay();
  expect((await paying.overview()).failed).toBe(null);
});

/** Somebody who has begun a payment, and is a member now. */
const former = async () => {
  const person = await colleague(paying.server, paying.ada, 'admin');
  const { attempt } = await beginsAs(person);
  await paying.db.updateTable('memberships').set({ role: 'member' }).where('user_id', '=', person.userId).execute();
  return { person, attempt };
};
const failsLate = async (paymentId: string) => {
  await paying.tell({ type: 'accepted', paymentId });
  await paying.tell({ type: 'failed', paymentId, message: 'No.' });
};

it('PAY-26: who may not pay any more as their payment arrives is mailed its receipt', async () => {
  const { person, attempt } = await former();
  await applyPaymentEvent(paying.server.services, paidEvent(attempt));
  const letter = (await letters(person.email)).at(-1);
  expect(letter?.subject).toBe('Payment of 25.00 USD received – Parlance');
  expect(letter?.body_text).toContain('/receipt');
  expect(letter?.body_text).not.toContain('transactions');
});

it('PAY-26: who may not pay any more as their payment fails is not told to pay', async () => {
  const { person, attempt } = await former();
  await failsLate(attempt);
  const letter = (await letters(person.email)).at(-1);
  expect(letter?.body_text).toContain('Your payment of 25.00 USD for Test organization failed: No.');
  expect(letter?.body_text).not.toMatch(/Pay again|\/billing\//);
});

it('PAY-26: owners are told of a failed payment of somebody whose account is gone as one of their organization', async () => {
  const { attempt } = await begin(25_000_000);
  await paying.db.updateTable('payments').set({ begun_by: null }).where('id', '=', attempt).execute();
  await failsLate(attempt);
  expect((await letters()).at(-1)?.body_text).toContain('A payment of 25.00 USD for Test organization failed: No.');
});

it('PAY-13 PAY-26: money that does not fit is not told as a payment that has failed', async () => {
  const { attempt } = await begin(25_000_000);
  await applyPaymentEvent(paying.server.services, { ...paidEvent(attempt), amountMicros: 24_000_000 });
  expect((await paying.status(attempt)).attempt?.state).toBe('failed');
  expect((await paying.overview()).failed).toBe(null);
});
