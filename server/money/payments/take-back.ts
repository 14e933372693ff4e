/** Takes the money of test payments out of the balances once payments are real. */
import type { Transaction } from 'kysely';
import { mailOf } from '../../identity/accounts/mails.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import type { MoneyMode } from '../../platform/db/ledger-tables.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { repeat } from '../../platform/repeat.ts';
import { recordAudit, operatorAct } from '../../tenancy/audit/log.ts';
import { availableMicros, postEntry, lockAccount } from '../ledger/accounts.ts';
import { scheduleAutopay } from '../ledger/schedule.ts';
import { moneyModeOf, OUTDATED } from '../ledger/mode.ts';
import { hasPrices } from '../usage/price-lists.ts';
import { toUsd } from '../usage/prices.ts';
import { mailReaders } from './readers.ts';

const HOUR_MS = 3_600_000;
const DESCRIPTION = 'Test payment taken back: no money was moved';

/** The money of a test payment in its organization's balance, micro-USD. */
interface TestPayment {
  paymentId: string;
  organizationId: string;
  micros: number;
}

type Parts = Pick<Services, 'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl'>;

/**
 * Outdated test payments whose money is in balances, ordered by organization. Leaves out closed accounts.
 * @param mode the present mode; payments of this mode are not outdated
 */
export async function listTestPayments(db: Db, mode: MoneyMode, organizationId?: string): Promise<TestPayment[]> {
  if (OUTDATED[mode].length === 0) return [];
  const rows = await db
    .selectFrom('payments')
    .innerJoin('ledger_entries', 'ledger_entries.payment_id', 'payments.id')
    .innerJoin('accounts', 'accounts.organization_id', 'payments.organization_id')
    .select(({ fn }) => [
      'payments.id as paymentId',
      'payments.organization_id as organizationId',
      fn.sum('ledger_entries.amount_micros').as('micros'),
    ])
    .where((eb) =>
      eb.or([
        eb('payments.mode', 'in', OUTDATED[mode]),
        // Written by an earlier version.
        eb.and([
          eb('payments.mode', 'is', null),
          eb.or([
            eb('payments.provider_id', 'like', 'test\\_%'),
            ...(mode === 'live' ? [eb('payments.page_id', 'like', 'cs\\_test\\_%')] : []),
          ]),
        ]),
      ]),
    )
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

/** The money that was taken back, by organization. */
export async function listTakenBack(db: Db): Promise<{ organizationId: string; micros: number }[]> {
  const rows = await db
    .selectFrom('ledger_entries')
    .select(({ fn }) => ['organization_id as organizationId', fn.sum('amount_micros').as('micros')])
    .where('reversal', '=', 'test_payment')
    .groupBy('organization_id')
    .orderBy('organization_id')
    .execute();
  return rows.map(({ organizationId, micros }) => ({ organizationId, micros: Number(micros) }));
}

/**
 * Takes the money of outdated test payments out of the balances, each once, even if several processes do so. A balance
 * may become negative; then requests are refused until somebody pays. Mails owners, billing members and the operator.
 */
export async function takeBackTestPayments(services: Parts): Promise<void> {
  const { db, log, config } = services;
  const found = await listTestPayments(db, moneyModeOf(config));
  const organizations = [...new Set(found.map(({ organizationId }) => organizationId))];
  let [count, sum] = [0, 0];
  for (const organizationId of organizations) {
    const taken = await takeBack(services, organizationId);
    count += taken.length;
    sum += sumOf(taken);
  }
  if (count > 0)
    log.warn(
      { organizations: organizations.length, payments: count, usd: toUsd(sum) },
      'test payments were taken out of the balances',
    );
  await tellOperator(services);
}

const sumOf = (payments: readonly Pick<TestPayment, 'micros'>[]): number =>
  payments.reduce((sum, { micros }) => sum + micros, 0);

async function takeBack(services: Parts, organizationId: string): Promise<TestPayment[]> {
  const at = services.clock();
  return services.db.transaction().execute(async (trx) => {
    if ((await lockAccount(trx, organizationId)) === undefined) return [];
    const payments = await listTestPayments(trx, moneyModeOf(services.config), organizationId);
    for (const { paymentId, micros } of payments)
      await postEntry(trx, {
        organizationId,
        kind: 'correction',
        micros: -micros,
        cause: await nextCause(trx, paymentId),
        reversal: 'test_payment',
        description: DESCRIPTION,
        at,
        paymentId,
      });
    if (payments.length > 0) {
      await tell(trx, services, organizationId, sumOf(payments), at);
      await tellOperatorLater(trx, organizationId, sumOf(payments));
    }
    await scheduleAutopay(trx, organizationId, at);
    return payments;
  });
}

/** The cause of taking a payment back. Numbered, because its balance may change again after the first time. */
async function nextCause(trx: Db, paymentId: string): Promise<string> {
  const before = await trx
    .selectFrom('ledger_entries')
    .select('id')
    .where('payment_id', '=', paymentId)
    .where('reversal', '=', 'test_payment')
    .execute();
  return `test-payment:${paymentId}${before.length === 0 ? '' : `:${before.length}`}`;
}

async function tell(trx: Transaction<Schema>, services: Parts, organizationId: string, sum: number, at: Date) {
  await recordAudit(trx, operatorAct(at), {
    organizationId,
    action: 'correction.entered',
    subject: 'Billing',
    detail: `${toUsd(-sum)} USD: test payments are taken back, as no money was moved`,
  });
  const left = (await availableMicros(trx, organizationId)) ?? 0;
  const isRefused = left <= 0 && (await hasPrices(trx, at));
  await mailReaders(trx, services, organizationId, (organization) => ({
    page: 'overview',
    action: 'Open billing',
    title: 'Test payments were taken back',
    before: `What test payments had changed in the balance of ${organization} was put right by ${toUsd(-sum)} USD, as no money was moved. The balance is ${toUsd(left)} USD.`,
    after: isRefused ? 'New requests are refused until somebody pays.' : 'Nothing else has changed.',
  }));
}

/** Writes what was taken back, for the operator's mail: one about all organizations. */
async function tellOperatorLater(trx: Db, organization_id: string, micros: number): Promise<void> {
  await trx
    .insertInto('untold_corrections')
    .values({ organization_id, micros })
    .onConflict((conflict) =>
      conflict
        .column('organization_id')
        .doUpdateSet((eb) => ({ micros: eb('untold_corrections.micros', '+', eb.ref('excluded.micros')) })),
    )
    .execute();
}

/** Mails the operator what was taken back, also by a process that ended before its mail. */
async function tellOperator(services: Parts): Promise<void> {
  const to = services.config.operatorEmail ?? services.config.supportEmail;
  await services.db.transaction().execute(async (trx) => {
    const untold = await trx.deleteFrom('untold_corrections').returning('micros').execute();
    if (untold.length > 0 && to !== undefined) await services.mail.send(trx, operatorMail(services, to, untold));
  });
}

const operatorMail = (services: Parts, to: string, untold: readonly Pick<TestPayment, 'micros'>[]) =>
  mailOf(services, {
    to,
    link: services.publicUrl(),
    title: 'Test payments were taken back',
    before: `What test payments had changed in the balances of ${untold.length} ${untold.length === 1 ? 'organization' : 'organizations'} was put right by ${toUsd(-sumOf(untold))} USD, as payments are real now, or those of another test. The owners have been told.`,
    action: 'Open the console',
    after:
      'Each is a correction among the transactions. What was taken, by organization: npm run admin -- books check.',
    reason: 'this server tells this address what its operator should know.',
  });

/** Takes test payments back now and every hour, because another server may still take test payments for a while. */
export function keepTakingBack(services: Parts & Parameters<typeof repeat>[0]): Promise<void> {
  return repeat(services, {
    name: 'end of test payments',
    everyMs: HOUR_MS,
    run: () => takeBackTestPayments(services),
  })();
}
