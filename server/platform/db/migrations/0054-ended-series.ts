import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Series of receipts that end where rows may be lost, as after a restore: their next numbers may have been given. A backup of before is
 * known by what its restore has noted, before a server has taken that up.
 */
export const endedSeries: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // In the order in which servers lock what this migration and the next one change.
    await sql`lock table payments, receipt_series, provider_looks in access exclusive mode`.execute(db);
    await sql`alter table receipt_series add column ended_at timestamptz`.execute(db);
    await sql`drop index receipt_series_seller`.execute(db);
    await sql`create unique index receipt_series_seller on receipt_series (seller, base) where ended_at is null`.execute(
      db,
    );
    await sql`insert into receipt_series (series, next, ended_at)
      select '', 1, clock_timestamp() from provider_looks where restored and next_at = to_timestamp(0)`.execute(db);
    await sql`update receipt_series set ended_at = ended.ended_at from receipt_series ended where ended.series = ''`.execute(
      db,
    );
  },
};
