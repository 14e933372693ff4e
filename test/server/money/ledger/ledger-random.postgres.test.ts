import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBorrowedDatabase } from '../../databases.ts';
import { strides } from './steps.ts';
import { World } from './world.ts';

/** `npm run bench ledger` goes farther. */
const [RUNS, STRIDES] = [8, 50];

let worlds: Awaited<ReturnType<typeof World.on>>;
beforeAll(async () => {
  worlds = await World.on(await openBorrowedDatabase());
});
afterAll(() => worlds.close());

it('LED-04: the books are right after every step, nothing is billed or charged twice, and nothing charged before a reset, wherever the process ends', async () => {
  let strode = 0;
  await fc.assert(
    fc.asyncProperty(strides(STRIDES), async (all) => {
      const world = await worlds.create();
      for (const stride of all) {
        await world.go(stride);
        strode += 1;
      }
      await world.end();
    }),
    {
      seed: Number(process.env['LEDGER_SEED'] ?? 14),
      numRuns: RUNS,
      endOnFailure: process.env['LEDGER_SHRINK'] === undefined,
    },
  );
  expect(strode).toBeGreaterThanOrEqual(RUNS * STRIDES);
});
