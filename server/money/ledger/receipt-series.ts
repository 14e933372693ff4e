import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** A row that is no series, for the moment of an end where there is none. */
const NONE = '';

/** Who sells, as series tell them apart: by the first of their lines. The others, such as an address, may change. */
export const sellerName = (lines: string): string => lines.split('\n', 1)[0] ?? '';

/**
 * The series of a seller after a name: that itself, unless it is another seller's; then `R-2`, `R-3` … Where series have ended, the moment
 * of the last end is part of the name: `R-20261127T201034`. Who has none yet gets one; of transactions that do so at once, one after the
 * other.
 */
export async function seriesOf(trx: Db, base: string, seller: string): Promise<string> {
  const known = await findSeries(trx, base, seller);
  if (known !== undefined) return known;
  await lockSeries(trx);
  return (await findSeries(trx, base, seller)) ?? addSeries(trx, base, seller);
}

/** The series that a seller goes on with after one of theirs: that itself, unless it has ended. */
export async function continued(trx: Db, series: string, seller: string): Promise<string> {
  const { base, ended_at } = await trx
    .selectFrom('receipt_series')
    .select(['base', 'ended_at'])
    .where('series', '=', series)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  return ended_at === null ? series : seriesOf(trx, base ?? series, seller);
}

/**
 * Ends all series: rows that are lost may have the next numbers of them, or be of others. Whoever sells goes on in new ones, of names that
 * have this moment.
 */
export async function endSeries(trx: Db): Promise<void> {
  await lockSeries(trx);
  // Of a clock that went back, too, no moment comes again.
  const ended_at = sql<Date>`greatest(
    clock_timestamp(), (select max(ended_at) + interval '1 second' from receipt_series)
  )`;
  await trx.updateTable('receipt_series').set({ ended_at }).where('ended_at', 'is', null).execute();
  await trx
    .insertInto('receipt_series')
    .values({ series: NONE, next: 1, ended_at })
    .onConflict((conflict) => conflict.column('series').doUpdateSet({ ended_at }))
    .execute();
}

/** Lets one transaction at a time begin series, or end them. */
const lockSeries = (trx: Db) => sql`select pg_advisory_xact_lock(hashtextextended('receipt_series', 0))`.execute(trx);

/** The series may have been another seller's after another name first, which is its own by now. */
async function findSeries(trx: Db, base: string, seller: string): Promise<string | undefined> {
  const row = await trx
    .selectFrom('receipt_series')
    .select('series')
    .where('seller', '=', seller)
    .where('ended_at', 'is', null)
    .where((eb) => eb.or([eb('base', '=', base), eb('series', '=', base)]))
    .orderBy((eb) => eb('series', '=', base), 'desc')
    // It does not end before its number is taken.
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row?.series;
}

/** One that a version before has begun is whoever's comes first. */
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

/** A name that no lost series can have. */
async function unusedName(trx: Db, base: string): Promise<string> {
  const { ended } = await trx
    .selectFrom('receipt_series')
    .select(({ fn }) => fn.max('ended_at').as('ended'))
    .executeTakeFirstOrThrow();
  return ended === null ? base : `${base}-${ended.toISOString().replace(/[-:]|\..*/gu, '')}`;
}
