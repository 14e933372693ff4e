/** Events that an operator deals with while another transaction enters them. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { lockAccount } from '#server/money/ledger/accounts.ts';
import { refuse, settleRefused } from '#server/money/payments/refuse.ts';
import { createUser } from '../server/harness.ts';
import { openServices } from '../server/money/services.ts';
import { isWaiting } from './waiting.ts';

it('PAY-13: what is entered while the operator says that it is dealt with is not said to be', async () => {
  const { services, close } = await openServices();
  const { organizationId } = await createUser(services);
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
  await close();
});
