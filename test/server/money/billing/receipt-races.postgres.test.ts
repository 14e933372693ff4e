/** Numbers of receipts where payments are entered at the same time, or not to the end. */
import { expect, it } from 'vitest';
import { Paying } from '../payments/paying.ts';

const paying = new Paying();
const { transactions, begin, tell } = paying;
const AMOUNT = 5_000_000;
const next = async (): Promise<number> => {
  const row = await paying.db
    .selectFrom('receipt_series')
    .select('next')
    .where('series', '=', 'TEST-R')
    .executeTakeFirst();
  return row?.next ?? 1;
};
const paid = (paymentId: string) =>
  ({ type: 'paid', paymentId, amountMicros: AMOUNT, providerId: `test_${paymentId}` }) as const;
const numbers = async (): Promise<number[]> =>
  (await transactions())
    .flatMap(({ receipt }) => (receipt === null ? [] : [Number(/\d+$/.exec(receipt.number)?.[0])]))
    .toSorted((a, b) => a - b);

it('RCP-01: payments of two organizations that are settled at once get consecutive numbers', async () => {
  const first = await next();
  const mine = await Promise.all([1, 2, 3].map(() => begin(AMOUNT)));
  const ada = paying.ada;
  const eve = await paying.server.createUser();
  paying.ada = eve;
  const others = await Promise.all([1, 2, 3].map(() => begin(AMOUNT)));
  await Promise.all([...mine, ...others].map(({ attempt }) => tell(paid(attempt))));
  const hers = await numbers();
  paying.ada = ada;
  expect([...(await numbers()), ...hers].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5].map((n) => first + n));
});

it('RCP-01: one that was rolled back leaves no gap, also while another waits for its number', async () => {
  const first = await next();
  const [failing, waiting] = await Promise.all([begin(AMOUNT), begin(AMOUNT)]);
  const { services } = paying.server;
  const failed = paying.db
    .transaction()
    .execute(async (trx) => {
      const db = { transaction: () => ({ execute: (run: (inner: typeof trx) => unknown) => run(trx) }) };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      await tell(paid(failing.attempt), { ...services, db } as unknown as typeof services);
      throw new Error('on purpose');
    })
    .catch((error: unknown) => error);
  const other = tell(paid(waiting.attempt));
  expect(await failed).toEqual(new Error('on purpose'));
  await other;
  expect(await numbers()).toEqual([first]);
  await tell(paid(failing.attempt));
  expect(await numbers()).toEqual([first, first + 1]);
});
