/** Requests of a year, as if drawn by lot: straight in the table, and not yet counted. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { makeMonth, monthAfter } from '#server/money/usage/months.ts';
import type { Db } from '#server/platform/db/database.ts';
import type { TestUser } from '../test/server/harness.ts';

export const MONTHS = 12;
const PROJECTS = 10;
/** A reference that one request of each month has, in all projects. */
export const RARE = 'the-rare-one';

export type Say = (text: string) => void;
export const seconds = (from: number): string => `${((performance.now() - from) / 1000).toFixed(1)} s`;

/** Two organizations; of their projects the first have the most. Rows lie in the order in which they ended, as in life. */
export async function fill(
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
  await sql`insert into usage_days (organization_id, day, cost_micros)
    select organization_id, billing_day, sum(cost_micros) from usage_rows group by 1, 2`.execute(db);
  await sql`alter table usage_rows enable trigger tell_log`.execute(db);
}

async function fillMonth(
  db: Db,
  { month, end, count, seed }: { month: Date; end: Date; count: number; seed: number },
): Promise<void> {
  await sql`select setseed(${seed})`.execute(db);
  await sql`insert into usage_rows (
      id, request_id, organization_id, project_id, project_name, origin, api_key_id, client_reference_id,
      kind, model, status, error_type, started_at, ended_at, billing_day,
      audio_ms, input_tokens, output_tokens, cost_micros, queue_ms, processing_ms, first_word_ms, finals_ms)
    select gen_random_uuid(), gen_random_uuid(), k.organization_id, k.project_id, k.project_name, 'public_api', k.keys[drawn.key],
      case when nth = 1 then ${RARE} when luck < 0.3 then 'customer-' || (luck * 10000)::int end,
      case when is_live then 'real_time' else 'async' end,
      (case when is_live then 'parlance-rt-' else 'parlance-async-' end) || drawn.model,
      case when luck < 0.94 then 'completed' when luck < 0.98 then 'failed' else 'cancelled' end,
      case when luck >= 0.9799 and luck < 0.98 then 'rare_error' when luck >= 0.94 and luck < 0.98 then 'error_' || (luck * 100)::int end,
      at - interval '10 s', at, (at at time zone 'UTC')::date, audio_ms, 0, audio_ms / 400, audio_ms / 36,
      case when not is_live then (40 * exp(3 * jitter))::int end, case when not is_live then (900 * exp(3 * jitter))::int end,
      case when is_live then (180 * exp(2 * jitter))::int end, case when is_live then (120 * exp(2 * jitter))::int end
    from (
      select nth, ${month}::timestamptz + random() * (${end}::timestamptz - ${month}::timestamptz) as at,
        floor(20 * random() ^ 2)::int as place,
        1 + floor(3 * random())::int as key, 1 + floor(2 * random())::int as model, random() < 0.5 as is_live, random() as luck,
        random() as jitter, (300000 * random())::int as audio_ms
      from generate_series(1, ${count}::int) as nth order by at
    ) as drawn join bench_keys as k using (place)`.execute(db);
}
