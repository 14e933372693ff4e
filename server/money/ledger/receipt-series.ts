import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** Who sells, as series tell them apart: by the first of their lines. The others, such as an address, may change. */
export const sellerName = (lines: string): string => lines.split('\n', 1)[0] ?? '';

/**
 * The series of a seller after a name: that itself, unless it is another seller's; then `R-2`, `R-3` … Who has none yet gets one; of
 * transactions that do so at once, one after the other.
 */
export async function seriesOf(trx: Db, base: string, seller: string): Promise<string> {
  const known = await findSeries(trx, base, seller);
  if (known !== undefined) return known;
  await sql`select pg_advisory_xact_lock(hashtextextended('receipt_series', 0))`.execute(trx);
  return (await findSeries(trx, base, seller)) ?? addSeries(trx, base, seller);
}

/** The series may have been another seller's after another name first, which is its own by now. */
async function findSeries(trx: Db, base: string, seller: string): Promise<string | undefined> {
  const row = await trx
    .selectFrom('receipt_series')
    .select('series')
    .where('seller', '=', seller)
    .where((eb) => eb.or([eb('base', '=', base), eb('series', '=', base)]))
    .orderBy((eb) => eb('series', '=', base), 'desc')
    .executeTakeFirst();
  return row?.series;
}

/** One that a version before has begun is whoever's comes first. */
async function addSeries(trx: Db, base: string, seller: string): Promise<string> {
  for (let nth = 1; ; nth += 1) {
    const own = await trx
      .insertInto('receipt_series')
      .values({ series: nth === 1 ? base : `${base}-${nth}`, base, seller, next: 1 })
      .onConflict((conflict) =>
        conflict.column('series').doUpdateSet({ base, seller }).where('receipt_series.seller', 'is', null),
      )
      .returning('series')
      .executeTakeFirst();
    if (own !== undefined) return own.series;
  }
}
