import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** Name of the row that is no series, and stores when all series were ended last. */
const LAST_END = '';

/** The name that identifies a seller: the first line. The others, such as the address, may change. */
export const sellerName = (lines: string): string => lines.split('\n', 1)[0] ?? '';

/**
 * The open series of a seller with a base name; begins one if there is none. Its name is the base name, or `R-2`, `R-3`
 * … if that is another seller's. After series were ended, the name contains the time of the last end:
 * `R-20261127T201034`.
 */
export async function seriesOf(trx: Db, base: string, seller: string): Promise<string> {
  const known = await findSeries(trx, base, seller);
  if (known !== undefined) return known;
  await lockSeries(trx);
  return (await findSeries(trx, base, seller)) ?? addSeries(trx, base, seller);
}

/** The given series of a seller, or their open one if the given one has ended. */
export async function continuedSeries(trx: Db, series: string, seller: string): Promise<string> {
  const { base, ended_at } = await trx
    .selectFrom('receipt_series')
    .select(['base', 'ended_at'])
    .where('series', '=', series)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  return ended_at === null ? series : seriesOf(trx, base ?? series, seller);
}

/**
 * Ends all series, because lost rows may have used their next numbers, or belong to other series. Later receipts are in
 * new series, whose names contain this moment.
 */
export async function endSeries(trx: Db): Promise<void> {
  await lockSeries(trx);
  // Later than all earlier ends, even if the clock went back.
  const ended_at = sql<Date>`greatest(
    clock_timestamp(), (select max(ended_at) + interval '1 second' from receipt_series)
  )`;
  await trx.updateTable('receipt_series').set({ ended_at }).where('ended_at', 'is', null).execute();
  await trx
    .insertInto('receipt_series')
    .values({ series: LAST_END, next: 1, ended_at })
    .onConflict((conflict) => conflict.column('series').doUpdateSet({ ended_at }))
    .execute();
}

/** Locks the beginning and ending of series until the transaction ends. */
const lockSeries = (trx: Db) => sql`select pg_advisory_xact_lock(hashtextextended('receipt_series', 0))`.execute(trx);

/** The seller's open series with a base name, or else the series of that very name. */
async function findSeries(trx: Db, base: string, seller: string): Promise<string | undefined> {
  const row = await trx
    .selectFrom('receipt_series')
    .select('series')
    .where('seller', '=', seller)
    .where('ended_at', 'is', null)
    .where((eb) => eb.or([eb('base', '=', base), eb('series', '=', base)]))
    .orderBy((eb) => eb('series', '=', base), 'desc')
    // Locked, so that the series does not end before the receipt has its number.
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row?.series;
}

/** Begins a series. A series of an earlier version, which has no seller, goes to the first seller that asks. */
async function addSeries(trx: Db, base: string, seller: string): Promise<string> {
  const name = await unusedName(trx, base);
  for (let nth = 1; ; nth += 1) {
    const own = await trx
      .insertInto('receipt_series')
      .values({ series: nth === 1 ? name : `${name}-${nth}`, base, seller, next: 1 })
      .onConflict((conflict) =>
        conflict
          .column('series')
          .doUpdateSet({ base, seller })
          .where('receipt_series.seller', 'is', null)
          .where('receipt_series.ended_at', 'is', null),
      )
      .returning('series')
      .executeTakeFirst();
    if (own !== undefined) return own.series;
  }
}

/** A name that no series had before the last end. */
async function unusedName(trx: Db, base: string): Promise<string> {
  const { ended } = await trx
    .selectFrom('receipt_series')
    .select(({ fn }) => fn.max('ended_at').as('ended'))
    .executeTakeFirstOrThrow();
  return ended === null ? base : `${base}-${ended.toISOString().replace(/[-:]|\..*/gu, '')}`;
}
