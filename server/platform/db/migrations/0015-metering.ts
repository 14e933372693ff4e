import { sql, type Kysely, type Migration } from 'kysely';

/** Both rollups have these columns; slots keep writers of one hour from waiting for each other. `error_type` and `api_key_id` are never null, as parts of a key. */
const ROLLUP = `(
  project_id uuid not null, step timestamptz not null, kind text not null, model text not null, api_key_id uuid not null,
  status text not null, error_type text not null, slot smallint not null,
  requests bigint not null, audio_ms bigint not null, priced bigint not null, cost_micros bigint not null,
  primary key (project_id, step, kind, model, api_key_id, status, error_type, slot))`;
const LATENCIES = `(
  project_id uuid not null, step timestamptz not null, kind text not null, model text not null, measure text not null, slot smallint not null,
  counts bigint[] not null, primary key (project_id, step, kind, model, measure, slot))`;

/**
 * One row per request that ended, in parts by month, with rollups by hour and by day; they replace the usage logs. The rollups of what
 * was used before are made when the server starts: an upgrade that is interrupted goes on there. One statement per query.
 */
export const metering: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create sequence usage_rows_position`.execute(db);
    await sql`create table usage_rows (
      id uuid not null, position bigint not null default nextval('usage_rows_position'), request_id uuid not null,
      organization_id uuid not null, project_id uuid not null, project_name text not null,
      origin text not null, api_key_id uuid, user_id uuid, client_reference_id text,
      kind text not null check (kind in ('async', 'real_time')), model text not null,
      status text not null check (status in ('completed', 'failed', 'cancelled')), error_type text,
      started_at timestamptz not null, ended_at timestamptz not null, billing_day date not null,
      audio_ms bigint not null, input_tokens integer not null, output_tokens integer not null, cost_micros bigint,
      queue_ms integer, processing_ms integer, first_word_ms integer, finals_ms integer,
      primary key (ended_at, id)) partition by range (ended_at)`.execute(db);
    await sql`create table usage_rows_default partition of usage_rows default`.execute(db);
    await sql`create index usage_rows_project on usage_rows (project_id, ended_at, position)`.execute(db);
    await sql`create index usage_rows_reference on usage_rows (project_id, client_reference_id, ended_at, position) where client_reference_id is not null`.execute(
      db,
    );
    await sql`create index usage_rows_error on usage_rows (project_id, error_type, ended_at, position) where error_type is not null`.execute(
      db,
    );
    // What is unique over all parts cannot be said in any of them.
    await sql`create table usage_once (id uuid primary key, ended_at timestamptz not null)`.execute(db);
    for (const table of ['usage_hourly', 'usage_daily'])
      await sql`create table ${sql.table(table)} ${sql.raw(ROLLUP)}`.execute(db);
    for (const table of ['latency_hourly', 'latency_daily'])
      await sql`create table ${sql.table(table)} ${sql.raw(LATENCIES)}`.execute(db);
    await sql`create table stream_peaks (project_id uuid not null, step timestamptz not null, streams integer not null, primary key (project_id, step))`.execute(
      db,
    );
    await sql`create table usage_rebuild (single boolean primary key default true check (single), next_month timestamptz not null, last_month timestamptz not null)`.execute(
      db,
    );
    await sql`alter table transcriptions add column user_id uuid references users on delete set null, add column begun_at timestamptz`.execute(
      db,
    );
    await sql`alter table live_sessions add column user_id uuid, add column finals_ms integer, add column taken_for_dead boolean not null default false`.execute(
      db,
    );
    await takeOver(db);
    await sql`create function tell_log() returns trigger language plpgsql as $$
      begin
        perform pg_notify('console_events', json_build_object('type', 'log.added', 'project_uuid', new.project_id)::text);
        return null;
      end $$`.execute(db);
    await sql`create trigger tell_log after insert on usage_rows for each row execute function tell_log()`.execute(db);
  },
};

/** What was used before, in a part for each of its months. A row has the name of what it is about where that still tells, else the one it had. */
async function takeOver(db: Kysely<unknown>): Promise<void> {
  await sql`do $$
    declare
      month timestamptz;
    begin
      for month in select distinct date_trunc('month', ended_at, 'UTC') from usage_logs loop
        execute format('create table %I partition of usage_rows for values from (%L) to (%L)',
          'usage_rows_' || to_char(month at time zone 'UTC', 'YYYY_MM'), month, ((month at time zone 'UTC') + interval '1 month') at time zone 'UTC');
      end loop;
    end $$`.execute(db);
  await sql`with places as (
      select id, organization_id, name from projects union all select id, organization_id, name from deleted_projects
    ), requests as (
      select distinct on (project_id, kind, request_id) * from (
        select project_id, 'async' as kind, coalesce(request_id, id) as request_id, id from transcriptions where session_request_id is null
        union all select project_id, 'real_time', coalesce(request_id, id), id from live_sessions
      ) as known order by project_id, kind, request_id, id
    ), named as (
      select used.*, place.organization_id, place.name as project_name, request.id as subject,
        row_number() over (partition by request.id order by used.position) as nth
      from usage_logs as used
      join places as place on place.id = used.project_id
      left join requests as request on request.project_id = used.project_id and request.kind = used.kind and request.request_id = used.request_id
    )
    insert into usage_rows (id, position, request_id, organization_id, project_id, project_name, origin, api_key_id, client_reference_id, kind, model,
      status, error_type, started_at, ended_at, billing_day, audio_ms, input_tokens, output_tokens, cost_micros, first_word_ms)
    select case when subject is not null and nth = 1 then subject else id end, position, request_id, organization_id, project_id, project_name,
      origin, api_key_id, client_reference_id, kind, model,
      case when status = 'aborted' or (kind = 'async' and error_type = 'cancelled') then 'cancelled' else status end,
      case when error_type <> 'cancelled' then error_type end, started_at, ended_at, (ended_at at time zone 'UTC')::date, input_audio_ms, input_text_tokens, output_text_tokens, cost_micros,
      case when kind = 'real_time' then latency_ms end
    from named`.execute(db);
  await sql`select setval('usage_rows_position', (select coalesce(max(position), 0) + 1 from usage_rows), false)`.execute(
    db,
  );
  await sql`insert into usage_once select id, ended_at from usage_rows`.execute(db);
  await sql`insert into usage_rebuild (next_month, last_month)
    select date_trunc('month', min(ended_at), 'UTC'), date_trunc('month', max(ended_at), 'UTC') from usage_rows having count(*) > 0`.execute(
    db,
  );
  await sql`update live_sessions set taken_for_dead = true where usage_log_id is not null`.execute(db);
  await sql`alter table live_sessions drop column usage_log_id`.execute(db);
  await sql`drop table usage_logs`.execute(db);
}
