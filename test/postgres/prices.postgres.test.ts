/** Prices that change while a request begins. */
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { storePrices, pricesToPromise } from '#server/money/usage/price-lists.ts';
import type { Database } from '#server/platform/db/database.ts';
import { openPostgres } from '#server/platform/db/postgres.ts';
import { createPostgres } from '../server/databases.ts';
import { isWaiting } from './waiting.ts';

const clock = () => new Date();
const [cheap, dear] = [1, 2].map((micros) => new Map([['async', micros]]));
let database: Database;
beforeEach(async () => {
  database = openPostgres({ databaseUrl: await createPostgres(), querySeconds: 5 });
  await storePrices(database.db, cheap, clock);
});
afterEach(() => database.close());

it('MET-06: a request that begins is charged by the prices that it was told', async () => {
  const { db } = database;
  let keeping: Promise<unknown> | undefined;
  const at = await db.transaction().execute(async (trx) => {
    expect(await pricesToPromise(trx, new Date())).toEqual(cheap);
    keeping = storePrices(db, dear, clock);
    await Promise.race([keeping, isWaiting(database)]);
    const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(trx);
    return rows[0]?.at;
  });
  await keeping;
  const lists = await db.selectFrom('price_lists').select('valid_from').orderBy('valid_from', 'desc').execute();
  expect(lists[0]?.valid_from.getTime()).toBeGreaterThanOrEqual(at?.getTime() ?? Infinity);
});

it.each([
  ['sets no prices', undefined],
  ['sets those that hold', cheap],
])('MET-11: a start that %s waits for no request that begins', async (_, prices) => {
  const { db } = database;
  await db.transaction().execute(async (began) => {
    await pricesToPromise(began, clock());
    expect(await storePrices(db, prices, clock)).toBeUndefined();
  });
});

it('MET-11: a start with other prices that waits for a request holds up no others, and fails where that does not end', async () => {
  const { db } = database;
  let keeping: Promise<unknown> | undefined;
  await db.transaction().execute(async (began) => {
    await pricesToPromise(began, clock());
    keeping = storePrices(db, dear, clock);
    await isWaiting(database);
    await db.transaction().execute(async (trx) => {
      await sql`set local lock_timeout = '3s'`.execute(trx);
      expect(await pricesToPromise(trx, clock())).toEqual(cheap);
    });
    await expect(storePrices(db, dear, clock, { lockMs: 1, pauseMs: 1, tries: 3 })).rejects.toThrow(
      'The prices could not be stored',
    );
  });
  expect(await keeping).toMatchObject({ old: cheap, new: dear });
});
