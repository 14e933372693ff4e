/** Price lists over time. A request is charged by the price at its beginning, which its row stores. */
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { pricePerHour, type Priced } from '#contract/prices.ts';
import { isLockTimeout } from '../../platform/db/away.ts';
import type { Db } from '../../platform/db/database.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { modelBehind } from '../../platform/model-names.ts';
import { DEFAULT_PRICES, type Prices } from '../../platform/prices.ts';
import { StartError } from '../../platform/start-error.ts';

/** Start of the first list, so that it also covers requests from before there were lists. */
const EVER = new Date(0);

/**
 * How a start waits for the lock of the table, milliseconds. New requests queue behind a waiting lock, so each wait is
 * short; all together last longer than the database lets a transaction idle.
 */
const PATIENCE = { lockMs: 500, pauseMs: 1000, tries: 60 };

/** A change of the prices by a start. */
interface PriceChange {
  old: Prices;
  new: Prices;
  /** Removed lists with a later start. */
  dropped: Prices[];
}

/**
 * Stores the prices of a starting server, valid from now, if they differ from the current ones. Waits until requests
 * that are being admitted have their price; takes no lock if nothing is to be stored. Servers that start at once store
 * a list once. Removes lists that start in the future (by the database's clock): they come from a clock that was ahead,
 * and nothing was charged by them.
 * @param prices undefined to keep the current ones, or to store the defaults in a database without any
 * @returns the change; undefined for no change and for the first list
 * @throws StartError if a transaction that admits a request does not end
 */
export async function storePrices(
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
    // Two lists may be written in the same millisecond; their starts must differ.
    if (!isSame(old, prices)) await insertList(trx, new Date(Math.max(now.getTime(), held.getTime() + 1)), prices);
    else if (dropped.length === 0) return undefined;
    return { old, new: prices, dropped };
  });
}

/** The start of the list that is valid at a moment. */
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

/** The prices that were valid at a moment; empty without a list. */
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

/** The prices for a request that begins now. Keeps other prices from being stored until the transaction ends. */
export async function pricesToPromise(trx: Db, at: Date): Promise<Prices> {
  await sql`lock table price_lists in row share mode`.execute(trx);
  return pricesAt(trx, at);
}

/** `micros_per_hour` of a request without a price. */
const UNPRICED = -1;

/** The price that an admitted request's row stores as `micros_per_hour`. */
export const toPromise = (prices: Prices, priced: Pick<Priced, 'kind' | 'model'>): number =>
  pricePerHour(prices, { ...priced, behind: modelBehind(priced.model) }) ?? UNPRICED;

/**
 * The prices for a request: the one that its row stores; in rows from before migration 0057, those of its beginning.
 */
export async function promisedPrices(
  db: Db,
  { model, micros_per_hour: perHour }: { model: string; micros_per_hour: number | null },
  began: Date,
): Promise<Prices> {
  if (perHour === null) return pricesAt(db, began);
  return new Map(perHour === UNPRICED ? [] : [[model, perHour]]);
}

/**
 * Whether anything has a price at a moment. Reads the stored lists, not this server's settings, so that all servers
 * agree while they are restarted with other prices.
 */
export async function hasPrices(db: Db, at: Date): Promise<boolean> {
  return (await pricesAt(db, at)).size > 0;
}

const isSame = (a: Prices, b: Prices): boolean =>
  a.size === b.size && [...a].every(([name, micros]) => b.get(name) === micros);
