/** What is mailed as a payment arrives. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { applyPaymentEvent } from '#server/money/payments/apply-event.ts';
import { colleague } from '../../people.ts';
import { Paying } from './paying.ts';

const paying = new Paying();
const { begin, letters } = paying;
const paidEvent = (paymentId: string) => ({
  ...({ type: 'paid', amountMicros: 25_000_000 } as const),
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

it('PAY-25: a payment is confirmed once, however often and by however many processes it is told', async () => {
  const { attempt } = await begin(25_000_000);
  const [event, other] = [paidEvent(attempt), paidEvent(attempt)];
  await Promise.all([event, event, other].map((one) => applyPaymentEvent(paying.server.services, one)));
  await applyPaymentEvent(paying.server.services, event);
  expect(await letters()).toHaveLength(1);
});
