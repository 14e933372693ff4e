/** Reads the logs of a project: its requests that ended or were refused (PRJ-05). */
import { sql } from 'kysely';
import type { LogEntry, LogPage, LogQuery, LogStatus } from '#contract/logs.ts';
import { PAGE_SIZE } from '#contract/fields.ts';
import type { Db } from '../../platform/db/database.ts';
import { pseudonymOf } from '../../identity/accounts/pseudonym.ts';
import { decodePlace, encodePlace, type Place } from '../../platform/paging.ts';
import { readChoices } from './choices.ts';
import { readRefused, type PlacedEntry, type Rest } from './refused-entries.ts';

export type LogFilter = Omit<LogQuery, 'limit' | 'cursor'>;

/** First letter of this list's cursors, so that no other list accepts them. */
const CURSOR = 'l';
const DAY_MS = 86_400_000;

/** Usage rows of a project, with the names of their keys and people. */
export const logRows = (db: Db, projectId: string) =>
  db
    .selectFrom('usage_rows as row')
    .leftJoin('api_keys as key', (join) =>
      join.onRef('key.id', '=', 'row.api_key_id').onRef('key.project_id', '=', 'row.project_id'),
    )
    .leftJoin('users as person', 'person.id', 'row.user_id')
    .selectAll('row')
    .select(['key.name as key_name', 'person.email as person'])
    .where('row.project_id', '=', projectId);

/** A usage row with the names of its key and person. */
export type LogRow = Awaited<ReturnType<ReturnType<typeof logRows>['executeTakeFirstOrThrow']>>;

export const toEntry = (row: LogRow): LogEntry => ({
  id: row.id,
  request_id: row.request_id,
  started_at: row.started_at.toISOString(),
  ended_at: row.ended_at.toISOString(),
  kind: row.kind,
  status: row.status,
  model: row.model,
  origin: row.origin,
  key: row.api_key_id === null ? null : { uuid: row.api_key_id, name: row.key_name },
  person: row.person ?? (row.user_id === null ? null : pseudonymOf(row.user_id)),
  client_reference_id: row.client_reference_id,
  audio_ms: row.audio_ms,
  cost_micros: row.cost_micros,
  error_type: row.error_type,
  queue_ms: row.queue_ms,
  processing_ms: row.processing_ms,
  first_word_ms: row.first_word_ms,
  finals_ms: row.finals_ms,
  refusal: null,
});

/** Some entries, the latest first, and the cursor of the next ones; null after the last. */
export interface Piece {
  entries: LogEntry[];
  next: Place | null;
}

/** Reads matching entries: ended requests and refused ones, in one order. @param before where to continue; null for the latest ones */
export async function readEntries(
  db: Db,
  projectId: string,
  filter: LogFilter,
  { before, limit }: { before: Place | null; limit: number },
): Promise<Piece> {
  const most = limit + 1;
  const { status } = filter;
  const [ended, refused] = await Promise.all([
    status === 'refused' ? [] : readEnded(db, projectId, { ...filter, status }, { before, most }),
    status === undefined || status === 'refused' ? readRefused(db, projectId, filter, { before, most }) : [],
  ]);
  const found = [...ended, ...refused].sort((one, other) => other.at - one.at || other.position - one.position);
  const last = found[limit - 1];
  return {
    entries: found.slice(0, limit).map(({ entry }) => entry),
    next: found.length > limit && last ? { at: last.at, position: last.position } : null,
  };
}

/** A filter of usage rows, none of which is refused. */
type EndedFilter = LogFilter & { status?: Exclude<LogStatus, 'refused'> | undefined };

async function readEnded(
  db: Db,
  projectId: string,
  filter: EndedFilter,
  { before, most }: Rest,
): Promise<PlacedEntry[]> {
  const matches = matching(db, projectId, filter, before).limit(most);
  const found = isCounted(filter)
    ? await db
        .with('day', () => daysOf(projectId, filter, { before, enough: most }))
        .selectFrom('day')
        .innerJoinLateral(
          matches
            .where('row.ended_at', '>=', sql<Date>`day.step`)
            .where('row.ended_at', '<', sql<Date>`day.step + interval '24 hours'`)
            .as('row'),
          (join) => join.onTrue(),
        )
        .selectAll('row')
        .orderBy('row.ended_at', 'desc')
        .orderBy('row.position', 'desc')
        .limit(most)
        .execute()
    : await matches.execute();
  return found.map((row) => ({ entry: toEntry(row), at: row.ended_at.getTime(), position: row.position }));
}

const matching = (
  db: Db,
  projectId: string,
  { kind, status, model, key, reference, error, from, to }: EndedFilter,
  before: Place | null,
) =>
  logRows(db, projectId)
    .$if(kind !== undefined, (query) => query.where('row.kind', '=', kind!))
    .$if(status !== undefined, (query) => query.where('row.status', '=', status!))
    .$if(model !== undefined, (query) => query.where('row.model', '=', model!))
    .$if(key !== undefined, (query) => query.where('row.api_key_id', '=', key!))
    .$if(reference !== undefined, (query) => query.where('row.client_reference_id', '=', reference!))
    .$if(error !== undefined, (query) => query.where('row.error_type', '=', error!))
    .$if(from !== undefined, (query) => query.where('row.ended_at', '>=', new Date(from!)))
    .$if(to !== undefined, (query) => query.where('row.ended_at', '<', new Date(to!)))
    .$if(before !== null, (query) =>
      query
        // This redundant condition lets the planner skip partitions of later months.
        .where('row.ended_at', '<=', new Date(before!.at))
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('row.ended_at', 'row.position'), '<', tuple(new Date(before!.at), before!.position)),
        ),
    )
    .orderBy('row.ended_at', 'desc')
    .orderBy('row.position', 'desc');

/** Whether the rollups can say which days have matches. They lack references, but these have an index of their own. */
const isCounted = ({ kind, status, model, key, reference, error }: EndedFilter): boolean =>
  reference === undefined && [kind, status, model, key, error].some((value) => value !== undefined);

/**
 * The latest days (UTC) with at least `enough` matches together, by the rollups. Without them, a rare match would be
 * searched for in all rows. A day that the window covers only in part does not count towards `enough`.
 */
function daysOf(
  projectId: string,
  { kind, status, model, key, error, from, to }: EndedFilter,
  { before, enough }: { before: Place | null; enough: number },
) {
  const ends = [to === undefined ? null : Date.parse(to), before && before.at + 1].filter((end) => end !== null);
  const end = ends.length === 0 ? null : new Date(Math.min(...ends));
  const whole = end ? sql<boolean>`step + interval '24 hours' <= ${end}` : sql<boolean>`true`;
  const conditions = [
    sql`project_id = ${projectId}`,
    ...Object.entries({ kind, status, model, api_key_id: key, error_type: error }).flatMap(([column, value]) =>
      value === undefined ? [] : [sql`${sql.ref(column)} = ${value}`],
    ),
    ...(from === undefined ? [] : [sql`step > ${new Date(Date.parse(from) - DAY_MS)}`]),
    ...(end ? [sql`step < ${end}`] : []),
  ];
  return sql<{ step: Date }>`(
    select step from (
      select step, sum(case when ${whole} then sum(requests) else 0 end) over (order by step desc) - sum(requests) as later
      from log_days where ${sql.join(conditions, sql` and `)}
      group by step having sum(requests) > 0
    ) as days where later < ${enough})`;
}

/** One page of logs. The first page also has the values to filter by. @throws Refusal invalid_cursor */
export async function readLogPage(
  db: Db,
  projectId: string,
  { limit = PAGE_SIZE, cursor, ...filter }: LogQuery,
): Promise<LogPage> {
  const before = cursor ? decodePlace(CURSOR, cursor) : null;
  const [{ entries, next }, choices] = await Promise.all([
    readEntries(db, projectId, filter, { before, limit }),
    before === null ? readChoices(db, projectId, filter) : null,
  ]);
  return { logs: entries, next_page_cursor: next && encodePlace(CURSOR, next), choices };
}
