/** Money that does not fit, told in an order that few providers choose: what random steps on the ledger have found. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { listRefused, settleRefused } from '#server/money/payments/refuse.ts';
import { reconcile } from '#server/money/payments/reconcile.ts';
import { applyPaymentEvent } from '#server/money/payments/apply-event.ts';
import { beginPayment, dropOrganizations, entriesOf, unaided } from '../books.ts';
import { ModelProvider } from '../ledger/provider.ts';
import { Served } from '../served.ts';
import type { MoneyEvent } from '#server/money/payments/port.ts';
import type { Told } from './paying.ts';

const PAID = 20_000_000;
const served = new Served();
const tell = (event: Told) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  applyPaymentEvent(served.server.services, { providerId: chargeOf(1), ...event, id: randomUUID() } as MoneyEvent);
const entries = async (): Promise<[string, number][]> =>
  (await entriesOf(served.db, served.ada.organizationId))
    .slice(1)
    .map(({ kind, amount_micros }) => [kind, amount_micros]);
const refused = () =>
  served.db.selectFrom('refused_events').select(['cause', 'why']).where('payment_id', '=', paymentId).execute();

const waiting = async (): Promise<string[]> => {
  const rows = served.db.selectFrom('refused_events').select('cause').where('payment_id', '=', paymentId);
  return (await rows.where('settled_at', 'is', null).execute()).map(({ cause }) => cause);
};

let paymentId: string;
const chargeOf = (which: number) => `pi_${paymentId}_${which}`;
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
  tell({ type: 'paid', paymentId, amountMicros, providerId: chargeOf(charge) });

describe('PAY-13:', () => {
  it('a second charge is told to the operator also when its organization is gone', async () => {
    await pay();
    await dropOrganizations(served.db, [served.ada.organizationId]);
    await pay();
    expect(await refused()).toEqual([]);
    for (let time = 0; time < 2; time += 1) await pay(2);
    expect(await refused()).toEqual([{ cause: `payment:${paymentId}:${chargeOf(2)}`, why: 'gone' }]);
  });

  it('what was paid on a page, and is not what was asked for, holds autopay', async () => {
    await pay(1, PAID - 10_000);
    const holds = served.db.selectFrom('account_holds').select('why');
    expect(await holds.where('organization_id', '=', served.ada.organizationId).execute()).toEqual([
      { why: 'mismatched' },
    ]);
  });

  it('a refund that was entered before its payment was refused is not told to the operator as well', async () => {
    const refundId = randomUUID();
    const back = { paymentId, refundId, amountMicros: 4_000_000 } as const;
    await tell({ ...back, type: 'refund_failed' });
    await pay(1, 1_000_000);
    for (const type of ['refunded', 'refund_failed'] as const) await tell({ ...back, type });
    expect(await refused()).toEqual([{ cause: `payment:${paymentId}:${chargeOf(1)}`, why: 'amount' }]);
    expect(await entries()).toEqual([
      ['refund', -4_000_000],
      ['correction', 4_000_000],
    ]);
  });

  it.each([
    ['as it is told', 5_000_000],
    ['as it was entered', 6_000_000],
  ])('a dispute is not won for more than it has taken: %s', async (_how, takenMicros) => {
    await pay();
    if (takenMicros > 5_000_000)
      await tell({ type: 'disputed', paymentId, disputeId: `d${paymentId}`, amountMicros: 5_000_000 });
    const before = await entries();
    await tell({
      type: 'dispute_won',
      paymentId,
      disputeId: `d${paymentId}`,
      amountMicros: 6_000_000,
      takenMicros,
    });
    expect(await entries()).toEqual(before);
    expect(await refused()).toEqual([{ cause: `dispute-won:d${paymentId}`, why: 'amount' }]);
  });
});

it('PAY-14: a dispute takes what its bank does, also more than its payment, or beside another', async () => {
  await pay();
  const of = (which: number) => ({ paymentId, disputeId: `d${which}${paymentId}` });
  await tell({ ...of(1), type: 'disputed', amountMicros: 3 * PAID, feeMicros: 15_000_000 });
  await tell({ ...of(2), type: 'dispute_won', amountMicros: 5_000_000, takenMicros: PAID });
  await tell({ ...of(1), type: 'dispute_won', amountMicros: 3 * PAID });
  expect((await entries()).slice(1)).toEqual([
    ['dispute', -3 * PAID],
    ['fee', -15_000_000],
    ['dispute', -PAID],
    ['dispute', 5_000_000],
    ['dispute', 3 * PAID],
  ]);
  expect(await refused()).toEqual([]);
  const { organizationId } = served.ada;
  expect((await proveLedger(served.db)).filter((wrong) => wrong.organizationId === organizationId)).toEqual([]);
});

it('PAY-13: a refund that the operator has dealt with by hand is not entered as it fits, nor as it ends, which is told', async () => {
  await pay();
  const refund = (which: number, type: 'refunded' | 'refund_failed') =>
    tell({ type, paymentId, refundId: `re${which}${paymentId}`, amountMicros: PAID });
  for (const which of [1, 2]) await refund(which, 'refunded');
  expect(await waiting()).toEqual([`refund:re2${paymentId}`]);
  expect(await settleRefused(served.db, `refund:re2${paymentId}`, served.now())).toBe(true);
  await refund(1, 'refund_failed');
  const before = await entries();
  await refund(2, 'refunded');
  expect(await waiting()).toEqual([]);
  await refund(2, 'refund_failed');
  expect(await entries()).toEqual(before);
  expect((await refused()).filter(({ why }) => why === 'settled').map(({ cause }) => cause)).toEqual([
    `refund-failed:re2${paymentId}`,
  ]);
});

describe('PAY-13: of the charges of a payment one counts:', () => {
  const credits = async (): Promise<number> => (await entries()).reduce((sum, [, micros]) => sum + micros, 0);
  const back = { type: 'refunded', amountMicros: 4_000_000 } as const;
  const refund = (charge: number) =>
    tell({ ...back, paymentId, refundId: `re_${chargeOf(charge)}`, providerId: chargeOf(charge) });
  const wrongs = async () =>
    (await proveLedger(served.db)).filter((wrong) => wrong.organizationId === served.ada.organizationId);

  it('each that does not is kept for the operator by itself, and stays when another counts', async () => {
    await pay(1, 1_000_000);
    await pay(2, 2_000_000);
    await pay(3);
    const kept = [1, 2].map((charge) => ({ cause: `payment:${paymentId}:${chargeOf(charge)}`, why: 'amount' }));
    expect(await refused()).toEqual(kept);
    expect(await waiting()).toEqual(kept.map(({ cause }) => cause));
    expect(await credits()).toBe(PAID);
  });

  it('what was given back of one that was told with another amount first counts as it counts', async () => {
    const dispute = { paymentId, disputeId: `d${paymentId}`, amountMicros: PAID, feeMicros: 15_000_000 };
    await tell({ ...dispute, type: 'disputed' });
    await pay(1, 1_000_000);
    expect(await credits()).toBe(0);
    expect((await listRefused(served.db)).find(({ cause }) => cause === `dispute:d${paymentId}`)).toMatchObject({
      amount: '20 USD and a fee of 15 USD',
    });
    await tell({ ...dispute, type: 'dispute_won', takenFeeMicros: 15_000_000, feeMicros: -15_000_000 });
    await refund(1);
    expect(await credits()).toBe(0);
    await pay(1);
    expect(await credits()).toBe(PAID - 4_000_000);
    expect(await waiting()).toEqual([]);
    expect(await wrongs()).toEqual([]);
  });

  it.each([
    ['before any charge', ['refund 2', 'pay 1', 'pay 2']],
    ['after its charge, and before the one that counts', ['refund 2', 'misfit 2', 'pay 1']],
    ['between both', ['pay 1', 'refund 2', 'pay 2']],
    ['last', ['pay 1', 'pay 2', 'refund 2']],
  ])('a refund of another takes nothing out of the balance: told %s', async (_when, steps) => {
    for (const step of steps) {
      const [what, charge] = [step.split(' ')[0], Number(step.split(' ')[1])];
      await (what === 'refund' ? refund(charge) : pay(charge, what === 'misfit' ? 9_000_000 : PAID));
    }
    await refund(1);
    expect(await credits()).toBe(PAID - 4_000_000);
    expect((await waiting()).toSorted()).toEqual([`payment:${paymentId}:${chargeOf(2)}`, `refund:re_${chargeOf(2)}`]);
    expect(await wrongs()).toEqual([]);
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

it('LED-08: each entry says what it reverses, and which dispute its fee is of', async () => {
  const dispute = { paymentId, disputeId: 'd', amountMicros: PAID, feeMicros: 15_000_000 };
  await unaided(served.db, async () => {
    await tell({ ...dispute, type: 'disputed' });
    await pay(1, 1_000_000);
    await pay();
    await tell({ ...dispute, type: 'dispute_won', takenFeeMicros: 15_000_000, feeMicros: -15_000_000 });
    await tell({ type: 'refund_failed', paymentId, refundId: 're', amountMicros: PAID });
  });
  const all = await entriesOf(served.db, served.ada.organizationId);
  expect(all.slice(1).map(({ kind, reversal, about }) => [kind, reversal, about])).toEqual([
    ['dispute', null, null],
    ['fee', null, 'dispute:d'],
    ['correction', 'unpaid', null],
    ['payment', null, null],
    ['correction', 'paid_after_all', `unpaid:${paymentId}:${chargeOf(1)}`],
    ['dispute', 'dispute_won', 'dispute:d'],
    ['fee', null, 'dispute:d'],
    ['refund', null, null],
    ['correction', 'refund_failed', 'refund:re'],
  ]);
  const { organizationId } = served.ada;
  expect((await proveLedger(served.db)).filter((wrong) => wrong.organizationId === organizationId)).toEqual([]);
  const papers = served.db.selectFrom('receipts').select(['kind', 'total_micros']);
  expect(await papers.where('organization_id', '=', organizationId).orderBy('number').execute()).toEqual([
    { kind: 'receipt', total_micros: PAID },
    { kind: 'credit_note', total_micros: PAID },
    { kind: 'reversal', total_micros: PAID },
  ]);
});

it('PAY-14: one that cannot be written down keeps no other from being asked for', async () => {
  await pay();
  const refund = { type: 'refunded', amountMicros: 4_000_000, providerId: chargeOf(1) } as const;
  const provider = new ModelProvider(served.now);
  provider.refundsAndDisputesSince = async function* returned() {
    yield { ...refund, id: randomUUID(), paymentId: 'none', refundId: 'none' };
    yield { ...refund, id: randomUUID(), paymentId, refundId: `re_${paymentId}` };
  };
  await served.db.deleteFrom('provider_looks').execute();
  const error = vi.fn();
  const { services } = served.server;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  await reconcile({ ...services, log: { ...services.log, error } as unknown as typeof services.log }, provider);
  expect((await entries()).at(-1)).toEqual(['refund', -4_000_000]);
  expect(error).toHaveBeenCalledOnce();
});
