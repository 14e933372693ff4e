/** Whatever is wrong in the books is found, by organization and cause. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { runCommand, type Answer } from '#server/app/admin/commands.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { dayOf } from '#server/money/ledger/charge.ts';
import type { MoneyEvent } from '#server/money/payments/port.ts';
import { applyPaymentEvent } from '#server/money/payments/apply-event.ts';
import { CREDIT, Served } from '../served.ts';
import { beginPayment } from '../books.ts';
import { forgetAll } from '../usage/usage.ts';

const PAID = 25_000_000;
const DAY_MS = 24 * 3_600_000;
const served = new Served({}, forgetAll);
const db = () => served.db;
const organizationId = () => served.ada.organizationId;
const check = (): Promise<Answer> =>
  runCommand({ ...served.server.services, limitDefaults: LIMIT_DEFAULTS }, ['books', 'check']);
const tell = (event: Omit<Extract<MoneyEvent, { paymentId: string }>, 'id'> & Record<string, unknown>) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript takes no id out of a union.
  applyPaymentEvent(served.server.services, {
    providerId: `pi_${event.paymentId}`,
    ...event,
    id: randomUUID(),
  } as unknown as MoneyEvent);
/** Begins a payment, which nobody has paid. @returns its id */
const begin = (): Promise<string> =>
  beginPayment(db(), {
    organization_id: organizationId(),
    amount_micros: PAID,
    page_id: randomUUID(),
    at: served.now(),
  });
async function pay(): Promise<string> {
  const paymentId = await begin();
  await tell({ type: 'paid', paymentId, amountMicros: PAID, providerId: `pi_${paymentId}` });
  return paymentId;
}
/** Does to entries what the database refuses. */
async function damage(work: () => Promise<unknown>): Promise<void> {
  await sql`alter table ledger_entries disable trigger user`.execute(db());
  try {
    await work();
  } finally {
    await sql`alter table ledger_entries enable trigger user`.execute(db());
  }
}
const change = (cause: string, set: { amount_micros?: number; balance_after_micros?: number; cause?: string }) =>
  damage(() => db().updateTable('ledger_entries').set(set).where('cause', '=', cause).execute());
const drop = (cause: string) => damage(() => db().deleteFrom('ledger_entries').where('cause', '=', cause).execute());
/** Adds an entry that fits the balance; only its cause tells. */
const add = (
  kind: 'payment' | 'refund' | 'dispute' | 'fee' | 'correction',
  micros: number,
  cause: string,
  payment_id: string | null,
  of = organizationId(),
) =>
  sql`with moved as (
      update accounts set balance_micros = balance_micros + ${micros}::bigint
      where organization_id = ${of} returning balance_micros)
    insert into ledger_entries (organization_id, kind, amount_micros, balance_after_micros, cause, description, payment_id, at)
    select ${of}::uuid, ${kind}, ${micros}::bigint, balance_micros, ${cause}, 'd', ${payment_id}::uuid,
      ${new Date()}::timestamptz
    from moved`.execute(db());
const changeBalance = (micros: number) =>
  sql`update accounts set balance_micros = balance_micros + ${micros}::bigint where organization_id = ${organizationId()}`.execute(
    db(),
  );
/** What is said of the organization, a line each. */
async function wrongs(): Promise<string[]> {
  const { text, failed } = await check();
  expect(failed).toBe(true);
  return text.split('\n').map((line) => line.replace(organizationId(), 'ORG'));
}

let first: string;
let second: string;
/** Books of some length: paid twice, given back, disputed and won. */
beforeEach(async () => {
  first = await pay();
  second = await pay();
  await tell({ type: 'refunded', paymentId: first, refundId: `re_${first}`, amountMicros: 5_000_000 });
  await tell({ type: 'refund_failed', paymentId: second, refundId: `re_${second}`, amountMicros: 5_000_000 });
  await tell({ type: 'disputed', paymentId: first, disputeId: `dp_${first}`, amountMicros: PAID });
  await tell({ type: 'dispute_won', paymentId: first, disputeId: `dp_${first}`, amountMicros: PAID });
  await served.give(1_000_000, `credit:${organizationId()}:T-1`);
  const { text, failed } = await check();
  expect([text, failed]).toEqual(['The books are right, and the rollups match their rows.', false]);
});

describe('LED-08: of every organization the check finds', () => {
  it('a balance that is not that of its entries', async () => {
    await changeBalance(2_000_000);
    expect(await wrongs()).toEqual(['ORG balance: 56 USD expected, 58 USD found']);
  });

  it('an amount that was changed, though the balances after it fit', async () => {
    await change(`credit:${organizationId()}:T-1`, { amount_micros: 3_000_000 });
    expect(await wrongs()).toEqual([
      'ORG balance: 58 USD expected, 56 USD found',
      `ORG credit:${organizationId()}:T-1 balance after it: 58 USD expected, 56 USD found`,
    ]);
  });

  it('a balance after an entry that was changed: there, and at the next', async () => {
    await change(`payment:${first}`, { balance_after_micros: 36_000_000 });
    expect(await wrongs()).toEqual([
      `ORG payment:${first} balance after it: 35 USD expected, 36 USD found`,
      `ORG payment:${second} balance after it: 61 USD expected, 60 USD found`,
    ]);
  });

  it('a last entry whose balance is not that of the account', async () => {
    await change(`credit:${organizationId()}:T-1`, { balance_after_micros: 55_000_000 });
    expect(await wrongs()).toEqual([
      `ORG credit:${organizationId()}:T-1 balance after it: 56 USD expected, 55 USD found`,
    ]);
  });

  it('an entry that is gone from the middle, though the balance was changed to fit', async () => {
    await drop(`credit:start:${organizationId()}`);
    await changeBalance(-CREDIT);
    expect(await wrongs()).toEqual([`ORG payment:${first} balance after it: 25 USD expected, 35 USD found`]);
  });

  it('a payment without its entry, though all balances fit', async () => {
    const third = await pay();
    await drop(`payment:${third}`);
    await changeBalance(-PAID);
    expect(await wrongs()).toEqual([`ORG payment:${third} amount of the payment: 25 USD expected, 0 USD found`]);
  });

  it('a payment with an entry of another amount, cause, organization or payment', async () => {
    await db().updateTable('payments').set({ amount_micros: 30_000_000 }).where('id', '=', first).execute();
    expect(await wrongs()).toEqual([`ORG payment:${first} amount of the payment: 30 USD expected, 25 USD found`]);
    await db().updateTable('payments').set({ amount_micros: PAID }).where('id', '=', first).execute();
    await change(`payment:${first}`, { cause: 'payment:x' });
    expect((await wrongs()).toSorted()).toEqual([
      `ORG payment:${first} amount of the payment: 25 USD expected, 0 USD found`,
      'ORG payment:x amount of the payment: 0 USD expected, 25 USD found',
    ]);
    await change('payment:x', { cause: `payment:${first}` });
    await damage(() =>
      sql`update ledger_entries set payment_id = ${second} where cause = ${`payment:${first}`}`.execute(db()),
    );
    expect((await wrongs()).toSorted()).toEqual(
      [
        `ORG payment:${first} amount of the payment: 0 USD expected, 25 USD found`,
        `ORG payment:${first} amount of the payment: 25 USD expected, 0 USD found`,
        `ORG payment:${second}:pi_${first} sum of entries of a payment or charge that does not count: 0 USD expected, 25 USD found`,
      ].toSorted(),
    );
  });

  it('an entry of a payment that did not succeed, or that is none', async () => {
    const open = await begin();
    await add('payment', PAID, `payment:${open}`, open);
    await add('payment', 7_000_000, 'payment:nothing', null);
    expect((await wrongs()).toSorted()).toEqual(
      [
        `ORG payment:${open} amount of the payment: 0 USD expected, 25 USD found`,
        'ORG payment:nothing amount of the payment: 0 USD expected, 7 USD found',
      ].toSorted(),
    );
  });

  it('a second entry of a payment', async () => {
    await add('payment', PAID, `payment:${first}:again`, first);
    expect(await wrongs()).toEqual([`ORG payment:${first}:again amount of the payment: 0 USD expected, 25 USD found`]);
  });

  it('what is given back of no payment, of another organization’s, of more than was paid, or what adds', async () => {
    const other = await served.server.createUser();
    await add('refund', -1_000_000, 'refund:none', null);
    await add('refund', -26_000_000, 'refund:more', first);
    await add('refund', 2_000_000, 'refund:adds', first);
    await add('dispute', -3_000_000, 'dispute:none', null);
    await add('refund', -4_000_000, 'refund:elsewhere', first, other.organizationId);
    const lines = (await wrongs()).map((line) => line.replace(other.organizationId, 'OTHER'));
    expect(lines.toSorted()).toEqual(
      [
        'ORG dispute:none amount, at most what was paid: 0 USD expected, -3 USD found',
        'ORG refund:adds amount, at most what was paid: 0 USD expected, 2 USD found',
        'ORG refund:more amount, at most what was paid: -25 USD expected, -26 USD found',
        'ORG refund:none amount, at most what was paid: 0 USD expected, -1 USD found',
        'OTHER refund:elsewhere amount, at most what was paid: 0 USD expected, -4 USD found',
        `ORG payment:${first} sum of the refunds, at most what was paid: -25 USD expected, -29 USD found`,
      ].toSorted(),
    );
  });

  it('what is given back in parts that are more than was paid, and fees that come back without having been taken', async () => {
    for (const of of ['refund', 'dispute'] as const)
      for (const part of [1, 2]) await add(of, -13_000_000, `${of}:part_${part}`, second);
    await add('fee', -15_000_000, 'dispute-fee-taken:part_1', second);
    await add('fee', 15_000_000, 'dispute-fee-returned:part_1', second);
    await add('fee', 1_000_000, 'dispute-fee-returned:part_2', second);
    const sum = `ORG payment:${second} sum of the refunds, at most what was paid: -25 USD expected, -26 USD found`;
    expect(await wrongs()).toEqual([
      sum,
      'ORG dispute:part_2 rest of the dispute fee, never above zero: 0 USD expected, 1 USD found',
    ]);
  });

  it('what is reversed without having been taken, or is more than that', async () => {
    await add('dispute', 3_000_000, 'dispute-won:none', first);
    await add('correction', 6_000_000, `refund-failed:re_${first}`, first);
    await add('correction', -2_000_000, `paid-after-all:${first}`, first);
    await add('correction', 1_000_000, 'something', first);
    await add('dispute', 4_000_000, 'dispute-won:nobody', null);
    expect(await wrongs()).toEqual([
      'ORG dispute-won:none amount, at most what was returned before: 0 USD expected, 3 USD found',
      `ORG refund-failed:re_${first} amount, at most what was returned before: 5 USD expected, 6 USD found`,
      `ORG paid-after-all:${first} amount, at most what was returned before: 0 USD expected, -2 USD found`,
      'ORG something amount, at most what was returned before: 0 USD expected, 1 USD found',
      'ORG dispute-won:nobody amount, at most what was paid: 0 USD expected, 4 USD found',
    ]);
  });

  it('what was given back of a payment that has not succeeded a day later, unless it was reversed', async () => {
    const [late, refused] = [await begin(), await begin()];
    for (const paymentId of [late, refused])
      await tell({ type: 'refunded', paymentId, refundId: `re_${paymentId}`, amountMicros: 3_000_000 });
    // Reverses what was given back of it.
    await tell({ type: 'paid', paymentId: refused, amountMicros: 1_000_000 });
    await db().updateTable('refused_events').set({ settled_at: served.now() }).execute();
    expect((await check()).failed).toBe(false);
    await damage(() =>
      db()
        .updateTable('ledger_entries')
        .set({ at: new Date(Date.now() - DAY_MS - 60_000) })
        .where('payment_id', 'in', [late, refused])
        .execute(),
    );
    expect(await wrongs()).toEqual([
      `ORG payment:${late} sum of entries of a payment or charge that does not count: 0 USD expected, -3 USD found`,
    ]);
    await tell({ type: 'paid', paymentId: late, amountMicros: PAID });
    expect((await check()).failed).toBe(false);
  });

  it('a payment that waits a day longer than it is to', async () => {
    const of = { organization_id: organizationId(), amount_micros: PAID, page_id: randomUUID() };
    const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
    const ends_at = ago(1.1);
    const [left, old] = [
      await beginPayment(db(), { ...of, at: ago(2), ends_at }),
      // A version before has written no end.
      await beginPayment(db(), { ...of, at: ago(31.1) }),
      await beginPayment(db(), { ...of, at: ago(2), ends_at: ago(0.9) }),
    ];
    const words = (id: string, end: Date) =>
      `${id}: a payment that still waits, although it should have ended at ${end.toISOString()}; organization ORG`;
    const lines = await wrongs();
    expect(lines.slice(0, 2)).toEqual([words(left, ends_at), expect.stringContaining(old)]);
    expect(lines).toHaveLength(3);
    await db()
      .updateTable('payments')
      .set({ state: 'canceled' })
      .where('organization_id', '=', organizationId())
      .where('state', '=', 'open')
      .execute();
  });

  it('a day whose posting is not its usage, and usage that is not that of the requests', async () => {
    await served.use(2_000_000, new Date());
    await db().updateTable('usage_days').set({ posted: true }).execute();
    const day = `ORG usage:${organizationId()}:${dayOf(new Date())}`;
    expect(await wrongs()).toEqual([
      'ORG posted: 2 USD expected, 0 USD found',
      `${day} amount of the day: 2 USD expected, 0 USD found`,
    ]);
    await db().updateTable('usage_days').set({ posted: false, cost_micros: 1_000_000 }).execute();
    expect(await wrongs()).toEqual([
      `${day} cost of the requests of the day: 2 USD expected, 1 USD found`,
      'ORG used: 2 USD expected, 1 USD found',
    ]);
    // What is missing on one day and too much on another is found by the day.
    await served.use(1_000_000, new Date(Date.now() - DAY_MS));
    const yesterday = `ORG usage:${organizationId()}:${dayOf(new Date(Date.now() - DAY_MS))}`;
    await db().updateTable('usage_days').set({ cost_micros: 2_000_000 }).where('day', '<', dayOf(new Date())).execute();
    expect(await wrongs()).toEqual([
      `${yesterday} cost of the requests of the day: 1 USD expected, 2 USD found`,
      `${day} cost of the requests of the day: 2 USD expected, 1 USD found`,
    ]);
  });
});

it('LED-08: money that is in no balance fails the check, until it is dealt with', async () => {
  const paymentId = await begin();
  await tell({ type: 'paid', paymentId, amountMicros: 1_000_000, providerId: 'pi' });
  expect((await wrongs())[0]).toContain(`payment:${paymentId}:pi: paid, 1 USD, in no balance`);
  await db().updateTable('refused_events').set({ settled_at: served.now() }).execute();
  expect((await check()).failed).toBe(false);
});
