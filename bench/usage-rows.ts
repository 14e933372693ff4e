/**
 * Five million requests over a year: how long reports, logs and metrics take at the server, and how long the rollups take to be made
 * anew, month by month. On PostgreSQL, where there is one, and on the embedded database with fewer.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { makeMonth, monthAfter, monthOf } from '#server/money/usage/months.ts';
import { finishRebuild, rebuildRollups } from '#server/money/usage/rebuild.ts';
import type { Database, Db } from '#server/platform/db/database.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { findPostgres } from '../scripts/postgres.mjs';
import { startCluster } from '../test/postgres/cluster.ts';
import { bearer, startSpeechServer, type SpeechServer } from '../test/server/v1/harness.ts';
import type { TestUser } from '../test/server/harness.ts';
import { atMost, figure, quantile, type Row } from './row.ts';
import { scaled } from './settings.ts';

const ROWS = { postgres: 5_000_000, embedded: 1_000_000 } as const;
const MONTHS = 12;
const PROJECTS = 10;
const BUDGET_MS = 100;
const TRIES = 15;
const RARE = 'the-rare-one';

type Say = (text: string) => void;

export async function run(): Promise<Row[]> {
  const kinds = (process.env['BENCH_DATABASES'] ?? 'postgres,embedded').split(',');
  const rows: Row[] = [];
  if (kinds.includes('postgres') && findPostgres() !== undefined) {
    const cluster = await startCluster();
    try {
      rows.push(...(await measure(await openDatabase({ databaseUrl: cluster.urlOf('postgres') }))));
    } finally {
      await cluster.stop();
    }
  }
  if (kinds.includes('embedded')) {
    const dataDir = await mkdtemp(join(tmpdir(), 'parlance-bench-'));
    try {
      rows.push(...(await measure(await openDatabase({ dataDir }))));
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  }
  return rows;
}

async function measure(database: Database): Promise<Row[]> {
  const say: Say = (text) => process.stderr.write(`${database.kind}: ${text}\n`);
  const server = await startSpeechServer({ server: { overrides: { database } } });
  try {
    const count = scaled(ROWS[database.kind]);
    const { db } = database;
    const users = [await server.createUser(), await server.createUser()];
    const first = monthAfter(monthOf(new Date()), 1 - MONTHS);
    const from = performance.now();
    await fill(db, users, { first, count }, say);
    say(`${count} rows written after ${seconds(from)}`);
    const rebuilt = await rebuild(db, say);
    await sql`vacuum analyze`.execute(db);
    say(`rollups ${await sizeOf(db, 'usage_%ly')}, latencies ${await sizeOf(db, 'latency_%')}`);
    const [user] = users;
    return user === undefined ? [] : [...rebuilt, ...(await reports(server, user, first, say))].map(named(database));
  } finally {
    await server.close();
  }
}

const named =
  ({ kind }: Database) =>
  (row: Row): Row => ({ ...row, name: `${kind}: ${row.name}` });
const seconds = (from: number): string => `${((performance.now() - from) / 1000).toFixed(1)} s`;

async function sizeOf(db: Db, pattern: string): Promise<string> {
  const { rows } = await sql<{ name: string; rows: number; size: string }>`
    select relname as name, reltuples::int as rows, pg_size_pretty(pg_total_relation_size(oid)) as size
    from pg_class where relkind = 'r' and relname like ${pattern} order by 1`.execute(db);
  return rows.map(({ name, rows: count, size }) => `${name} ${count} (${size})`).join(', ');
}

/** Two organizations; of their projects the first have the most. Rows lie in the order in which they ended, as in life. */
async function fill(
  db: Db,
  users: readonly TestUser[],
  { first, count }: { first: Date; count: number },
  say: Say,
): Promise<void> {
  const projects: string[] = [];
  for (let n = 0; n < PROJECTS; n += 1)
    for (const { organizationId, projectId } of users) {
      const id = n === 0 ? projectId : randomUUID();
      projects.push(id);
      if (n > 0)
        await db
          .insertInto('projects')
          .values({ id, organization_id: organizationId, name: `Project ${n}`, description: '', created_at: first })
          .execute();
    }
  await sql`create table bench_keys as
    select p.id as project_id, p.organization_id, p.name as project_name, place - 1 as place,
      array[gen_random_uuid(), gen_random_uuid(), gen_random_uuid()] as keys
    from unnest(${projects}::uuid[]) with ordinality as listed (id, place) join projects as p on p.id = listed.id`.execute(
    db,
  );
  await sql`create unique index on bench_keys (place)`.execute(db);
  // Nobody listens, and each row would be told of.
  await sql`alter table usage_rows disable trigger tell_log`.execute(db);
  const now = Date.now();
  for (let n = 0; n < MONTHS; n += 1) {
    const month = monthAfter(first, n);
    const end = new Date(Math.min(monthAfter(month).getTime(), now));
    const begun = performance.now();
    await makeMonth(db, month);
    await sql`alter table usage_rows disable trigger tell_log`.execute(db);
    await fillMonth(db, { month, end, count: Math.round(count / MONTHS), seed: n / MONTHS });
    say(`${month.toISOString().slice(0, 7)} after ${seconds(begun)}`);
  }
  await sql`insert into usage_once select id, ended_at from usage_rows`.execute(db);
  await sql`insert into usage_days select organization_id, billing_day, sum(cost_micros), false from usage_rows group by 1, 2`.execute(
    db,
  );
  await sql`alter table usage_rows enable trigger tell_log`.execute(db);
}

async function fillMonth(
  db: Db,
  { month, end, count, seed }: { month: Date; end: Date; count: number; seed: number },
): Promise<void> {
  await sql`select setseed(${seed})`.execute(db);
  await sql`insert into usage_rows (id, request_id, organization_id, project_id, project_name, origin, api_key_id, client_reference_id, kind, model,
      status, error_type, started_at, ended_at, billing_day, audio_ms, input_tokens, output_tokens, cost_micros, queue_ms, processing_ms, first_word_ms, finals_ms)
    select gen_random_uuid(), gen_random_uuid(), k.organization_id, k.project_id, k.project_name, 'public_api', k.keys[drawn.key],
      case when nth = 1 then ${RARE} when luck < 0.3 then 'customer-' || (luck * 10000)::int end,
      case when is_live then 'real_time' else 'async' end, (case when is_live then 'parlance-rt-' else 'parlance-async-' end) || drawn.model,
      case when luck < 0.94 then 'completed' when luck < 0.98 then 'failed' else 'cancelled' end,
      case when luck >= 0.9799 and luck < 0.98 then 'rare_error' when luck >= 0.94 and luck < 0.98 then 'error_' || (luck * 100)::int end,
      at - interval '10 s', at, (at at time zone 'UTC')::date, audio_ms, 0, audio_ms / 400, audio_ms / 36,
      case when not is_live then (40 * exp(3 * jitter))::int end, case when not is_live then (900 * exp(3 * jitter))::int end,
      case when is_live then (180 * exp(2 * jitter))::int end, case when is_live then (120 * exp(2 * jitter))::int end
    from (
      select nth, ${month}::timestamptz + random() * (${end}::timestamptz - ${month}::timestamptz) as at, floor(20 * random() ^ 2)::int as place,
        1 + floor(3 * random())::int as key, 1 + floor(2 * random())::int as model, random() < 0.5 as is_live, random() as luck,
        random() as jitter, (300000 * random())::int as audio_ms
      from generate_series(1, ${count}::int) as nth order by at
    ) as drawn join bench_keys as k using (place)`.execute(db);
}

/** Made anew, stopped after each month, and gone on with. */
async function rebuild(db: Db, say: Say): Promise<Row[]> {
  const months: number[] = [];
  await rebuildRollups(db, AbortSignal.abort());
  for (let left = true; left;) {
    const from = performance.now();
    const stop = new AbortController();
    const one = finishRebuild(db, stop.signal);
    stop.abort();
    await one;
    months.push(performance.now() - from);
    left = (await db.selectFrom('usage_rebuild').select('next_month').executeTakeFirst()) !== undefined;
  }
  const total = months.reduce((sum, ms) => sum + ms, 0);
  say(`rollups made anew in ${(total / 1000).toFixed(1)} s`);
  return [
    figure('rollups made anew', total / 1000, 's'),
    figure('the longest month of it', Math.max(...months) / 1000, 's'),
  ];
}

async function reports(server: SpeechServer, user: TestUser, first: Date, say: Say): Promise<Row[]> {
  const day = (moment: Date): string => moment.toISOString().slice(0, 10);
  const now = new Date();
  const last = monthAfter(monthOf(now), -1);
  const month = { start_date: day(last), end_date: day(new Date(monthAfter(last).getTime() - 1)) };
  const year = { start_date: day(first), end_date: day(now) };
  const organization = `/api/v2/organizations/${user.organizationId}`;
  const project = `/api/v2/projects/${user.projectId}`;
  const query = (of: Record<string, string>): string => new URLSearchParams(of).toString();
  const calls: [string, string, string, unknown?][] = [
    ['dashboard', 'GET', `${organization}/dashboard/`],
    ['home of a project', 'GET', `${project}/home/`],
    ...(['cost', 'activity'] as const).flatMap((what): [string, string, string, unknown][] => [
      [`usage ${what}, month by day`, 'POST', `${organization}/usage/${what}/`, { ...month, period: 'daily' }],
      [`usage ${what}, month by hour`, 'POST', `${organization}/usage/${what}/`, { ...month, period: 'hourly' }],
      [`usage ${what}, year by day`, 'POST', `${organization}/usage/${what}/`, { ...year, period: 'daily' }],
      [`usage ${what}, year by month`, 'POST', `${organization}/usage/${what}/`, { ...year, period: 'monthly' }],
    ]),
    ['usage of a project, year by day', 'POST', `${project}/usage/activity/`, { ...year, period: 'daily' }],
    ['billing overview', 'GET', `${organization}/billing/overview/`],
    ['billing report, month by day', 'POST', `${organization}/billing/reports/`, { ...month, period: 'daily' }],
    ['billing report, month by hour', 'POST', `${organization}/billing/reports/`, { ...month, period: 'hourly' }],
    ['billing report, year by day', 'POST', `${organization}/billing/reports/`, { ...year, period: 'daily' }],
    ['cost table, year', 'POST', `${organization}/billing/cost/`, year],
    ['metrics, month by day', 'GET', `${project}/metrics/?${query({ ...month, period: 'daily' })}`],
    ['metrics, month by hour', 'GET', `${project}/metrics/?${query({ ...month, period: 'hourly' })}`],
    ['metrics, year by day', 'GET', `${project}/metrics/?${query({ ...year, period: 'daily' })}`],
    ['logs, first page', 'GET', `${project}/logs/`],
    [
      'logs, first page of a month',
      'GET',
      `${project}/logs/?${query({ from: last.toISOString(), to: monthAfter(last).toISOString() })}`,
    ],
    ['logs, a rare reference', 'GET', `${project}/logs/?reference=${RARE}`],
    ['logs, a rare error', 'GET', `${project}/logs/?error=rare_error`],
    ['logs, a reference that nobody has', 'GET', `${project}/logs/?reference=nobody`],
    ['logs, a model that nobody has', 'GET', `${project}/logs/?model=nothing`],
    ['logs, failures', 'GET', `${project}/logs/?status=failed`],
    [
      'logs, live tail',
      'GET',
      `${project}/logs/?${query({ from: new Date(now.getTime() - 3_600_000).toISOString() })}`,
    ],
    ['logs, next page', 'GET', `${project}/logs/?cursor=${await cursorOf(server, user, `${project}/logs/`)}`],
    [
      '/v1/usage-logs, first page of a month',
      'GET',
      `/v1/usage-logs?${query({ start_time: last.toISOString(), end_time: new Date(last.getTime() + 30 * 86_400_000).toISOString(), limit: '100' })}`,
    ],
  ];
  const rows: Row[] = [];
  for (const [name, method, path, body] of calls) {
    const times: number[] = [];
    for (let n = 0; n < TRIES; n += 1) {
      const from = performance.now();
      const answer = path.startsWith('/v1')
        ? await fetch(server.url + path, { headers: bearer(user) })
        : await server.call(user, method, path, body);
      const text = await answer.text();
      times.push(performance.now() - from);
      if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${text.slice(0, 300)}`);
    }
    say(`${name}: ${quantile(times, 0.5).toFixed(1)} ms, at best ${Math.min(...times).toFixed(1)}`);
    rows.push(atMost(name, quantile(times, 0.5), 'ms', BUDGET_MS));
  }
  return rows;
}

async function cursorOf(server: SpeechServer, user: TestUser, path: string): Promise<string> {
  const { next_page_cursor } = await (await server.call(user, 'GET', path)).json();
  return encodeURIComponent(String(next_page_cursor));
}
