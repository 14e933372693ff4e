/** The requests of a project that ended, as its logs tell them (PRJ-05). */
import type { LogEntry, LogPage, LogQuery } from '#contract/logs.ts';
import { PAGE_SIZE } from '#contract/fields.ts';
import type { Db } from '../../platform/db/database.ts';
import { decodePlace, encodePlace, type Place } from '../../http/paging.ts';
import { readChoices } from './choices.ts';

/** What narrows them down. */
export type LogFilter = Omit<LogQuery, 'limit' | 'cursor'>;

/** Letter by which a cursor of this list is told from others. */
const CURSOR = 'l';

/** Rows of a project with the names that belong to them. */
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

type LogRow = Awaited<ReturnType<ReturnType<typeof logRows>['executeTakeFirstOrThrow']>>;

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
  person: row.person,
  client_reference_id: row.client_reference_id,
  audio_ms: row.audio_ms,
  cost_micros: row.cost_micros,
  error_type: row.error_type,
  queue_ms: row.queue_ms,
  processing_ms: row.processing_ms,
  first_word_ms: row.first_word_ms,
  finals_ms: row.finals_ms,
});

/** Some entries, the last that ended first, and the place behind them; null behind the last. */
export interface Piece {
  entries: LogEntry[];
  next: Place | null;
}

/** The entries that match, from a place on. @param before null for the first ones */
export async function readEntries(
  db: Db,
  projectId: string,
  filter: LogFilter,
  { before, limit }: { before: Place | null; limit: number },
): Promise<Piece> {
  const { kind, status, model, key, reference, error, from, to } = filter;
  const found = await logRows(db, projectId)
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
        // By this alone, parts of later months are not looked at.
        .where('row.ended_at', '<=', new Date(before!.at))
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('row.ended_at', 'row.position'), '<', tuple(new Date(before!.at), before!.position)),
        ),
    )
    .orderBy('row.ended_at', 'desc')
    .orderBy('row.position', 'desc')
    .limit(limit + 1)
    .execute();
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return {
    entries: rows.map(toEntry),
    next: found.length > limit && last ? { at: last.ended_at.getTime(), position: last.position } : null,
  };
}

/** One page of what a query asks for; with the first one, what there is to filter by. @throws ApiProblem 400 invalid_cursor */
export async function readLogPage(
  db: Db,
  projectId: string,
  { limit = PAGE_SIZE, cursor, ...filter }: LogQuery,
  now: Date,
): Promise<LogPage> {
  const before = cursor ? decodePlace(CURSOR, cursor) : null;
  const [{ entries, next }, choices] = await Promise.all([
    readEntries(db, projectId, filter, { before, limit }),
    before === null ? readChoices(db, projectId, filter, now) : null,
  ]);
  return { logs: entries, next_page_cursor: next && encodePlace(CURSOR, next), choices };
}
