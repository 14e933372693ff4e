import { sql, type ExpressionBuilder, type Selectable, type Transaction } from 'kysely';
import { CANCELLED_TYPE } from '#contract/transcriptions.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import type { SpeechTables } from '../../platform/db/speech-tables.ts';
import { modelBehind } from '../../platform/model-names.ts';
import { lockBilled } from '../../tenancy/projects/locks.ts';
import { leaseBound } from './concurrency.ts';
import type { StreamUsage } from './meter.ts';
import type { Prices } from '../../platform/prices.ts';
import { carryPeaks } from './peaks.ts';
import { promisedPrices } from './price-lists.ts';
import { costOf } from './prices.ts';
import { addUsage, replaceUsage, type UsageEnd } from './rows.ts';

type LiveRow = Selectable<SpeechTables['live_sessions']>;
type FileRow = Selectable<SpeechTables['transcriptions']>;

/** Audio is not counted in tokens, and there is no text input. */
const NO_INPUT_TEXT = 0;

/**
 * Writes the usage of a transcription that has ended. Call it last in the transaction that ends it, after its row is
 * updated. Does nothing if the transcription is gone.
 * @param outputTokens tokens of the transcript
 */
export async function recordTranscription(trx: Transaction<Schema>, id: string, outputTokens: number): Promise<void> {
  const row = await trx.selectFrom('transcriptions').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row?.finished_at) return;
  const prices = await promisedPrices(trx, row, row.created_at);
  const end = ofTranscription({ ...row, finished_at: row.finished_at }, outputTokens, prices);
  await trx.updateTable('transcriptions').set({ cost_micros: end.cost_micros }).where('id', '=', id).execute();
  await addUsage(trx, [end]);
}

/**
 * Cancels transcriptions that wait or run before they are deleted: all of a project, or the one with an id. Requires
 * that the transaction has locked the project and their jobs.
 * @returns a function that writes their usage; call it last in the transaction, after deleting them
 */
export async function cancelOnDelete(
  trx: Transaction<Schema>,
  { projectId, id }: { projectId: string; id?: string },
  now: Date,
): Promise<() => Promise<void>> {
  const rows = await trx
    .selectFrom('transcriptions')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('status', 'in', ['queued', 'processing'])
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .forUpdate()
    .execute();
  return async () => {
    const ends: UsageEnd[] = [];
    for (const row of rows) {
      const ended = { ...row, status: 'error' as const, error_type: CANCELLED_TYPE, finished_at: now };
      ends.push(ofTranscription(ended, 0, await promisedPrices(trx, row, row.created_at)));
    }
    await addUsage(trx, ends);
  };
}

function ofTranscription(row: FileRow & { finished_at: Date }, outputTokens: number, prices: Prices): UsageEnd {
  const isCancelled = row.error_type === CANCELLED_TYPE;
  const status = row.status === 'completed' ? 'completed' : isCancelled ? 'cancelled' : 'failed';
  const audio_ms = row.audio_duration_ms ?? 0;
  return {
    id: row.id,
    request_id: row.request_id ?? row.id,
    project_id: row.project_id,
    origin: row.origin,
    api_key_id: row.api_key_id,
    user_id: row.user_id,
    client_reference_id: row.client_reference_id,
    kind: 'async',
    model: row.model,
    status,
    error_type: isCancelled ? null : row.error_type,
    started_at: row.created_at,
    ended_at: row.finished_at,
    audio_ms,
    input_tokens: NO_INPUT_TEXT,
    output_tokens: outputTokens,
    cost_micros: costOf(prices, { kind: 'async', model: row.model, status, audioMs: audio_ms }),
    queue_ms: row.begun_at && passed(row.created_at, row.begun_at),
    processing_ms: row.begun_at && passed(row.begun_at, row.finished_at),
    first_word_ms: null,
    finals_ms: null,
  };
}

/** Largest value of a column of milliseconds, 24.8 days. Longer durations are clamped. */
const LONGEST_MS = 2 ** 31 - 1;

/** Milliseconds between two moments; 0 if the clock was set back in between. */
const passed = (from: Date, to: Date): number => Math.min(LONGEST_MS, Math.max(0, to.getTime() - from.getTime()));

/** Use of a live session so far, as its process counts it. */
export interface LiveFigures extends StreamUsage {
  audioMs: number;
}

/** How a live session ended, and when. */
export interface LiveEnd extends LiveFigures {
  status: 'completed' | 'failed' | 'aborted';
  errorCode: number | null;
  errorType: string | null;
  errorMessage: string | null;
  settings: string | null;
  at: Date;
}

/**
 * Renews the leases of a process's sessions, and writes their use so far: they are billed by it if the process dies.
 * Skips locked rows: they are being ended or deleted, or are renewed by the next heartbeat.
 */
export async function renewLiveSessions(db: Db, figures: ReadonlyMap<string, LiveFigures>, until: Date): Promise<void> {
  if (figures.size === 0) return;
  const rows = [...figures].map(([id, { audioMs, outputTokens, latencyMs, finalsMs }]) => ({
    id,
    audio_ms: audioMs,
    output_tokens: outputTokens,
    latency_ms: latencyMs,
    finals_ms: finalsMs,
  }));
  await sql`with heard as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json)
        as heard (id uuid, audio_ms integer, output_tokens integer, latency_ms integer, finals_ms integer)
    ), held as (
      select id from live_sessions where id in (select id from heard) and status = 'running' for no key update skip locked
    )
    update live_sessions set lease_until = ${until}, audio_ms = heard.audio_ms, output_tokens = heard.output_tokens,
      latency_ms = heard.latency_ms, finals_ms = heard.finals_ms
    from heard join held using (id) where live_sessions.id = heard.id`.execute(db);
}

/** Longest wait of a session's end for a lock, milliseconds. Short, because it occupies a connection and is retried. */
const LOCK_MS = 3000;

const waitBriefly = (trx: Db) => sql`select set_config('lock_timeout', ${String(LOCK_MS)}, true)`.execute(trx);

/**
 * Ends a running session and writes its usage, in one transaction. Corrects the usage of one that another process took
 * for dead. Does nothing if the session has ended or its organization is gone, so it may be retried.
 */
export async function endLiveSession(
  db: Db,
  id: string,
  { status, audioMs, outputTokens, latencyMs, finalsMs, errorCode, errorType, errorMessage, settings, at }: LiveEnd,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await waitBriefly(trx);
    const session = await trx.selectFrom('live_sessions').select('project_id').where('id', '=', id).executeTakeFirst();
    if (!session || !(await lockBilled(trx, session.project_id))) return;
    const before = await trx
      .selectFrom('live_sessions')
      .select(['status', 'taken_for_dead'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!before || (before.status !== 'running' && !before.taken_for_dead)) return;
    const row = await trx
      .updateTable('live_sessions')
      .set({
        status,
        audio_ms: audioMs,
        output_tokens: outputTokens,
        latency_ms: latencyMs,
        finals_ms: finalsMs,
        ended_at: at,
        error_code: errorCode,
        error_type: errorType,
        error_message: errorMessage,
        settings,
        taken_for_dead: false,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await carryPeaks(trx, row.project_id, row.started_at, at);
    const end = ofLiveSession(row, { status, endedAt: at }, await promisedPrices(trx, row, row.started_at));
    await priceKept(trx, end);
    await (before.taken_for_dead ? replaceUsage(trx, end) : addUsage(trx, [end]));
  });
}

/**
 * Charges the running live sessions of an organization that is being deleted, by their last heartbeat. Requires that
 * the transaction has locked and deleted the projects, so that no session ends meanwhile; it deletes the sessions
 * later.
 */
export async function chargeStreams(trx: Transaction<Schema>, organizationId: string, now: Date): Promise<void> {
  const rows = await trx
    .selectFrom('live_sessions')
    .selectAll()
    .where('project_id', 'in', (eb) =>
      eb.selectFrom('deleted_projects').select('id').where('organization_id', '=', organizationId),
    )
    .where('status', '=', 'running')
    .execute();
  const ends: UsageEnd[] = [];
  for (const row of rows)
    ends.push(ofLiveSession(row, { status: 'aborted', endedAt: now }, await promisedPrices(trx, row, row.started_at)));
  await addUsage(trx, ends);
}

/**
 * Ends sessions whose lease has expired, and bills them up to their last heartbeat. None ends later than `now`, even if
 * a clock that was ahead wrote its lease. Ends each in a transaction of its own, so that one failure does not stop the
 * others, and several processes may do this at once.
 * @param of `all` ends every running session: only if no other process can hold sockets
 * @throws the first error, after trying all
 */
export async function abortLiveSessions(db: Db, now: Date, of: 'all' | 'expired' = 'expired'): Promise<void> {
  const abandoned = await db
    .selectFrom('live_sessions')
    .select(['id', 'project_id'])
    .where(abandonedBy(now, of))
    .orderBy('lease_until')
    .execute();
  const failures: unknown[] = [];
  for (const session of abandoned)
    await abortLiveSession(db, session, { now, of }).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

type Sweep = { now: Date; of: 'all' | 'expired' };

async function abortLiveSession(
  db: Db,
  { id, project_id }: Pick<LiveRow, 'id' | 'project_id'>,
  { now, of }: Sweep,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await waitBriefly(trx);
    if (!(await lockBilled(trx, project_id, 'keep_or_skip'))) return;
    const row = await trx
      .updateTable('live_sessions')
      .set({ status: 'aborted', ended_at: sql<Date>`least(lease_until, ${now}::timestamptz)`, taken_for_dead: true })
      .where('id', '=', id)
      // Checked again: its process may have renewed or ended it since the query.
      .where(abandonedBy(now, of))
      .returningAll()
      .executeTakeFirst();
    if (!row) return;
    const endedAt = row.ended_at ?? now;
    await carryPeaks(trx, project_id, row.started_at, endedAt);
    const end = ofLiveSession(row, { status: 'aborted', endedAt }, await promisedPrices(trx, row, row.started_at));
    await priceKept(trx, end);
    await addUsage(trx, [end]);
  });
}

/** Sets the cost of a kept session's transcription: the client may have kept it before the cost was known. */
const priceKept = (trx: Db, { project_id, request_id, cost_micros }: UsageEnd) =>
  trx
    .updateTable('transcriptions')
    .set({ cost_micros })
    .where('project_id', '=', project_id)
    .where('session_request_id', '=', request_id)
    .execute();

/** A running session whose process is gone: its lease has expired, or is longer than any lease (a wrong clock). */
const abandonedBy =
  (now: Date, of: 'all' | 'expired') =>
  ({ and, or, eb }: ExpressionBuilder<Schema, 'live_sessions'>) =>
    and([
      eb('status', '=', 'running'),
      ...(of === 'all' ? [] : [or([eb('lease_until', '<', now), eb('lease_until', '>', leaseBound(now))])]),
    ]);

const ofLiveSession = (
  row: LiveRow,
  { status, endedAt }: { status: LiveEnd['status']; endedAt: Date },
  prices: Prices,
): UsageEnd => ({
  id: row.id,
  request_id: row.request_id ?? row.id,
  project_id: row.project_id,
  origin: row.origin,
  api_key_id: row.api_key_id,
  user_id: row.user_id,
  client_reference_id: row.client_reference_id,
  kind: 'real_time',
  // Logs and reports name a live session's model by its id.
  model: modelBehind(row.model),
  status: status === 'aborted' ? 'cancelled' : status,
  error_type: row.error_type,
  started_at: row.started_at,
  ended_at: endedAt,
  audio_ms: row.audio_ms,
  input_tokens: NO_INPUT_TEXT,
  output_tokens: row.output_tokens,
  cost_micros: costOf(prices, { kind: 'real_time', model: row.model, status, audioMs: row.audio_ms }),
  queue_ms: null,
  processing_ms: null,
  first_word_ms: row.latency_ms,
  finals_ms: row.finals_ms,
});
