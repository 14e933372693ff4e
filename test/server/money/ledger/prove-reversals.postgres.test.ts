/** What entries reverse is known from their columns, whatever their causes say. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { postEntry, type Entry } from '#server/money/ledger/accounts.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { applyPaymentEvent } from '#server/money/payments/apply-event.ts';
import { beginPayment, unaided } from '../books.ts';
import { Served } from '../served.ts';
import { forgetAll } from '../usage/usage.ts';

const TAKEN = 3_000_000;
const served = new Served({}, forgetAll);
let paymentId: string;
const add = (kind: Entry['kind'], micros: number, cause: string, columns: Pick<Entry, 'reversal' | 'about'> = {}) =>
  postEntry(served.db, {
    ...{ organizationId: served.ada.organizationId, paymentId, kind, micros, cause, ...columns },
    ...{ description: '', at: served.now() },
  });

beforeEach(async () => {
  const of = { organization_id: served.ada.organizationId, amount_micros: 25_000_000, page_id: randomUUID() };
  paymentId = await beginPayment(served.db, { ...of, at: served.now() });
  const paid = { id: randomUUID(), type: 'paid', paymentId, amountMicros: of.amount_micros, providerId: 'pi' } as const;
  await applyPaymentEvent(served.server.services, paid);
});

/** The kind of what was taken, that of the entry that is to reverse it, and where that is found. */
const WRONG = [
  ['dispute', 'dispute', 'unpaid', 'returned'],
  ['dispute', 'refund', 'dispute_won', 'returned'],
  ['dispute', 'correction', 'refund_failed', 'reversed'],
  ['refund', 'dispute', 'dispute_won', 'reversed'],
  ['refund', 'correction', 'paid_after_all', 'reversed'],
] as const;
it.each(WRONG)('LED-08: a %s is not reversed by a %s as %s', async (of, kind, reversal, what) => {
  const [about, cause] = [`${of}:a`, `${of === 'refund' ? 'refund-failed' : 'dispute-won'}:a`];
  await unaided(served.db, async () => {
    await add(of, -TAKEN, about);
    await add(kind, TAKEN, cause, { reversal, about });
  });
  const { organizationId } = served.ada;
  expect(await proveLedger(served.db)).toEqual([{ organizationId, what, cause, expected: 0, found: TAKEN }]);
});

it('LED-08: a fee that came back of no dispute is not evened out by another that was taken', async () => {
  const cause = 'dispute-fee-returned:a';
  await unaided(served.db, async () => {
    await add('fee', -TAKEN, 'dispute-fee-taken:a');
    await add('fee', TAKEN, cause);
  });
  const { organizationId } = served.ada;
  expect(await proveLedger(served.db)).toEqual([{ organizationId, what: 'fee', cause, expected: 0, found: TAKEN }]);
});

it.each([
  ['refund', 'correction', 'refund_failed'],
  ['dispute', 'dispute', 'dispute_won'],
] as const)('LED-08: a %s is reversed by a %s as %s, but only once', async (of, kind, reversal) => {
  const about = `${of}:a`;
  await add(of, -TAKEN, about);
  await add(kind, TAKEN, 'first', { reversal, about });
  expect(await proveLedger(served.db)).toEqual([]);
  for (const again of [reversal, 'paid_after_all'] as const)
    await expect(add(kind, TAKEN, 'second', { reversal: again, about })).rejects.toThrow(
      'ledger_entries_reversed_once',
    );
});
