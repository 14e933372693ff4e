/** What test payments have added, once payments are real. */
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { note, operatorAct } from '../../tenancy/audit/log.ts';
import { enter, lockAccount } from '../ledger/accounts.ts';
import { armAutopay } from '../ledger/arm.ts';
import { toUsd } from '../usage/prices.ts';

const CAUSE = 'test-payment:';
const DESCRIPTION = 'Test payment taken back: no money was moved';

/** What a test payment has in its organization's balance, micro-USD. */
interface TestPayment {
  paymentId: string;
  organizationId: string;
  micros: number;
}

type Parts = Pick<Services, 'db' | 'clock' | 'log'>;

/** Test payments that balances have, but for closed accounts, in the order of their organizations. */
export async function listTestPayments(db: Db, organizationId?: string): Promise<TestPayment[]> {
  const rows = await db
    .selectFrom('payments')
    .innerJoin('ledger_entries', 'ledger_entries.payment_id', 'payments.id')
    .innerJoin('accounts', 'accounts.organization_id', 'payments.organization_id')
    .select(({ fn }) => [
      'payments.id as paymentId',
      'payments.organization_id as organizationId',
      fn.sum('ledger_entries.amount_micros').as('micros'),
    ])
    .where('payments.provider_id', 'like', 'test\\_%')
    .where('accounts.closed_at', 'is', null)
    .$if(organizationId !== undefined, (query) => query.where('payments.organization_id', '=', organizationId ?? ''))
    .groupBy(['payments.id', 'payments.organization_id'])
    .orderBy('payments.organization_id')
    .orderBy('payments.id')
    .execute();
  return rows
    .map(({ micros, ...payment }) => ({ ...payment, micros: Number(micros) }))
    .filter(({ micros }) => micros !== 0);
}

/** What was taken back, by organization. */
export async function listTakenBack(db: Db): Promise<{ organizationId: string; micros: number }[]> {
  const rows = await db
    .selectFrom('ledger_entries')
    .select(({ fn }) => ['organization_id as organizationId', fn.sum('amount_micros').as('micros')])
    .where('cause', 'like', `${CAUSE}%`)
    .groupBy('organization_id')
    .orderBy('organization_id')
    .execute();
  return rows.map(({ organizationId, micros }) => ({ organizationId, micros: Number(micros) }));
}

/**
 * Takes what test payments have added out of the balances again, each once, however many processes do so at once: nobody has paid it. Where
 * it was used, the balance is below zero then, and requests are refused until somebody pays.
 */
export async function takeBackTestPayments({ db, clock, log }: Parts): Promise<void> {
  const organizations = [...new Set((await listTestPayments(db)).map(({ organizationId }) => organizationId))];
  let [count, sum] = [0, 0];
  for (const organizationId of organizations) {
    const taken = await takeBack(db, organizationId, clock());
    count += taken.length;
    sum += taken.reduce((micros, payment) => micros + payment.micros, 0);
  }
  if (count > 0)
    log.warn(
      { organizations: organizations.length, payments: count, usd: toUsd(sum) },
      'test payments were taken out of the balances: payments are real now',
    );
}

async function takeBack(db: Db, organizationId: string, at: Date): Promise<TestPayment[]> {
  return db.transaction().execute(async (trx) => {
    if ((await lockAccount(trx, organizationId)) === undefined) return [];
    const payments = await listTestPayments(trx, organizationId);
    for (const { paymentId, micros } of payments)
      await enter(trx, {
        organizationId,
        kind: 'correction',
        micros: -micros,
        cause: CAUSE + paymentId,
        description: DESCRIPTION,
        at,
        paymentId,
      });
    const sum = payments.reduce((all, { micros }) => all + micros, 0);
    if (payments.length > 0)
      await note(trx, operatorAct(at), {
        organizationId,
        action: 'correction.entered',
        subject: 'Billing',
        detail: `${toUsd(-sum)} USD: test payments are taken back, as payments are real now`,
      });
    await armAutopay(trx, organizationId, at);
    return payments;
  });
}
