/** Prices that change while a request begins. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { keepPrices, promisedPrices } from '#server/money/usage/price-lists.ts';
import { openPostgres } from '#server/platform/db/postgres.ts';
import { createPostgres } from '../server/databases.ts';
import { isWaiting } from './waiting.ts';

it('MET-06: a request that begins is charged by the prices that it was told', async () => {
  const database = openPostgres({ databaseUrl: await createPostgres() });
  const { db } = database;
  const clock = () => new Date();
  const [cheap, dear] = [1, 2].map((micros) => new Map([['async', micros]]));
  await keepPrices(db, cheap, clock);
  let keeping: Promise<unknown> | undefined;
  const at = await db.transaction().execute(async (trx) => {
    expect(await promisedPrices(trx, new Date())).toEqual(cheap);
    keeping = keepPrices(db, dear, clock);
    await Promise.race([keeping, isWaiting(database)]);
    const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(trx);
    return rows[0]?.at;
  });
  await keeping;
  const lists = await db.selectFrom('price_lists').select('valid_from').orderBy('valid_from', 'desc').execute();
  expect(lists[0]?.valid_from.getTime()).toBeGreaterThanOrEqual(at?.getTime() ?? Infinity);
  await database.close();
});
