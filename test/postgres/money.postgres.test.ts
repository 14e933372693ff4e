/** Money that is written while somebody else reads it, or writes it, too. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readStatus } from '#server/money/billing/paying.ts';
import { lockAccount } from '#server/money/ledger/accounts.ts';
import { refuse, settleRefused } from '#server/money/payments/refuse.ts';
import type { Services } from '#server/platform/context.ts';
import { createUser } from '../server/harness.ts';
import { ModelProvider } from '../server/money/ledger/provider.ts';
import { openServices } from '../server/money/services.ts';
import { isWaiting } from './waiting.ts';

let services: Services;
let close: () => Promise<void>;
let organizationId: string;
beforeEach(async () => {
  ({ services, close } = await openServices());
  ({ organizationId } = await createUser(services));
});
afterEach(() => close());

it('PAY-13: what is entered while the operator says that it is dealt with is not said to be', async () => {
  const refundId = randomUUID();
  const event = { type: 'refunded', id: refundId, paymentId: randomUUID(), refundId, amountMicros: 1 } as const;
  const cause = `refund:${refundId}`;
  await services.db
    .transaction()
    .execute((trx) => refuse(trx, services, { ...event, providerId: 'pi_1' }, 'amount', organizationId));
  let said: Promise<boolean> | undefined;
  await services.db.transaction().execute(async (trx) => {
    await lockAccount(trx, organizationId);
    said = settleRefused(services.db, cause, services.clock());
    await Promise.race([said, isWaiting(services)]);
    await trx.updateTable('refused_events').set({ settled_at: services.clock() }).where('cause', '=', cause).execute();
  });
  expect(await said).toBe(false);
});

it('BIL-05: how payments stand is told as of one moment: what a setup has stored is there once that is done', async () => {
  const paying = { services, driver: new ModelProvider(services.clock) };
  const setup = { id: randomUUID(), organization_id: organizationId, kind: 'setup', key: randomUUID() } as const;
  const at = services.clock();
  const row = { ...setup, state: 'open', run_at: at, created_at: at } as const;
  await services.db.insertInto('payments').values(row).execute();
  let told: ReturnType<typeof readStatus> | undefined;
  await services.db.transaction().execute(async (trx) => {
    await sql`lock table payments in access exclusive mode`.execute(trx);
    told = readStatus(paying, organizationId, setup.id);
    await isWaiting(services);
    const stored = { method_id: 'pm_1', method_brand: 'Visa', method_last4: '4242' };
    await trx.updateTable('accounts').set(stored).where('organization_id', '=', organizationId).execute();
    await trx.updateTable('payments').set({ state: 'succeeded' }).where('id', '=', setup.id).execute();
  });
  expect(await told).toMatchObject({ attempt: { state: 'open' }, method: null });
});
