/** What the settings of one server may say for all: the prices, and the starting credit. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { storePricesAndCredit } from '#server/money/charging.ts';
import { readStartingCredit } from '#server/money/ledger/credits.ts';
import { storePrices, pricesAt } from '#server/money/usage/price-lists.ts';
import type { Config } from '#server/platform/config.ts';
import { DEFAULT_PRICES, parsePrices } from '#server/platform/prices.ts';
import { keptLog } from '../log-lines.ts';
import { CREDIT } from './served.ts';
import { openServices } from './services.ts';

const HOUR_MS = 3_600_000;
const WARN = 40;
const OTHER = parsePrices('async=1,parlance-rt-1=0.25');
const { log, lines } = keptLog();

let open: Awaited<ReturnType<typeof openServices>>;
beforeAll(async () => {
  open = await openServices({ log });
});
afterAll(() => open.close());
beforeEach(async () => {
  await sql`truncate price_lists, billing_defaults cascade`.execute(open.services.db);
  lines.length = 0;
});

const start = ({ role = 'api', ...set }: Partial<Pick<Config, 'role' | 'prices' | 'startingCreditMicros'>> = {}) =>
  storePricesAndCredit({
    ...open.services,
    config: { ...open.services.config, prices: undefined, startingCreditMicros: undefined, role, ...set },
  });
async function stored() {
  const { db } = open.services;
  const lists = await db.selectFrom('price_lists').select('valid_from').execute();
  const credits = await db.selectFrom('billing_defaults').select('starting_credit_micros').execute();
  return {
    prices: await pricesAt(db, new Date()),
    lists: lists.length,
    credits: credits.map(({ starting_credit_micros }) => starting_credit_micros),
  };
}
const warnings = () =>
  lines.filter(({ level }) => level === WARN).map(({ old, new: now, dropped, msg }) => ({ old, now, dropped, msg }));

describe('MET-11: a server that starts', () => {
  it('brings the defaults to a database that has no prices and no starting credit, and tells of no change', async () => {
    await start();
    expect(await stored()).toEqual({ prices: DEFAULT_PRICES, lists: 1, credits: [CREDIT] });
    expect(warnings()).toEqual([]);
  });

  it('keeps what is stored where it has no settings for it', async () => {
    await start({ prices: OTHER, startingCreditMicros: 0 });
    const before = await stored();
    expect(before).toEqual({ prices: OTHER, lists: 1, credits: [0] });
    await start();
    await start({ role: 'all' });
    expect(await stored()).toEqual(before);
    expect(await readStartingCredit(open.services.db)).toBe(0);
    expect(warnings()).toEqual([]);
  });

  it('writes neither as a worker', async () => {
    await start({ role: 'worker' });
    expect(await stored()).toEqual({ prices: new Map(), lists: 0, credits: [] });
    await start();
    await start({ role: 'worker', prices: OTHER, startingCreditMicros: 1 });
    expect(await stored()).toEqual({ prices: DEFAULT_PRICES, lists: 1, credits: [CREDIT] });
    expect(warnings()).toEqual([]);
  });

  it('says once what it has changed, before and after', async () => {
    await start();
    await start({ prices: OTHER, startingCreditMicros: 2_500_000 });
    await start({ prices: OTHER, startingCreditMicros: 2_500_000 });
    expect(await stored()).toEqual({ prices: OTHER, lists: 2, credits: [2_500_000] });
    expect(warnings()).toEqual([
      {
        old: { async: '0.1', live: '0.12' },
        now: { async: '1', 'parlance-rt-1': '0.25' },
        dropped: [],
        msg: 'the prices of all servers were changed, USD per hour',
      },
      { old: '10', now: '2.5', dropped: undefined, msg: 'the starting credit of all servers was changed, USD' },
    ]);
  });

  it('says which prices will not come to hold after all', async () => {
    const { db } = open.services;
    await start();
    await storePrices(db, OTHER, () => new Date(Date.now() + HOUR_MS));
    await start();
    expect(warnings()).toEqual([]);
    await start({ prices: DEFAULT_PRICES });
    expect(await stored()).toMatchObject({ prices: DEFAULT_PRICES, lists: 1 });
    expect(warnings()).toMatchObject([{ dropped: [{ async: '1', 'parlance-rt-1': '0.25' }] }]);
  });
});
