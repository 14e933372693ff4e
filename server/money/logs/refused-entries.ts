/** Reads refused requests as entries of the logs. */
import type { LogEntry, LogQuery, LogRequest } from '#contract/logs.ts';
import type { Db } from '../../platform/db/database.ts';
import { pseudonymOf } from '../../identity/accounts/pseudonym.ts';
import type { Place } from '../../platform/paging.ts';
import { readAsked } from './asked.ts';
import { SEVERAL } from './refused.ts';

/** An entry, and its place in the list. */
export interface PlacedEntry extends Place {
  entry: LogEntry;
}

/** Where to continue, and how many entries to read at most. */
export interface Rest {
  before: Place | null;
  most: number;
}

const refusedRows = (db: Db, projectId: string) =>
  db
    .selectFrom('refused_requests as row')
    .leftJoin('api_keys as key', (join) =>
      join.onRef('key.id', '=', 'row.api_key_id').onRef('key.project_id', '=', 'row.project_id'),
    )
    .leftJoin('users as person', 'person.id', 'row.user_id')
    .selectAll('row')
    .select(['key.name as key_name', 'person.email as person'])
    .where('row.project_id', '=', projectId);

type RefusedRow = Awaited<ReturnType<ReturnType<typeof refusedRows>['executeTakeFirstOrThrow']>>;

/** A refused request as an entry. A row that counts requests with several names has an empty one. */
const toEntry = (row: RefusedRow): LogEntry => ({
  id: row.id,
  request_id: row.request_id,
  started_at: row.refused_at.toISOString(),
  ended_at: row.refused_at.toISOString(),
  kind: row.kind,
  status: 'refused',
  model: row.model || null,
  origin: row.origin,
  key: row.api_key_id === null ? null : { uuid: row.api_key_id, name: row.key_name },
  person: row.person ?? (row.user_id === null ? null : pseudonymOf(row.user_id)),
  client_reference_id: row.client_reference_id || null,
  audio_ms: 0,
  cost_micros: null,
  error_type: row.error_type,
  queue_ms: null,
  processing_ms: null,
  first_word_ms: null,
  finals_ms: null,
  refusal: {
    code: row.code,
    message: row.message,
    requests: row.requests,
    several_models: row.requests > 1 && row.model === SEVERAL,
    several_references: row.requests > 1 && row.client_reference_id === SEVERAL,
  },
});

/** Reads matching refused requests, the latest first. */
export async function readRefused(
  db: Db,
  projectId: string,
  { kind, model, key, reference, error, from, to }: Omit<LogQuery, 'limit' | 'cursor'>,
  { before, most }: Rest,
): Promise<PlacedEntry[]> {
  const rows = await refusedRows(db, projectId)
    .$if(kind !== undefined, (query) => query.where('row.kind', '=', kind!))
    .$if(model !== undefined, (query) => query.where('row.model', '=', model!))
    .$if(key !== undefined, (query) => query.where('row.api_key_id', '=', key!))
    .$if(reference !== undefined, (query) => query.where('row.client_reference_id', '=', reference!))
    .$if(error !== undefined, (query) => query.where('row.error_type', '=', error!))
    .$if(from !== undefined, (query) => query.where('row.refused_at', '>=', new Date(from!)))
    .$if(to !== undefined, (query) => query.where('row.refused_at', '<', new Date(to!)))
    .$if(before !== null, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('row.refused_at', 'row.position'), '<', tuple(new Date(before!.at), before!.position)),
      ),
    )
    .orderBy('row.refused_at', 'desc')
    .orderBy('row.position', 'desc')
    .limit(most)
    .execute();
  return rows.map((row) => ({ entry: toEntry(row), at: row.refused_at.getTime(), position: row.position }));
}

/** A refused request, and its settings. */
export interface Refused {
  entry: LogEntry;
  asked: LogRequest | null;
}

const toRefused = (row: RefusedRow | undefined): Refused | undefined =>
  row && { entry: toEntry(row), asked: readAsked(row.settings) };

/** The refused request of a project whose row has an id; undefined if there is none. */
export const findRefused = async (db: Db, projectId: string, id: string): Promise<Refused | undefined> =>
  toRefused(await refusedRows(db, projectId).where('row.id', '=', id).executeTakeFirst());

/**
 * The latest refused request of a project with an id of its own; undefined if there is none.
 * @param reach how many of the latest rows are searched, as no index has the id
 */
export async function findLatestRefused(
  db: Db,
  projectId: string,
  requestId: string,
  reach: number,
): Promise<Refused | undefined> {
  const row = await refusedRows(db, projectId)
    .innerJoin(
      (from) =>
        from
          .selectFrom('refused_requests')
          .select(['id', 'request_id'])
          .where('project_id', '=', projectId)
          .orderBy('refused_at', 'desc')
          .orderBy('position', 'desc')
          .limit(reach)
          .as('latest'),
      (join) => join.onRef('latest.id', '=', 'row.id'),
    )
    .where('latest.request_id', '=', requestId)
    .orderBy('row.refused_at', 'desc')
    .executeTakeFirst();
  return toRefused(row);
}
