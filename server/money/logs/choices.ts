import type { LogChoices } from '#contract/logs.ts';
import type { Db } from '../../platform/db/database.ts';
import { NO_KEY } from '../usage/rollup.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Over a longer window, days are read in place of hours. */
const HOURLY_MS = 31 * DAY_MS;

interface Window {
  from?: string | undefined;
  to?: string | undefined;
}

/** What there is to filter by in a window of time: models, keys and errors of its hours or days of UTC, the most frequent first. */
export async function readChoices(db: Db, projectId: string, { from, to }: Window, now: Date): Promise<LogChoices> {
  const end = to === undefined ? now.getTime() : Date.parse(to);
  const start = from === undefined ? null : Date.parse(from);
  const isHourly = start !== null && end - start <= HOURLY_MS;
  const step = isHourly ? HOUR_MS : DAY_MS;
  const groups = await db
    .selectFrom(isHourly ? 'usage_hourly as used' : 'usage_daily as used')
    .select(({ fn }) => [
      'used.model',
      'used.api_key_id',
      'used.status',
      'used.error_type',
      fn.sum('used.requests').as('requests'),
    ])
    .where('used.project_id', '=', projectId)
    .$if(start !== null, (query) => query.where('used.step', '>=', new Date(Math.floor((start ?? 0) / step) * step)))
    .$if(to !== undefined, (query) => query.where('used.step', '<', new Date(end)))
    .groupBy(['used.model', 'used.api_key_id', 'used.status', 'used.error_type'])
    .having(({ fn }) => fn.sum('used.requests'), '>', 0)
    .execute();
  const counts = groups.map(({ requests, ...group }) => ({ ...group, requests: Number(requests) }));
  const keys = addUp(
    counts.filter(({ api_key_id }) => api_key_id !== NO_KEY),
    'api_key_id',
  );
  const names = await namesOf(db, projectId, [...keys.keys()]);
  const failures = counts.filter(({ status, error_type }) => status === 'failed' && error_type !== '');
  return {
    models: ordered(addUp(counts, 'model')).map(([model, requests]) => ({ model, requests })),
    keys: ordered(keys).map(([uuid, requests]) => ({ uuid, name: names.get(uuid) ?? null, requests })),
    errors: ordered(addUp(failures, 'error_type')).map(([error_type, requests]) => ({ error_type, requests })),
  };
}

/** Requests by the value of one column. */
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
