/** What is left of an organization that paid, once it is deleted. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { runCommand } from '#server/app/admin/commands.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { closeCustomerHandler } from '#server/money/payments/leave.ts';
import { TestDriver } from '#server/money/payments/test-driver.ts';
import { entriesOf } from '../money/books.ts';
import { outcomeOf } from '../people.ts';
import { paidSession, soon, StripePaying } from '../money/payments/stripe-paying.ts';

const paying = new StripePaying();
const { stripe, call, pay, setUp, tell, hitsOf, customer, balance, reconcile, wait } = paying;

const remove = async (): Promise<void> => expect(await outcomeOf(await paying.remove())).toBe('204');
const waiting = () =>
  paying.db.selectFrom('gone_customers').selectAll().where('organization_id', '=', paying.ada.organizationId).execute();
const closed = (): Promise<void> => vi.waitFor(async () => expect(await waiting()).toEqual([]), soon);
const run = (...args: string[]) => runCommand({ ...paying.server.services, limitDefaults: LIMIT_DEFAULTS }, args);
const told = async (): Promise<string> => (await run('books', 'check')).text;
/** A payment that has come. */
async function paid(cents: number): Promise<StripeIntent> {
  const { attempt } = await pay(cents * 10_000);
  const intent = stripe.addIntent(attempt, cents);
  await tell('payment_intent.succeeded', intent);
  return intent;
}
type StripeIntent = ReturnType<typeof stripe.addIntent>;

describe('PAY-12: the customer of an organization that is deleted', () => {
  it('is deleted at the provider, after its payment method', async () => {
    await setUp();
    const id = await customer();
    await remove();
    await closed();
    const calls = stripe.hits.map((hit) => hit.call);
    const [method, gone] = ['POST /v1/payment_methods/pm_ok/detach', `DELETE /v1/customers/${id}`];
    expect(calls.filter((one) => one === method || one === gone)).toEqual([method, gone]);
    expect(stripe.deleted.has(id)).toBe(true);
  });

  it('is asked for until it is done, whatever goes wrong before or after', async () => {
    await setUp();
    const id = await customer();
    const gone = `DELETE /v1/customers/${id}`;
    stripe.mishaps.push({ call: 'POST /v1/payment_methods', goes: 500, isDone: false, times: 6 });
    stripe.mishaps.push({ call: gone, goes: 500, isDone: false, times: 4 });
    stripe.mishaps.push({ call: gone, goes: 'reset', isDone: true, times: 3 });
    await remove();
    await closed();
    expect(stripe.deleted.has(id)).toBe(true);
    expect(hitsOf(gone).length).toBeGreaterThan(4);
  });

  it('is done where somebody has deleted it there', async () => {
    await setUp();
    const id = await customer();
    stripe.deleted.add(id);
    await remove();
    await closed();
    expect(hitsOf(`DELETE /v1/customers/${id}`)).toHaveLength(1);
  });

  it('that was of the test is nobody at Stripe', async () => {
    await paying.db
      .updateTable('accounts')
      .set({ customer_id: `test_${paying.ada.organizationId}` })
      .where('organization_id', '=', paying.ada.organizationId)
      .execute();
    await remove();
    await closed();
    expect(stripe.hits.filter((hit) => hit.call.startsWith('DELETE'))).toEqual([]);
  });

  it('of Stripe waits as long as Stripe is not set up, and is told to the operator', async () => {
    const [id, organization] = [randomUUID(), randomUUID()];
    await paying.db
      .insertInto('gone_customers')
      .values({ id, organization_id: organization, customer_id: 'cus_1', method_id: null, gone_at: new Date() })
      .execute();
    const { run: close } = closeCustomerHandler(paying.server.services, new TestDriver(paying.server.services));
    const job = {
      id: 1,
      kind: '',
      subject: id,
      attempts: 1,
      runs: 1,
      interruptions: 0,
      requestId: null,
      traceparent: null,
    };
    const rest = { complete: vi.fn(), postpone: vi.fn(), reached: vi.fn(), signal: new AbortController().signal };
    await expect(close({ ...job, ...rest })).rejects.toThrow('does not answer');
    expect(rest.complete).not.toHaveBeenCalled();
    expect(await told()).toContain(`cus_1: not closed at the payment provider yet; organization ${organization}`);
    await paying.db.deleteFrom('gone_customers').where('id', '=', id).execute();
  });

  it('that was made as it was deleted is closed, too', async () => {
    const { driver } = paying;
    const make = driver.createCustomer.bind(driver);
    const made: string[] = [];
    vi.spyOn(driver, 'createCustomer').mockImplementationOnce(async (payer) => {
      made.push(await make(payer));
      await remove();
      return made[0] ?? '';
    });
    const begun = await call('POST', 'payment/setup/', { attempt: randomUUID() });
    expect(await outcomeOf(begun)).toMatch(/^404 /);
    await closed();
    expect(made.filter((id) => stripe.deleted.has(id))).toHaveLength(1);
  });

  it('stays where the organization does: a deletion that is refused leaves no work', async () => {
    await setUp();
    const { attempt } = await pay(5_000_000);
    const processing = stripe.addIntent(attempt, 500, { status: 'processing', amount_received: 0 });
    stripe.endPage(attempt, { payment_intent: processing });
    expect(await outcomeOf(await paying.remove())).toBe('409 payment_under_way');
    expect(await waiting()).toEqual([]);
  });
});

describe('PAY-13 LED-09: money of an organization that is gone', () => {
  const entries = async (): Promise<[string, number][]> =>
    (await entriesOf(paying.db, paying.ada.organizationId)).map(({ cause, amount_micros }) => [cause, amount_micros]);

  it('RCP-02: that is given back, or returns, is entered once, with its credit note, and leaves nothing', async () => {
    const intent = await paid(2000);
    const { organizationId } = paying.ada;
    await remove();
    await closed();
    const before = await entries();
    const id = `re_${organizationId}`;
    const refund = { id, amount: 500, currency: 'usd', payment_intent: intent.id };
    for (let time = 0; time < 2; time += 1) await tell('refund.updated', { ...refund, status: 'succeeded' });
    await tell('refund.failed', { ...refund, status: 'failed' });
    expect(await entries()).toEqual([
      ...before,
      [`refund:${id}`, -5_000_000],
      [`closed:refund:${id}`, 5_000_000],
      [`refund-failed:${id}`, 5_000_000],
      [`closed:refund-failed:${id}`, -5_000_000],
    ]);
    const of = ['organization_id', '=', organizationId] as const;
    const receipts = paying.db
      .selectFrom('receipts')
      .select(['kind', 'organization', 'total_micros'])
      .where(...of);
    const organization = 'Test organization';
    expect(await receipts.orderBy('number').execute()).toEqual([
      { kind: 'receipt', organization, total_micros: 20_000_000 },
      { kind: 'credit_note', organization, total_micros: 5_000_000 },
      { kind: 'reversal', organization, total_micros: 5_000_000 },
    ]);
    expect(await told()).not.toContain(organizationId);
    const account = paying.db.selectFrom('accounts').select('balance_micros').where('closed_at', 'is not', null);
    expect(await account.where(...of).execute()).toEqual([{ balance_micros: 0 }]);
    expect(
      await paying.db
        .selectFrom('account_holds')
        .select('cause')
        .where(...of)
        .execute(),
    ).toEqual([]);
  });

  it('that a version before has kept for the operator is entered as it is told again, if it is not dealt with', async () => {
    const intent = await paid(2000);
    const { organizationId: organization_id } = paying.ada;
    await remove();
    const before = await entries();
    const [kept, done] = [randomUUID(), randomUUID()];
    const row = { event_id: '', why: 'gone', type: 'refunded', amount: '5 USD', organization_id } as const;
    const payment_id = intent.metadata['payment_id'] ?? '';
    for (const [id, settled_at] of [[kept, null] as const, [done, new Date()] as const])
      await paying.db
        .insertInto('refused_events')
        .values({ ...row, cause: `refund:${id}`, payment_id, received_at: new Date(), settled_at })
        .execute();
    for (const id of [kept, done])
      await tell('refund.updated', {
        ...{ id, amount: 500, currency: 'usd', payment_intent: intent.id, status: 'succeeded' },
      });
    expect(await entries()).toEqual([...before, [`refund:${kept}`, -5_000_000], [`closed:refund:${kept}`, 5_000_000]]);
    expect(await told()).not.toContain(organization_id);
  });

  it('in another currency is told to the operator, once, with the organization that it was of, until it is dealt with', async () => {
    const intent = await paid(2000);
    const { organizationId } = paying.ada;
    await remove();
    await closed();
    const refund = { id: `re_${organizationId}`, amount: 500, currency: 'eur', payment_intent: intent.id };
    for (let time = 0; time < 2; time += 1) await tell('refund.updated', { ...refund, status: 'succeeded' });
    const line = `refund:re_${organizationId}: refunded, 500 eur (smallest units), in no balance, as its payment or its organization is gone: event evt_`;
    const lines = (await told()).split('\n').filter((one) => one.includes(organizationId));
    expect(lines).toEqual([expect.stringContaining(line)]);
    expect(lines[0]).toContain(`organization ${organizationId}`);
    expect((await run('events', 'done', `refund:re_${organizationId}`)).text).toBe('Done.');
    await tell('refund.updated', { ...refund, status: 'succeeded' });
    expect(await told()).not.toContain(organizationId);
    await expect(run('events', 'done', `refund:re_${organizationId}`)).rejects.toThrow('No event');
  });

  it('that was entered while it was there is no news, whoever tells it again', async () => {
    const intent = await paid(2000);
    const refund = { id: `re_${paying.ada.userId}`, amount: 500, currency: 'usd', payment_intent: intent.id };
    await tell('refund.updated', { ...refund, status: 'succeeded' });
    stripe.refunds.push({ ...refund, status: 'succeeded', created: Math.floor(Date.now() / 1000) });
    const attempt = intent.metadata['payment_id'] ?? '';
    await remove();
    await tell('checkout.session.completed', paidSession(attempt, 2000, intent.id));
    wait(7 * 60);
    await reconcile();
    expect(await told()).not.toContain(attempt);
    expect(await told()).not.toContain(refund.id);
  });

  it('of a payment that nobody knows is told, too', async () => {
    const attempt = randomUUID();
    const intent = stripe.addIntent(attempt, 500);
    await tell('payment_intent.succeeded', intent);
    expect(await told()).toContain(`payment:${attempt}:${intent.id}: paid, 5 USD`);
    expect(await balance()).toBe(10_000_000);
  });
});
