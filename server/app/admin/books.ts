/** Commands that check the books, list money that is in no balance, and rebuild the rollups. */
import { proveLedger, type Imbalance } from '../../money/ledger/prove.ts';
import { readMode } from '../../money/ledger/mode.ts';
import { endSeries } from '../../money/ledger/receipt-series.ts';
import { listGoneCustomers } from '../../money/payments/leave.ts';
import { mayLackPayments, noteRestored } from '../../money/payments/past.ts';
import { listEndless } from '../../money/payments/reconcile.ts';
import { listRefused, listRefusedCharges, settleRefused } from '../../money/payments/refuse.ts';
import { listTakenBack, listTestPayments } from '../../money/payments/take-back.ts';
import { OperatorError } from '../operator-error.ts';
import { toUsd } from '../../money/usage/prices.ts';
import { compareAll, rebuildRollups } from '../../money/usage/rebuild.ts';
import type { Db } from '../../platform/db/database.ts';

type Month = Awaited<ReturnType<typeof compareAll>>[number];

const monthLine = ({ month, ...differences }: Month): string =>
  `${month}: sums that differ from their rows: ${Object.entries(differences)
    .map(([table, count]) => `${count} in ${table}`)
    .join(', ')}`;

/** The amount that is compared, in words. `docs/billing.md` explains each. */
const WHAT: Readonly<Record<Imbalance['what'], string>> = {
  balance: 'balance',
  posted: 'posted',
  used: 'used',
  closed: 'balance of the closed account',
  day: 'cost of the requests of the day',
  posting: 'amount of the day',
  chain: 'balance after it',
  payment: 'amount of the payment',
  returned: 'amount, at most what was paid',
  reversed: 'amount, at most what was returned before',
  given: 'sum of the refunds, at most what was paid',
  fee: 'rest of the dispute fee, never above zero',
  unpaid: 'sum of entries of a payment or charge that does not count',
};

/** Organization, cause if it is an entry, and both amounts, in one line. */
const imbalanceLine = ({ organizationId, cause, what, expected, found }: Imbalance): string =>
  `${organizationId} ${cause === undefined ? '' : `${cause} `}${WHAT[what]}: ${toUsd(expected)} USD expected, ${toUsd(found)} USD found`;

type Refused = Awaited<ReturnType<typeof listRefused>>[number];
const WHY: Readonly<Record<Refused['why'], string>> = {
  gone: 'its payment or its organization is gone',
  currency: 'it is not in US dollars',
  amount: 'it does not fit the payment',
  second: 'it is about a second payment for the same',
  mode: 'it is of a test, and payments are real',
  settled: 'what it gives back was dealt with by hand',
};

const refusedLine = ({ cause, type, amount, why, event_id, organization_id, received_at }: Refused): string =>
  `${cause}: ${type}, ${amount}, in no balance, as ${WHY[why]}: event ${event_id} of ${received_at.toISOString()}${
    organization_id === null ? '' : `, organization ${organization_id}`
  }`;

/** Test payments that are in balances although payments are real or of another test, and those already taken out. */
async function testMoney(db: Db) {
  const takenBack = await listTakenBack(db);
  const left = await listTestPayments(db, (await readMode(db)) ?? 'test');
  const sum = takenBack.reduce((all, { micros }) => all + micros, 0);
  return {
    takenBack,
    left,
    lines: left.map(
      ({ paymentId, organizationId, micros }) =>
        `${paymentId}: a test payment of ${toUsd(micros)} USD, in the balance of organization ${organizationId}, though payments are real now`,
    ),
    advice: [
      ...(left.length > 0
        ? ['Servers take such payments out of the balances every hour. Stop those whose payments are still tests.']
        : []),
      ...(takenBack.length > 0
        ? [
            `Test payments of ${takenBack.length} organizations were taken out as payments became real: ${toUsd(sum)} USD.`,
          ]
        : []),
    ],
  };
}

/**
 * Compares balances with entries, payments and requests, and rollups with rows. Lists money that is in no balance,
 * refused charges, payments that do not end, test payments in real balances, and customers that are not closed at the
 * payment provider yet. Changes nothing. `failed`: the operator has to act; open customers do not count, because the
 * server closes them by itself.
 */
export async function checkBooks(db: Db) {
  const imbalances = await proveLedger(db);
  const months = await compareAll(db);
  const refused = await listRefused(db);
  const charges = await listRefusedCharges(db);
  const endless = await listEndless(db);
  const customers = await listGoneCustomers(db);
  const tests = await testMoney(db);
  const lines = [
    ...imbalances.map(imbalanceLine),
    ...months.map(monthLine),
    ...refused.map(refusedLine),
    ...charges.map(
      ({ id, organization_id, amount_micros, refusal, run_at }) =>
        `${id}: a charge of ${toUsd(amount_micros ?? 0)} USD that the payment provider does not take (${refusal}); organization ${organization_id}, next try at ${run_at.toISOString()}`,
    ),
    ...endless.map(
      ({ id, organization_id, ends_at }) =>
        `${id}: a payment that still waits, although it should have ended at ${ends_at.toISOString()}; organization ${organization_id}`,
    ),
    ...tests.lines,
    ...customers.map(
      ({ customer_id, organization_id, gone_at }) =>
        `${customer_id}: not closed at the payment provider yet; organization ${organization_id}, deleted at ${gone_at.toISOString()}`,
    ),
  ];
  const advice = [
    ...(months.length > 0 ? ['To rebuild the sums from the rows: npm run admin -- rollups rebuild'] : []),
    ...(refused.some(({ why }) => why !== 'mode')
      ? [
          'When you have given such money back: npm run admin -- events done NAME. To enter it instead, run that first, then npm run admin -- correct: the server may still enter a waiting event by itself.',
        ]
      : []),
    ...(refused.some(({ why }) => why === 'mode')
      ? ['Events of a test have moved no money. To remove one from this list: npm run admin -- events done NAME']
      : []),
    ...(endless.length > 0
      ? [
          'Servers end such payments every minute. Check that one runs, and read in its log what the payment provider answers.',
        ]
      : []),
    ...tests.advice,
    ...((await mayLackPayments(db))
      ? ['Autopay charges nothing until the payment provider has reported all payments, refunds and disputes.']
      : []),
  ];
  return {
    failed: [imbalances, months, refused, charges, endless, tests.left].some(({ length }) => length > 0),
    text: [
      ...(lines.length === 0 ? ['The books are right, and the rollups match their rows.'] : lines),
      ...advice,
    ].join('\n'),
    data: {
      imbalances: imbalances.map(({ organizationId, cause, what, expected, found }) => ({
        organization_uuid: organizationId,
        cause: cause ?? null,
        what,
        expected_micros: expected,
        found_micros: found,
      })),
      rollups: months,
      refused_events: refused,
      refused_charges: charges,
      endless_payments: endless,
      gone_customers: customers,
      test_payments: tests.left.map(({ paymentId, organizationId, micros }) => ({
        payment_uuid: paymentId,
        organization_uuid: organizationId,
        micros,
      })),
      test_payments_taken_back: tests.takenBack.map(({ organizationId, micros }) => ({
        organization_uuid: organizationId,
        micros,
      })),
    },
  };
}

/** Marks a refused event as dealt with. @throws OperatorError if no such event waits */
export async function markDone(db: Db, cause: string, now: Date) {
  if (!(await settleRefused(db, cause, now)))
    throw new OperatorError(`No event ${JSON.stringify(cause)} waits. See: npm run admin -- books check`);
  return { text: 'Done.', data: { cause } };
}

/** Notes that the database is of an earlier time, as `npm run restore` does by itself. */
export async function markRestored(db: Db) {
  await db.transaction().execute(async (trx) => {
    await noteRestored(trx);
    await endSeries(trx);
  });
  return {
    text: 'Autopay waits until the payment provider has reported all payments, refunds and disputes. Receipts begin new series.',
    data: { restored: true },
  };
}

/** Rebuilds all rollups, and lists those that differ from their rows even then. */
export async function rebuild(db: Db) {
  await rebuildRollups(db);
  const months = await compareAll(db);
  const text =
    months.length === 0
      ? 'The rollups were rebuilt.'
      : ['The rollups were rebuilt, and still differ:', ...months.map(monthLine)].join('\n');
  return { text, data: { rollups: months } };
}
