/** OPS-50: a process whose machine tells another time than the database's. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { loadConfig } from '#server/platform/config.ts';
import { createServices } from '#server/platform/context.ts';
import { databaseNow, followDatabase } from '#server/platform/db/now.ts';
import { openPostgres } from '#server/platform/db/postgres.ts';
import { createLog } from '#server/platform/log.ts';
import { createPostgres } from '../server/databases.ts';
import { testFolder } from '../server/template.ts';

const HOUR_MS = 3_600_000;
/** Times that are asked for one after the other. */
const NEAR_MS = 2000;

afterEach(() => vi.useRealTimers());

it.each([HOUR_MS, -HOUR_MS])(
  'OPS-50 all goes by the clock of the database where the machine is off by %d ms',
  async (off) => {
    const databaseUrl = await createPostgres();
    const directory = await mkdtemp(join(testFolder, 'clock-'));
    const right = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: right + off });
    const settings = { DATABASE_URL: databaseUrl, SECRET_KEY: 'k'.repeat(32), DATA_DIR: directory, PORT: '0' };
    const services = await createServices(loadConfig(settings), { log: createLog('silent') });
    try {
      const { db, clock } = services;
      expect(Math.abs(clock().getTime() - right)).toBeLessThan(NEAR_MS);
      const told = await databaseNow(db, clock);
      expect(Math.abs(told.getTime() - clock().getTime())).toBeLessThan(NEAR_MS);
      vi.setSystemTime(right + 10 * off);
      expect(Math.abs(clock().getTime() - told.getTime())).toBeLessThan(NEAR_MS);
    } finally {
      await services.closing.run();
      await rm(directory, { recursive: true, force: true });
    }
  },
);

it('OPS-50 between two comparisons it goes on by itself, also while the database is away', async () => {
  const database = openPostgres({ databaseUrl: await createPostgres() });
  let passed = 1000;
  const { now, compare } = await followDatabase(database.db, () => passed);
  const from = now().getTime();
  passed += 60_000;
  expect(now().getTime() - from).toBe(60_000);
  // Time that the machine slept, and did not count, is made up for.
  await compare();
  expect(now().getTime() - from).toBeLessThan(NEAR_MS);
  await database.close();
  await expect(compare()).rejects.toThrow('closed');
  passed += 5;
  expect(now().getTime() - from).toBeLessThan(NEAR_MS + 5);
});
