import type { LogDetails, LogEntry, LogRequest, LogSettings } from '#contract/logs.ts';
import type { Db } from '../../platform/db/database.ts';
import { readAsked } from './asked.ts';
import { logRows, toEntry, type LogRow } from './entries.ts';
import { findLatestRefused, findRefused } from './refused-entries.ts';

/** How many of a project's latest rows are searched for a request's own id, which no index has. */
const REACH = 50_000;

/**
 * One request of a project with all details, by its row's id or its own; undefined if it does not exist.
 * @param mayOpen whether the caller may see the transcription and its settings
 * @param reach how many of the latest ended and of the latest refused requests may be found by their own id
 */
export async function readDetails(
  db: Db,
  { projectId, id, mayOpen, reach = REACH }: { projectId: string; id: string; mayOpen: boolean; reach?: number },
): Promise<LogDetails | undefined> {
  // What an index finds comes first: the list opens its entries by the ids of their rows.
  const found =
    (await findEnded(db, projectId, id)) ??
    (await findRefused(db, projectId, id)) ??
    (await findLatestEnded(db, projectId, id, reach)) ??
    (await findLatestRefused(db, projectId, id, reach));
  if (!found) return undefined;
  if (!('entry' in found)) return endedDetails(db, found, mayOpen);
  return refusedDetails(found.entry, mayOpen ? await withFile(db, projectId, found.asked) : null);
}

/** The ended request whose row has an id. */
const findEnded = (db: Db, projectId: string, id: string): Promise<LogRow | undefined> =>
  logRows(db, projectId)
    .innerJoin('usage_once as once', (join) =>
      join.onRef('once.id', '=', 'row.id').onRef('once.ended_at', '=', 'row.ended_at'),
    )
    .where('once.id', '=', id)
    .executeTakeFirst();

/** The latest ended request with an id of its own, among the latest rows. */
const findLatestEnded = (db: Db, projectId: string, requestId: string, reach: number): Promise<LogRow | undefined> =>
  logRows(db, projectId)
    .innerJoin(
      (from) =>
        from
          .selectFrom('usage_rows')
          .select(['id', 'ended_at', 'request_id'])
          .where('project_id', '=', projectId)
          .orderBy('ended_at', 'desc')
          .orderBy('position', 'desc')
          .limit(reach)
          .as('latest'),
      (join) => join.onRef('latest.id', '=', 'row.id').onRef('latest.ended_at', '=', 'row.ended_at'),
    )
    .where('latest.request_id', '=', requestId)
    .orderBy('row.ended_at', 'desc')
    .executeTakeFirst();

async function endedDetails(db: Db, row: LogRow, mayOpen: boolean): Promise<LogDetails> {
  const { project_id: projectId } = row;
  const session =
    row.kind === 'real_time' && row.error_type !== null
      ? await db
          .selectFrom('live_sessions')
          .select(['error_message', 'settings'])
          .where('project_id', '=', projectId)
          .where('id', '=', row.id)
          .executeTakeFirst()
      : undefined;
  const transcription = await db
    .selectFrom('transcriptions')
    .selectAll()
    .where('project_id', '=', projectId)
    .$if(row.kind === 'async', (query) => query.where('id', '=', row.id).where('session_request_id', 'is', null))
    .$if(row.kind === 'real_time', (query) => query.where('session_request_id', '=', row.request_id))
    .executeTakeFirst();
  const settings =
    transcription &&
    ({
      filename: transcription.filename,
      language_hints: transcription.language_hints,
      language_hints_strict: transcription.language_hints_strict,
      context: transcription.context?.value ?? null,
      enable_speaker_diarization: transcription.enable_speaker_diarization,
      enable_language_identification: transcription.enable_language_identification,
      translation: transcription.translation,
    } satisfies LogSettings);
  return {
    ...toEntry(row),
    output_tokens: row.output_tokens,
    billing_day: row.billing_day,
    error_message: (row.error_type !== null && (transcription?.error_message ?? session?.error_message)) || null,
    transcription_id: (mayOpen && transcription?.id) || null,
    settings: (mayOpen && settings) || null,
    request: mayOpen ? readAsked(session?.settings ?? null) : null,
  };
}

/** The messages of failed requests among entries, by the ids of the entries; without those of deleted transcriptions. */
export async function readMessages(
  db: Db,
  projectId: string,
  entries: readonly LogEntry[],
): Promise<ReadonlyMap<string, string>> {
  const failed = (of: LogEntry['kind']): string[] =>
    entries.filter(({ kind, status }) => kind === of && status === 'failed').map(({ id }) => id);
  const [files, sessions] = [failed('async'), failed('real_time')];
  const rows = await Promise.all([
    files.length === 0
      ? []
      : db
          .selectFrom('transcriptions')
          .select(['id', 'error_message'])
          .where('project_id', '=', projectId)
          .where('session_request_id', 'is', null)
          .where('id', 'in', files)
          .execute(),
    sessions.length === 0
      ? []
      : db
          .selectFrom('live_sessions')
          .select(['id', 'error_message'])
          .where('project_id', '=', projectId)
          .where('id', 'in', sessions)
          .execute(),
  ]);
  return new Map(
    rows.flat().flatMap(({ id, error_message }) => (error_message === null ? [] : [[id, error_message] as const])),
  );
}

/** A refused request has no transcription, tokens or billing day. */
const refusedDetails = (entry: LogEntry, request: LogRequest | null): LogDetails => ({
  ...entry,
  output_tokens: 0,
  billing_day: null,
  error_message: entry.refusal?.message ?? null,
  transcription_id: null,
  settings: null,
  request,
});

/** Settings whose recording is one of the project, if they have any. */
async function withFile(db: Db, projectId: string, asked: LogRequest | null): Promise<LogRequest | null> {
  if (!asked?.file_id) return asked;
  const file = await db
    .selectFrom('files')
    .select('id')
    .where('project_id', '=', projectId)
    .where('id', '=', asked.file_id)
    .executeTakeFirst();
  return { ...asked, file_id: file?.id ?? null };
}
