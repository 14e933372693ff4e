import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBorrowedDatabase } from '../../databases.ts';
import { SHORTEN_MS, walkAtRandom } from './run.ts';
import { openWorlds, type Worlds } from './worlds.ts';

/** The whole suite goes farther, and `npm run bench ledger` farther still. */
const [RUNS, STRIDES] = [4, 100];
/** With `LEDGER_SHORTEN` a run that fails is made shorter, which takes longer than a test may. */
const shortenMs = process.env['LEDGER_SHORTEN'] === undefined ? 0 : SHORTEN_MS;

let worlds: Worlds;
beforeAll(async () => {
  worlds = await openWorlds(await openBorrowedDatabase());
});
afterAll(() => worlds.close());

it(
  'LED-04 MET-05 MET-06: the books are right after every step, and nothing is charged twice, wherever the process ends',
  async () => {
    const steps = await walkAtRandom(worlds, {
      ...{ seed: Number(process.env['LEDGER_SEED'] ?? 14), runs: RUNS, length: STRIDES, shortenMs },
      again: 'LEDGER_SHORTEN=1 npx vitest run test/server/money/ledger/ledger-random.postgres.test.ts',
    });
    expect(steps).toBeGreaterThanOrEqual(RUNS * STRIDES);
  },
  60_000 + shortenMs,
);
