/** Random steps on the ledger, as many as a suite has time for, and those that have found something. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBorrowedDatabase } from '../../databases.ts';
import { SHORTEN_MS, walk, walkAtRandom } from './run.ts';
import { CASES, SEEDS } from './seeds.ts';
import { openWorlds, type Worlds } from './worlds.ts';

/** `npm run bench ledger` goes 10,000. */
const STEPS = 2000;
const STRIDES = 100;
const PATIENCE = 300_000 + SHORTEN_MS;
const again = 'npx vitest run test/server/money/ledger/ledger-random.whole.test.ts';

let worlds: Worlds;
beforeAll(async () => {
  worlds = await openWorlds(await openBorrowedDatabase());
});
afterAll(() => worlds.close());

describe('LED-04 MET-05 MET-06: the books are right after every step, wherever the process ends,', () => {
  it(
    `of ${STEPS}`,
    async () => {
      const seed = Number(process.env['LEDGER_SEED'] ?? 15);
      const steps = await walkAtRandom(worlds, { seed, runs: STEPS / STRIDES, length: STRIDES, again });
      expect(steps).toBeGreaterThanOrEqual(STEPS);
    },
    PATIENCE,
  );

  it.each(SEEDS)(
    'of the seed %i',
    async (seed) => {
      await walkAtRandom(worlds, { seed, runs: 2, length: STRIDES, again });
    },
    PATIENCE,
  );

  it.each(CASES)('where once $why', async ({ strides }) => {
    await walk(worlds, strides);
  });
});
