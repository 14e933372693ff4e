import { sql, type Kysely, type Migration } from 'kysely';

/** Columns of a histogram hold the counts of the classes of latencies, all of them; null where none was measured. */
const USED = `(
  project_id uuid not null, step timestamptz not null, kind text not null, model text not null, slot smallint not null,
  requests bigint not null, errors bigint not null, cancelled bigint not null, audio_ms bigint not null, priced bigint not null, cost_micros bigint not null,
  queue integer[], processing integer[], first_word integer[], finals integer[],
  primary key (project_id, step, kind, model, slot))`;

/**
 * Rollups of what reports tell, and no more: latencies beside the counts, without keys and errors, which had a row each. What the logs
 * can be filtered by has a table of its own, by day. They are made anew from the rows when the server starts, month by month.
 */
export const rollups: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['usage_hourly', 'usage_daily', 'latency_hourly', 'latency_daily'])
      await sql`drop table ${sql.table(table)}`.execute(db);
    for (const table of ['usage_hourly', 'usage_daily'])
      await sql`create table ${sql.table(table)} ${sql.raw(USED)}`.execute(db);
    await sql`create table log_days (
      project_id uuid not null, step timestamptz not null, kind text not null, model text not null, api_key_id uuid not null,
      status text not null, error_type text not null, slot smallint not null, requests bigint not null,
      primary key (project_id, step, kind, model, api_key_id, status, error_type, slot))`.execute(db);
    // What is put together once its step is over.
    for (const table of ['usage_hourly', 'usage_daily', 'log_days'])
      await sql`create index ${sql.ref(`${table}_slots`)} on ${sql.table(table)} (step) where slot <> 0`.execute(db);
    await sql`create function add_counts(one integer[], other integer[]) returns integer[] language sql immutable parallel safe as $$
      select case when one is null then other when other is null then one
        else (select array_agg(a + b order by place) from unnest(one, other) with ordinality as pairs (a, b, place)) end $$`.execute(
      db,
    );
    await sql`create aggregate sum_counts(integer[]) (sfunc = add_counts, stype = integer[])`.execute(db);
    await sql`insert into usage_rebuild (next_month, last_month)
      select date_trunc('month', min(ended_at), 'UTC'), date_trunc('month', max(ended_at), 'UTC') from usage_rows having count(*) > 0
      on conflict (single) do update set next_month = excluded.next_month, last_month = excluded.last_month`.execute(
      db,
    );
  },
};
