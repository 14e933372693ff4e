/** The commands that prove the books, and make the rollups anew. */
import { proveLedger } from '../../money/ledger/prove.ts';
import { toUsd } from '../../money/usage/prices.ts';
import { compareAll, rebuildRollups } from '../../money/usage/rebuild.ts';
import type { Db } from '../../platform/db/database.ts';

type Month = Awaited<ReturnType<typeof compareAll>>[number];

const inWords = ({ month, ...differences }: Month): string =>
  `${month}: sums that are not those of the rows: ${Object.entries(differences)
    .map(([table, count]) => `${count} in ${table}`)
    .join(', ')}`;

/** Compares every balance with its entries and its requests, and every rollup with its rows; changes nothing. */
export async function checkBooks(db: Db) {
  const imbalances = await proveLedger(db);
  const months = await compareAll(db);
  const lines = [
    ...imbalances.map(
      ({ organizationId, what, expected, found }) =>
        `${organizationId} ${what}: ${toUsd(expected)} USD expected, ${toUsd(found)} USD found`,
    ),
    ...months.map(inWords),
  ];
  const advice = months.length > 0 ? ['To make them anew from the rows: npm run admin -- rollups rebuild'] : [];
  return {
    text:
      lines.length === 0
        ? 'The books are right, and the rollups are those of the rows.'
        : [...lines, ...advice].join('\n'),
    data: {
      imbalances: imbalances.map(({ organizationId, what, expected, found }) => ({
        organization_uuid: organizationId,
        what,
        expected_micros: expected,
        found_micros: found,
      })),
      rollups: months,
    },
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
