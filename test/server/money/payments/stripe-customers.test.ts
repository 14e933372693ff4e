/** Customers of Stripe that are gone. */
import { describe, expect, it, vi } from 'vitest';
import { StripePaying, soon } from './stripe-paying.ts';

const paying = new StripePaying();
const { stripe, status, pay, beginSetUp, setUp, autopay, tell, charge, customer, entries, mails, looks } = paying;
const CHARGED = [['payment', 20_000_000]];
const NO_ANSWER = { call: 'GET /v1/payment_intents', goes: 500, isDone: false, times: Infinity } as const;
const answers = () => stripe.mishaps.splice(0);

/** Until Stripe is asked about a charge anew: what is under way now asks three times at most. */
const askedAnew = async () => {
  const before = looks().length;
  await vi.waitFor(() => expect(looks().length).toBeGreaterThan(before + 3), soon);
};
/** A charge that Stripe has made, whose answer was lost, and about which Stripe says nothing before {@link answers}. */
const lost = async () => {
  stripe.mishaps.push({ call: 'POST /v1/payment_intents', goes: 'reset', isDone: true, times: 3 });
  stripe.mishaps.push(NO_ANSWER);
  const { length } = stripe.intents;
  const charging = charge();
  await askedAnew();
  return { charging, length: length + 1 };
};

describe('a customer that was deleted at Stripe', () => {
  it('PAY-10: is made anew, once, by whoever begins a payment; its payment method is gone with it', async () => {
    await charge();
    const before = await customer();
    stripe.deleted.add(before);
    const pages = await Promise.all([pay(5_000_000), pay(5_000_000), beginSetUp()]);
    expect(pages.every(({ url }) => url.startsWith('https://checkout.stripe.com/'))).toBe(true);
    const after = await customer();
    expect(after).not.toBe(before);
    const made = [...stripe.customers].filter(
      ([, one]) => one['metadata[organization_id]'] === paying.ada.organizationId,
    );
    expect(made.map(([id]) => id)).toEqual([before, after]);
    expect((await status()).method).toBe(null);
    await pay(5_000_000);
    expect(await customer()).toBe(after);
    // Of another account of Stripe, say.
    stripe.customers.delete(after);
    await pay(5_000_000);
    expect(await customer()).not.toBe(after);
  });

  it('PAY-10: ends a charge whose answer was lost: what was made is found without the customer, and counts', async () => {
    const { charging, length } = await lost();
    stripe.deleted.add(await customer());
    answers();
    await tell('payment_intent.succeeded', await charging);
    expect(await entries()).toEqual(CHARGED);
    expect(stripe.intents).toHaveLength(length);
  });

  it('PAY-10: ends a charge that was not made, and its owners are told', async () => {
    stripe.mishaps.push({ call: 'POST /v1/payment_intents', goes: 'reset', isDone: false, times: 3 });
    stripe.mishaps.push(NO_ANSWER);
    await paying.cross();
    await vi.waitFor(() => expect(looks().length).toBeGreaterThan(0), soon);
    stripe.deleted.add(await customer());
    answers();
    await vi.waitFor(
      async () => expect((await status()).error?.message).toContain('no longer has this customer'),
      soon,
    );
    expect(await mails()).toEqual(['A payment failed – Parlance']);
    expect(await entries()).toEqual([]);
  });

  it.each([
    ['refuses to list them', false],
    ['lists none', true],
  ])(
    'PAY-05 PAY-09 PAY-10: leaves its charges to be found where another customer has taken its place, and Stripe %s',
    async (_what, lists) => {
      const { charging, length } = await lost();
      stripe.listsDeleted = lists;
      const before = await customer();
      stripe.deleted.add(before);
      await pay(5_000_000);
      expect(await customer()).not.toBe(before);
      await setUp('pm_other');
      await autopay(true);
      await askedAnew();
      expect(looks().every(({ params }) => params.get('customer') === before)).toBe(true);
      answers();
      await tell('payment_intent.succeeded', await charging);
      expect(await entries()).toEqual(CHARGED);
      expect(stripe.intents).toHaveLength(length);
    },
  );

  it('PAY-10: is the one of the account for a charge that a version before has sent', async () => {
    const { charging, length } = await lost();
    const sent = paying.db.updateTable('payments').set({ customer_id: null });
    await sent.where('organization_id', '=', paying.ada.organizationId).where('kind', '=', 'autopay').execute();
    await askedAnew();
    answers();
    await tell('payment_intent.succeeded', await charging);
    expect(await entries()).toEqual(CHARGED);
    expect(stripe.intents).toHaveLength(length);
  });
});
