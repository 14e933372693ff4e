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

/** Audio is not counted in tokens here, and no text goes in that is. */
const NO_INPUT_TEXT = 0;

/**
 * Writes down what a transcription that has just ended used: the last part of the transaction that ends it. Its row must say how it
 * ended. Nothing for one that is gone.
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
 * Takes the transcriptions of a project, or the one with an id, that wait or run and are about to be deleted: they end as cancelled. The
 * transaction holds their project and their jobs.
 * @returns writes down what they used: the last part of the transaction, when they may be gone
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

/** The most that a column of milliseconds holds, 24.8 days: what lasts longer must end all the same. */
const LONGEST_MS = 2 ** 31 - 1;

/** Milliseconds; a clock that was set back in between makes them none. */
const passed = (from: Date, to: Date): number => Math.min(LONGEST_MS, Math.max(0, to.getTime() - from.getTime()));

/** What a live session has used so far, as the process that holds it knows. */
export interface LiveFigures extends StreamUsage {
  audioMs: number;
}

/** How a live session ended, and when. */
export interface LiveEnd extends LiveFigures {
  status: 'completed' | 'failed' | 'aborted';
  errorCode: number | null;
  errorType: string | null;
  at: Date;
}

/**
 * The heartbeat of a process: its sessions live on until a moment, and have used this much. Should it die, this is what they are billed by.
 * It waits for nobody: whose row others hold is ending or being deleted, or is renewed the next time.
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
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as heard (id uuid, audio_ms integer, output_tokens integer, latency_ms integer, finals_ms integer)
    ), held as (
      select id from live_sessions where id in (select id from heard) and status = 'running' for no key update skip locked
    )
    update live_sessions set lease_until = ${until}, audio_ms = heard.audio_ms, output_tokens = heard.output_tokens, latency_ms = heard.latency_ms, finals_ms = heard.finals_ms
    from heard join held using (id) where live_sessions.id = heard.id`.execute(db);
}

/** How long the end of a session waits for each lock of others, milliseconds: it keeps a connection from everybody else, and is tried again. */
const LOCK_MS = 3000;

const waitBriefly = (trx: Db) => sql`select set_config('lock_timeout', ${String(LOCK_MS)}, true)`.execute(trx);

/**
 * Ends a running session and writes down what it used, both or neither; of one that was taken for dead meanwhile, what it was billed
 * by is put right. Nothing for one that was ended before, or whose organization is gone: it may be called again and again.
 */
export async function endLiveSession(
  db: Db,
  id: string,
  { status, audioMs, outputTokens, latencyMs, finalsMs, errorCode, errorType, at }: LiveEnd,
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
 * Charges the live sessions that run of an organization that is deleted, as its projects are by now, by the last heartbeat of their process.
 * The transaction holds the projects, so that none ends meanwhile, and removes the sessions last: their process finds nothing to end.
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
 * Ends the sessions whose process no longer renews their lease. They are billed by its last heartbeat; what came after is not known.
 * None ends later than `now`, whatever a clock that was ahead wrote. Each in a transaction of its own, with the locks of any end: one
 * that cannot be written keeps none of the others, nor does one whose project is being deleted, and several processes may do this at once.
 * @param of `all`: only where no other process can hold sockets
 * @throws what kept the first one that could not be ended, when the others are
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
    if (!(await lockBilled(trx, project_id, 'keep_at_once'))) return;
    const row = await trx
      .updateTable('live_sessions')
      .set({ status: 'aborted', ended_at: sql<Date>`least(lease_until, ${now}::timestamptz)`, taken_for_dead: true })
      .where('id', '=', id)
      // Its process may have come back, or ended it.
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

/** The client of a session may have kept it before its cost was known. */
const priceKept = (trx: Db, { project_id, request_id, cost_micros }: UsageEnd) =>
  trx
    .updateTable('transcriptions')
    .set({ cost_micros })
    .where('project_id', '=', project_id)
    .where('session_request_id', '=', request_id)
    .execute();

/** A running session whose process is gone: its lease has run out, or ends later than any that was given. */
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
