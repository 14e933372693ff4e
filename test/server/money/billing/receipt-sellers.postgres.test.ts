/** Numbers of receipts where somebody else sells. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { endSeries } from '#server/money/ledger/receipt-series.ts';
import { Paying } from '../payments/paying.ts';

const paying = new Paying();
const { transactions, begin, tell } = paying;
const amountMicros = 5_000_000;

/** Of a test of its own: a seller has its series for good. */
const name = (): string => `Seller ${randomUUID().slice(0, 8)}`;
/** The same server with other settings. */
const soldBy = (seller: string[], receiptSeries = 'R') => {
  const { services } = paying.server;
  return { ...services, config: { ...services.config, seller, receiptSeries } };
};
type Parts = ReturnType<typeof soldBy>;
const beginOne = async (): Promise<string> => (await begin(amountMicros)).attempt;
const settle = (paymentId: string, parts: Parts) =>
  tell({ type: 'paid', paymentId, amountMicros, providerId: `test_${paymentId}` }, parts);
const pay = async (parts: Parts): Promise<string> => {
  const paymentId = await beginOne();
  await settle(paymentId, parts);
  return paymentId;
};
const refund = (paymentId: string, parts: Parts) =>
  tell({ type: 'refunded', paymentId, refundId: randomUUID(), amountMicros }, parts);
/** Numbers of this test's organization, in order. */
const numbers = async (): Promise<string[]> =>
  (await transactions()).flatMap(({ receipt }) => receipt?.number ?? []).toReversed();

it('RCP-06: another seller has a series of its own from 1 on, and each goes on in its own', async () => {
  const base = `A${randomUUID().slice(0, 8)}`.toUpperCase();
  const [ada, eve] = [name(), name()];
  const first = await pay(soldBy([ada, '1 Main Street'], base));
  await pay(soldBy([eve, '1 Main Street'], base));
  // What is given back is of whoever sold.
  await refund(first, soldBy([eve], base));
  await pay(soldBy([eve], base));
  await pay(soldBy([name()], base));
  // An address that has changed makes no other seller.
  await pay(soldBy([ada, '2 Side Street'], base));
  expect(await numbers()).toEqual(
    ['000001', '2-000001', '000002', '2-000002', '3-000001', '000003'].map((number) => `TEST-${base}-${number}`),
  );
});

it('RCP-06: a series that is named is taken by nobody else, and goes on where its seller names it', async () => {
  const base = `B${randomUUID().slice(0, 8)}`.toUpperCase();
  const [ada, eve, bob] = [name(), name(), name()];
  for (const seller of [ada, eve]) await pay(soldBy([seller], base));
  await pay(soldBy([bob], `${base}-3`));
  await pay(soldBy([eve], `${base}-2`));
  await pay(soldBy([name()], base));
  expect(await numbers()).toEqual(
    ['000001', '2-000001', '3-000001', '2-000002', '4-000001'].map((number) => `TEST-${base}-${number}`),
  );
});

it('RCP-06 RCP-01: a series that payments begin at once has no gap, nor has one that was rolled back', async () => {
  const base = `C${randomUUID().slice(0, 8)}`.toUpperCase();
  const parts = soldBy([name()], base);
  const first = await beginOne();
  const failing = paying.db.transaction().execute(async (trx) => {
    const db = { transaction: () => ({ execute: (run: (inner: typeof trx) => unknown) => run(trx) }) };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    await settle(first, { ...parts, db } as unknown as Parts);
    throw new Error('on purpose');
  });
  await expect(failing).rejects.toThrow('on purpose');
  expect(await numbers()).toEqual([]);
  const ada = paying.ada;
  const others = await Promise.all([1, 2, 3].map(() => paying.server.createUser()));
  const begun = [first];
  for (paying.ada of others) begun.push(await beginOne());
  await Promise.all(begun.map((paymentId) => settle(paymentId, parts)));
  const issued: string[] = [];
  for (paying.ada of [...others, ada]) issued.push(...(await numbers()));
  expect(issued.toSorted()).toEqual([1, 2, 3, 4].map((number) => `TEST-${base}-00000${number}`));
});

it('RCP-07: no number is given twice where rows are lost, also of a series that those have begun, or twice over', async () => {
  const base = `D${randomUUID().slice(0, 8)}`.toUpperCase();
  const [ada, eve] = [name(), name()];
  let nth = 0;
  /** Rows are lost, each time a minute after the time before. */
  const lose = async (): Promise<void> => {
    nth += 1;
    await paying.db.transaction().execute((trx) => endSeries(trx));
    await paying.db
      .updateTable('receipt_series')
      .set({ ended_at: sql<Date>`ended_at + ${nth} * interval '1 minute'` })
      .where('ended_at', '<=', sql<Date>`now()`)
      .execute();
  };
  const first = await pay(soldBy([ada], base));
  await lose();
  // What is given back is of whoever sold, in a series that goes on.
  await refund(first, soldBy([eve], base));
  for (const seller of [ada, eve]) await pay(soldBy([seller], base));
  await lose();
  await pay(soldBy([ada], base));
  // Who sells after another name for the first time may have done so in what is lost.
  const other = `E${randomUUID().slice(0, 8)}`.toUpperCase();
  await pay(soldBy([ada], other));
  const given = await numbers();
  expect(given.map((number) => number.replace(/\d{8}T\d{6}/u, 'END'))).toEqual([
    `TEST-${base}-000001`,
    ...['000001', '000002', '2-000001', '000001'].map((number) => `TEST-${base}-END-${number}`),
    `TEST-${other}-END-000001`,
  ]);
  expect(new Set(given).size).toBe(given.length);
});
