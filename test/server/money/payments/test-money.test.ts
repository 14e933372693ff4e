/** What test payments have added, once payments are real. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkBooks } from '#server/app/admin/books.ts';
import { availableMicros } from '#server/money/ledger/accounts.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { startBilling } from '#server/money/payments/start.ts';
import { settle } from '#server/money/payments/settle.ts';
import type { Services } from '#server/platform/context.ts';
import { createUser, type TestUser } from '../../harness.ts';
import { beginPayment, entriesOf } from '../books.ts';
import { ModelProvider } from '../ledger/provider.ts';
import { CREDIT } from '../served.ts';
import { openServices } from '../services.ts';
import { useUp } from '../usage/usage.ts';

let services: Services;
let close: () => Promise<void>;
let ada: TestUser;
beforeAll(async () => {
  ({ services, close } = await openServices());
});
afterAll(() => close());
beforeEach(async () => {
  ada = await createUser(services);
});

/** A process that starts with Stripe's key. */
const start = () => startBilling(services, new ModelProvider(services.clock));

/** A payment that its provider has told of. */
async function paid(amountMicros: number, prefix: 'test_' | 'pi_', user = ada): Promise<string> {
  const payment = { organization_id: user.organizationId, amount_micros: amountMicros, at: services.clock() };
  const id = await beginPayment(services.db, payment);
  const event = { id: randomUUID(), type: 'paid', paymentId: id, amountMicros, providerId: prefix + id } as const;
  await settle(services, event);
  return id;
}
const left = (user = ada) => availableMicros(services.db, user.organizationId);
const corrections = async () =>
  (await entriesOf(services.db, ada.organizationId))
    .filter(({ kind }) => kind === 'correction')
    .toSorted((one, other) => one.amount_micros - other.amount_micros);

describe('a server that starts with a real provider', () => {
  it('PAY-15: takes what test payments have added out of the balances, once, whatever was used of it', async () => {
    const payments = [await paid(25_000_000, 'test_'), await paid(5_000_000, 'test_')];
    await paid(7_000_000, 'pi_');
    await useUp(services.db, ada, 20_000_000, services.clock());
    const bob = await createUser(services);
    await paid(6_000_000, 'pi_', bob);
    const warn = vi.spyOn(services.log, 'warn');
    await Promise.all([start(), start(), start()]);
    await start();
    const description = 'Test payment taken back: no money was moved';
    expect(await corrections()).toMatchObject([
      { amount_micros: -25_000_000, cause: `test-payment:${payments[0]}`, description },
      { amount_micros: -5_000_000, cause: `test-payment:${payments[1]}`, description },
    ]);
    expect([await left(), await left(bob)]).toEqual([CREDIT + 7_000_000 - 20_000_000, CREDIT + 6_000_000]);
    const told = warn.mock.calls.filter(([, message]) => message?.startsWith('test payments were taken out') === true);
    expect(told).toEqual([[{ organizations: 1, payments: 2, usd: '30' }, expect.any(String)]]);
    const log = await services.db
      .selectFrom('audit_log')
      .select(['actor', 'detail'])
      .where('organization_id', '=', ada.organizationId)
      .where('action', '=', 'correction.entered')
      .execute();
    expect(log).toEqual([
      { actor: 'Operator', detail: '-30 USD: test payments are taken back, as payments are real now' },
    ]);
    expect(await proveLedger(services.db)).toEqual([]);
  });

  it('PAY-15: takes out what a process without it has let in since, which books check lists until then', async () => {
    const first = await paid(5_000_000, 'test_');
    await start();
    const later = await paid(8_000_000, 'test_');
    const { text, data } = await checkBooks(services.db);
    expect(text).toContain(`${later}: a test payment of 8 USD, in the balance of organization ${ada.organizationId}`);
    expect(text).not.toContain(`${first}:`);
    expect(data.test_payments).toEqual([
      { payment_uuid: later, organization_uuid: ada.organizationId, micros: 8_000_000 },
    ]);
    await start();
    const after = await checkBooks(services.db);
    expect(after.data.test_payments).toEqual([]);
    expect(after.data.test_payments_taken_back).toContainEqual({
      organization_uuid: ada.organizationId,
      micros: -13_000_000,
    });
    expect(after.text).toContain('The books are right');
    expect(after.text).toContain('were taken out as payments became real');
    expect(await left()).toBe(CREDIT);
  });
});
