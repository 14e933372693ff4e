/** The prices of any moment. What a request costs is told by those that held when it began, which its row notes. */
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { pricePerHour, type Priced } from '#contract/prices.ts';
import { isLockTimeout } from '../../platform/db/away.ts';
import type { Db } from '../../platform/db/database.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { modelBehind } from '../../platform/model-names.ts';
import { DEFAULT_PRICES, type Prices } from '../../platform/prices.ts';
import { StartError } from '../../platform/start-error.ts';

/** From when on the first list holds: what waits since before there were lists is charged by it, too. */
const EVER = new Date(0);

/** Requests that begin stand behind a start that waits for its lock: it waits for a moment at a time, for longer in all than the
 * database lets a transaction idle. Milliseconds. */
const PATIENCE = { lockMs: 500, pauseMs: 1000, tries: 60 };

/** Prices that a start has changed. */
interface PriceChange {
  old: Prices;
  new: Prices;
  /** Lists that were to hold later. */
  dropped: Prices[];
}

/**
 * Writes down the prices that a server starts with, unless they are those that hold: from now on, once what is being admitted is. Servers
 * that start at once write them once; one that has nothing to write waits for nobody. Now is the database's: lists that are to hold later come
 * from a clock that was ahead. None has begun, so nothing was charged by them, and they go; what has begun to hold stays.
 * @param prices undefined: as they are, and the usual ones in a database that has none
 * @returns what was changed; the first list changes nothing
 * @throws StartError where a transaction that admits a request does not end
 */
export async function keepPrices(
  db: Db,
  prices: Prices | undefined,
  clock: () => Date,
  { lockMs, pauseMs, tries } = PATIENCE,
): Promise<PriceChange | undefined> {
  if (await isKept(db, prices, await databaseNow(db, clock))) return undefined;
  for (let left = tries - 1; ; left -= 1) {
    try {
      return await writePrices(db, prices, clock, lockMs);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (left === 0)
        throw new StartError(
          'The prices could not be stored, as a transaction holds the table price_lists. End it (see pg_locks and pg_stat_activity), and start again.',
          { cause: error },
        );
    }
    await wait(pauseMs);
  }
}

async function isKept(db: Db, prices: Prices | undefined, now: Date): Promise<boolean> {
  if ((await lastList(db, now)) === null) return false;
  if (prices === undefined) return true;
  const later = await db
    .selectFrom('price_lists')
    .select('valid_from')
    .where('valid_from', '>', now)
    .executeTakeFirst();
  return later === undefined && isSame(await pricesAt(db, now), prices);
}

function writePrices(
  db: Db,
  prices: Prices | undefined,
  clock: () => Date,
  lockMs: number,
): Promise<PriceChange | undefined> {
  return db.transaction().execute(async (trx) => {
    await sql`select set_config('lock_timeout', ${String(lockMs)}, true)`.execute(trx);
    await sql`lock table price_lists in exclusive mode`.execute(trx);
    const now = await databaseNow(trx, clock);
    const held = await lastList(trx, now);
    if (held === null) {
      await insertList(trx, EVER, prices ?? DEFAULT_PRICES);
      return undefined;
    }
    if (prices === undefined) return undefined;
    const dropped = await dropLater(trx, now);
    const old = await pricesAt(trx, now);
    // Two may be written in one millisecond.
    if (!isSame(old, prices)) await insertList(trx, new Date(Math.max(now.getTime(), held.getTime() + 1)), prices);
    else if (dropped.length === 0) return undefined;
    return { old, new: prices, dropped };
  });
}

/** When the list that holds at a moment began to. */
async function lastList(db: Db, at: Date): Promise<Date | null> {
  const { last } = await db
    .selectFrom('price_lists')
    .select(({ fn }) => fn.max('valid_from').as('last'))
    .where('valid_from', '<=', at)
    .executeTakeFirstOrThrow();
  return last;
}

async function insertList(trx: Db, valid_from: Date, prices: Prices): Promise<void> {
  await trx.insertInto('price_lists').values({ valid_from }).execute();
  const rows = [...prices].map(([name, micros_per_hour]) => ({ valid_from, name, micros_per_hour }));
  if (rows.length > 0) await trx.insertInto('prices').values(rows).execute();
}

async function dropLater(trx: Db, now: Date): Promise<Prices[]> {
  const lists = await trx.selectFrom('price_lists').select('valid_from').where('valid_from', '>', now).execute();
  const dropped: Prices[] = [];
  for (const { valid_from } of lists) dropped.push(await pricesAt(trx, valid_from));
  await trx.deleteFrom('price_lists').where('valid_from', '>', now).execute();
  return dropped;
}

/** The prices that held at a moment; none where nothing was written down for it. */
export async function pricesAt(db: Db, at: Date): Promise<Prices> {
  const rows = await db
    .selectFrom('prices')
    .select(['name', 'micros_per_hour'])
    .where('valid_from', '=', (eb) =>
      eb
        .selectFrom('price_lists')
        .select(({ fn }) => fn.max('valid_from').as('valid_from'))
        .where('valid_from', '<=', at),
    )
    .execute();
  return new Map(rows.map(({ name, micros_per_hour }) => [name, micros_per_hour]));
}

/** The same for a request that begins at that moment: other prices come to hold only after the transaction that admits it. */
export async function pricesToPromise(trx: Db, at: Date): Promise<Prices> {
  await sql`lock table price_lists in row share mode`.execute(trx);
  return pricesAt(trx, at);
}

/** What the row of a request notes where nothing has a price. */
const UNPRICED = -1;

/** What the row of a request that is admitted notes of its price, `micros_per_hour`. */
export const toPromise = (prices: Prices, priced: Pick<Priced, 'kind' | 'model'>): number =>
  pricePerHour(prices, { ...priced, behind: modelBehind(priced.model) }) ?? UNPRICED;

/** The prices that a request is charged by: what its row notes; of one that a version before 0057 admitted, what held as it began. */
export async function promisedPrices(
  db: Db,
  { model, micros_per_hour: perHour }: { model: string; micros_per_hour: number | null },
  began: Date,
): Promise<Prices> {
  if (perHour === null) return pricesAt(db, began);
  return new Map(perHour === UNPRICED ? [] : [[model, perHour]]);
}

/**
 * Whether anything has a price at a moment. By what is written down, not by a server's own settings: those of two servers differ while one
 * after the other is started with other prices, and all are to answer alike.
 */
export async function hasPrices(db: Db, at: Date): Promise<boolean> {
  return (await pricesAt(db, at)).size > 0;
}

const isSame = (a: Prices, b: Prices): boolean =>
  a.size === b.size && [...a].every(([name, micros]) => b.get(name) === micros);
