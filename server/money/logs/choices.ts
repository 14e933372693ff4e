import { sql } from 'kysely';
import type { LogChoices, LogStatus } from '#contract/logs.ts';
import type { Db } from '../../platform/db/database.ts';
import { NO_KEY } from '../usage/rollup.ts';

const DAY_MS = 86_400_000;
/** What {@link LogChoices} counts by error. */
const FAILURES: readonly LogStatus[] = ['failed', 'refused'];

interface Window {
  from?: string | undefined;
  to?: string | undefined;
}

/**
 * Values to filter the logs by: models, keys and errors of requests in a window; most frequent first. What only refused
 * requests name is no choice: a client may name anything.
 */
export async function readChoices(db: Db, projectId: string, window: Window): Promise<LogChoices> {
  const [ended, refused] = await Promise.all([readGroups(db, projectId, window), readRefused(db, projectId, window)]);
  const groups = [...ended, ...refused];
  const counts = groups.map(({ requests, ...group }) => ({ ...group, requests: Number(requests) }));
  const keys = addUp(
    counts.filter(({ api_key_id }) => api_key_id !== NO_KEY),
    'api_key_id',
  );
  const known = new Set(ended.map(({ model }) => model));
  const withModel = counts.flatMap(({ model, requests }) =>
    model !== null && known.has(model) ? [{ model, requests }] : [],
  );
  const names = await namesOf(db, projectId, [...keys.keys()]);
  const failures = counts.filter(({ status, error_type }) => FAILURES.includes(status) && error_type !== '');
  return {
    models: ordered(addUp(withModel, 'model')).map(([model, requests]) => ({ model, requests })),
    keys: ordered(keys).map(([uuid, requests]) => ({ uuid, name: names.get(uuid) ?? null, requests })),
    errors: ordered(addUp(failures, 'error_type')).map(([error_type, requests]) => ({ error_type, requests })),
  };
}

interface Group {
  /** Null if a refused request has none that could be read. */
  model: string | null;
  api_key_id: string;
  status: LogStatus;
  error_type: string;
  requests: string | number;
}

/** Counts requests in a window: whole days (UTC) by their rollups, the rest by rows. */
async function readGroups(db: Db, projectId: string, { from, to }: Window): Promise<Group[]> {
  const [start, end] = [from, to].map((bound) => (bound === undefined ? null : new Date(bound)));
  const days = {
    begin: start && new Date(Math.ceil(start.getTime() / DAY_MS) * DAY_MS),
    end: end && new Date(Math.floor(end.getTime() / DAY_MS) * DAY_MS),
  };
  const within = days.begin && days.end && days.begin > days.end;
  const parts: [Date | null | undefined, Date | null | undefined][] = within
    ? [[start, end]]
    : [
        [start, days.begin],
        [days.end, end],
      ];
  const counted = parts.flatMap(([begin, finish]) =>
    begin && finish && begin < finish
      ? [
          sql`union all select model, coalesce(api_key_id, ${NO_KEY}::uuid), status, coalesce(error_type, ''), 1 from usage_rows
            where project_id = ${projectId} and ended_at >= ${begin} and ended_at < ${finish}`,
        ]
      : [],
  );
  const { rows } = await sql<Group>`
    select model, api_key_id, status, error_type, sum(requests) as requests from (
      select model, api_key_id, status, error_type, requests from log_days
      where project_id = ${projectId} and ${!within}
        ${days.begin ? sql`and step >= ${days.begin}` : sql``} ${days.end ? sql`and step < ${days.end}` : sql``}
      ${sql.join(counted, sql` `)}
    ) as counted group by 1, 2, 3, 4 having sum(requests) > 0`.execute(db);
  return rows;
}

/** Counts refused requests in a window. */
async function readRefused(db: Db, projectId: string, { from, to }: Window): Promise<Group[]> {
  const { rows } = await sql<Group>`
    select model, coalesce(api_key_id, ${NO_KEY}::uuid) as api_key_id, 'refused' as status, error_type, sum(requests) as requests
    from refused_requests where project_id = ${projectId}
      ${from === undefined ? sql`` : sql`and refused_at >= ${new Date(from)}`}
      ${to === undefined ? sql`` : sql`and refused_at < ${new Date(to)}`}
    group by 1, 2, 4`.execute(db);
  return rows;
}

/** Adds up requests by the value of one column. */
function addUp<Column extends string>(
  counts: readonly (Readonly<Record<Column, string>> & { requests: number })[],
  column: Column,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const count of counts) sums.set(count[column], (sums.get(count[column]) ?? 0) + count.requests);
  return sums;
}

const ordered = (sums: ReadonlyMap<string, number>): [string, number][] =>
  [...sums].sort(([one, many], [other, more]) => more - many || (one < other ? -1 : 1));

async function namesOf(db: Db, projectId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('api_keys')
    .select(['id', 'name'])
    .where('project_id', '=', projectId)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
