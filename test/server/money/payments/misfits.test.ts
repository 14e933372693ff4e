/** Money that does not fit, told in an order that few providers choose: what random steps on the ledger have found. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { settle } from '#server/money/payments/settle.ts';
import { beginPayment, dropOrganizations, entriesOf } from '../books.ts';
import { Served } from '../served.ts';
import type { Told } from './paying.ts';

const PAID = 20_000_000;
const served = new Served();
const tell = (event: Told) => settle(served.server.services, { ...event, id: randomUUID() });
const entries = async (): Promise<[string, number][]> =>
  (await entriesOf(served.db, served.ada.organizationId))
    .slice(1)
    .map(({ kind, amount_micros }) => [kind, amount_micros]);
const refused = () =>
  served.db.selectFrom('refused_events').select(['cause', 'why']).where('payment_id', '=', paymentId).execute();

let paymentId: string;
beforeEach(async () => {
  paymentId = await beginPayment(served.db, {
    organization_id: served.ada.organizationId,
    amount_micros: PAID,
    page_id: randomUUID(),
    at: served.now(),
  });
});
/** @param charge which of the payment */
const pay = (charge = 1, amountMicros = PAID) =>
  tell({ type: 'paid', paymentId, amountMicros, providerId: `pi_${paymentId}_${charge}` });

describe('PAY-13:', () => {
  it('a second charge is told to the operator also when its organization is gone', async () => {
    await pay();
    await dropOrganizations(served.db, [served.ada.organizationId]);
    await pay();
    expect(await refused()).toEqual([]);
    for (let time = 0; time < 2; time += 1) await pay(2);
    expect(await refused()).toEqual([{ cause: `payment:${paymentId}:pi_${paymentId}_2`, why: 'gone' }]);
  });

  it('a refund that was entered before its payment was refused is not told to the operator as well', async () => {
    const refundId = randomUUID();
    const back = { paymentId, refundId, amountMicros: 4_000_000 } as const;
    await tell({ ...back, type: 'refund_failed' });
    await pay(1, 1_000_000);
    for (const type of ['refunded', 'refund_failed'] as const) await tell({ ...back, type });
    expect(await refused()).toEqual([{ cause: `payment:${paymentId}`, why: 'amount' }]);
    expect(await entries()).toEqual([
      ['refund', -4_000_000],
      ['correction', 4_000_000],
    ]);
  });

  it.each([
    ['alone', [], 30_000_000],
    ['with another', ['other'], 15_000_000],
  ])('a dispute that is won in part takes no more than was paid: %s', async (_how, others, takenMicros) => {
    await pay();
    for (const disputeId of others)
      await tell({ type: 'disputed', paymentId, disputeId: `${disputeId}${paymentId}`, amountMicros: PAID });
    const before = await entries();
    await tell({ type: 'dispute_won', paymentId, disputeId: `d${paymentId}`, amountMicros: 5_000_000, takenMicros });
    expect(await entries()).toEqual(before);
    expect(await refused()).toEqual([{ cause: `dispute-won:d${paymentId}`, why: 'amount' }]);
    const { organizationId } = served.ada;
    expect((await proveLedger(served.db)).filter((wrong) => wrong.organizationId === organizationId)).toEqual([]);
  });
});

it.each([
  ['alone', false],
  ['after its beginning', true],
])('PAY-14: a dispute that was won takes its fee and returns it, each once: told %s', async (_when, isBegun) => {
  await pay();
  const of = { paymentId, disputeId: `d${paymentId}`, amountMicros: PAID };
  if (isBegun) await tell({ ...of, type: 'disputed', feeMicros: 15_000_000 });
  const won = {
    ...of,
    type: 'dispute_won',
    takenMicros: PAID,
    takenFeeMicros: 15_000_000,
    feeMicros: -10_000_000,
  } as const;
  for (let time = 0; time < 2; time += 1) await tell(won);
  const fees = (await entries()).filter(([kind]) => kind === 'fee');
  expect(fees).toEqual([
    ['fee', -15_000_000],
    ['fee', 10_000_000],
  ]);
});
