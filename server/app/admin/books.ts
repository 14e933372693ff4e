/** The commands that prove the books, tell of money that is in none of them, and make the rollups anew. */
import { proveLedger, type Imbalance } from '../../money/ledger/prove.ts';
import { readMode } from '../../money/ledger/mode.ts';
import { endSeries } from '../../money/ledger/receipt-series.ts';
import { listGoneCustomers } from '../../money/payments/leave.ts';
import { mayLackPayments, noteRestored } from '../../money/payments/past.ts';
import { listEndless } from '../../money/payments/reconcile.ts';
import { listRefused, listRefusedCharges, settleRefused } from '../../money/payments/refuse.ts';
import { listTakenBack, listTestPayments } from '../../money/payments/take-back.ts';
import { OperatorError } from '../../money/limits/operator.ts';
import { toUsd } from '../../money/usage/prices.ts';
import { compareAll, rebuildRollups } from '../../money/usage/rebuild.ts';
import type { Db } from '../../platform/db/database.ts';

type Month = Awaited<ReturnType<typeof compareAll>>[number];

const inWords = ({ month, ...differences }: Month): string =>
  `${month}: sums that are not those of the rows: ${Object.entries(differences)
    .map(([table, count]) => `${count} in ${table}`)
    .join(', ')}`;

/** What of an imbalance is compared. */
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
  reversed: 'amount, at most what was taken back before',
  given: 'sum of what was given back, at most what was paid',
  fee: 'what is left of the fee of the dispute, never above zero',
  unpaid: 'sum of what a payment, or a charge of it, that does not count has changed',
};

/** One line: organization, cause where it is an entry, both sides. */
const imbalanceInWords = ({ organizationId, cause, what, expected, found }: Imbalance): string =>
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

const refusedInWords = ({ cause, type, amount, why, event_id, organization_id, received_at }: Refused): string =>
  `${cause}: ${type}, ${amount}, in no balance, as ${WHY[why]}: event ${event_id} of ${received_at.toISOString()}${
    organization_id === null ? '' : `, organization ${organization_id}`
  }`;

/** What of test payments is in balances where payments are real, or of another test; and what was taken out. */
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
 * Compares every balance with its entries, its payments and its requests, and every rollup with its rows; tells of money that is in no
 * balance, of payments that do not end, of test payments where they are real by now, and of customers that are still at the payment
 * provider. Changes nothing. It has failed where somebody has to put something right: all of that but the customers, which are closed by
 * themselves.
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
    ...imbalances.map(imbalanceInWords),
    ...months.map(inWords),
    ...refused.map(refusedInWords),
    ...charges.map(
      ({ id, organization_id, amount_micros, refusal, run_at }) =>
        `${id}: a charge of ${toUsd(amount_micros ?? 0)} USD that the payment provider does not take (${refusal}); organization ${organization_id}, asked for again at ${run_at.toISOString()}`,
    ),
    ...endless.map(
      ({ id, organization_id, ends_at }) =>
        `${id}: a payment that still waits, and was to end by itself at ${ends_at.toISOString()}; organization ${organization_id}`,
    ),
    ...tests.lines,
    ...customers.map(
      ({ customer_id, organization_id, gone_at }) =>
        `${customer_id}: not closed at the payment provider yet; organization ${organization_id}, deleted at ${gone_at.toISOString()}`,
    ),
  ];
  const advice = [
    ...(months.length > 0 ? ['To make them anew from the rows: npm run admin -- rollups rebuild'] : []),
    ...(refused.some(({ why }) => why !== 'mode')
      ? [
          'When you have given such money back: npm run admin -- events done NAME. To enter it instead, run that first, then npm run admin -- correct: what still waits may be entered by itself.',
        ]
      : []),
    ...(refused.some(({ why }) => why === 'mode')
      ? ['What is of a test has moved no money. To list it no more: npm run admin -- events done NAME']
      : []),
    ...(endless.length > 0
      ? [
          'Servers end such payments every minute. See whether one runs, and in its log what the payment provider says of them.',
        ]
      : []),
    ...tests.advice,
    ...((await mayLackPayments(db))
      ? ['Autopay charges nothing before the payment provider has told of all that was paid, and of what went back.']
      : []),
  ];
  return {
    failed: [imbalances, months, refused, charges, endless, tests.left].some(({ length }) => length > 0),
    text: [
      ...(lines.length === 0 ? ['The books are right, and the rollups are those of the rows.'] : lines),
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

/** Money that an event told of is dealt with. @throws OperatorError where none of the name waits */
export async function doneWith(db: Db, cause: string, now: Date) {
  if (!(await settleRefused(db, cause, now)))
    throw new OperatorError(`No event ${JSON.stringify(cause)} waits. See: npm run admin -- books check`);
  return { text: 'Done.', data: { cause } };
}

/** Notes what `npm run restore` notes by itself: the rows are of an earlier time. */
export async function tellRestored(db: Db) {
  await db.transaction().execute(async (trx) => {
    await noteRestored(trx);
    await endSeries(trx);
  });
  return {
    text: 'Autopay waits until the payment provider has told of all payments, and of what went back. Receipts begin new series.',
    data: { restored: true },
  };
}

/** Makes all rollups anew, and tells what then is still not right. */
export async function rebuild(db: Db) {
  await rebuildRollups(db);
  const months = await compareAll(db);
  const text =
    months.length === 0
      ? 'The rollups were made anew.'
      : ['The rollups were made anew, and still differ:', ...months.map(inWords)].join('\n');
  return { text, data: { rollups: months } };
}
