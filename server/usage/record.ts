import { randomUUID } from 'node:crypto';
import type { Insertable, Selectable } from 'kysely';
import type { Db } from '../db/open.ts';
import type { SpeechTables } from '../db/speech-tables.ts';
import { lockProjectRow } from '../projects/locks.ts';
import type { StreamUsage } from './meter.ts';
import { costOf, type Prices } from './prices.ts';

type UsageLog = Insertable<SpeechTables['usage_logs']>;
type LiveRow = Selectable<SpeechTables['live_sessions']>;

/** Audio is not counted in tokens here, and no text goes in that is. */
const NO_INPUT_TEXT = 0;

/**
 * Writes down what a transcription that has just ended used; part of the transaction that ends it. Its row must say how it
 * ended. Nothing for one that is gone.
 * @param outputTokens tokens of the transcript
 */
export async function recordTranscription(trx: Db, id: string, outputTokens: number, prices: Prices): Promise<void> {
  const row = await trx.selectFrom('transcriptions').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row?.finished_at) return;
  const status = row.status === 'completed' ? 'completed' : 'failed';
  const audioMs = row.audio_duration_ms ?? 0;
  await trx.insertInto('usage_logs').values({
    id: randomUUID(),
    project_id: row.project_id,
    request_id: row.request_id ?? row.id,
    kind: 'async',
    origin: row.origin,
    api_key_id: row.api_key_id,
    client_reference_id: row.client_reference_id,
    model: row.model,
    status,
    error_type: row.error_type,
    started_at: row.created_at,
    ended_at: row.finished_at,
    latency_ms: row.finished_at.getTime() - row.created_at.getTime(),
    input_audio_ms: audioMs,
    input_text_tokens: NO_INPUT_TEXT,
    output_text_tokens: outputTokens,
    cost_micros: costOf(prices, { kind: 'async', model: row.model, status, audioMs }),
  }).execute();
}

/** How a live session ended. */
export interface LiveEnd {
  status: 'completed' | 'failed' | 'aborted';
  audioMs: number;
  errorCode: number | null;
  errorType: string | null;
}

/** Ends a running session and writes down what it used, both or neither. Nothing for one that was ended before, or is gone. */
export async function endLiveSession(db: Db, id: string, { status, audioMs, errorCode, errorType }: LiveEnd, usage: StreamUsage, { prices, now }: { prices: Prices; now: Date }): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const session = await trx.selectFrom('live_sessions').select('project_id').where('id', '=', id).executeTakeFirst();
    if (!session || !(await lockProjectRow(trx, session.project_id, 'keep'))) return;
    const row = await trx
      .updateTable('live_sessions')
      .set({ status, audio_ms: audioMs, ended_at: now, error_code: errorCode, error_type: errorType })
      .where('id', '=', id)
      .where('status', '=', 'running')
      .returningAll()
      .executeTakeFirst();
    if (row) await trx.insertInto('usage_logs').values(ofLiveSession(row, status, { ...usage, endedAt: now }, prices)).execute();
  });
}

/**
 * Ends the sessions whose process no longer renews their lease; what they used beyond their start is not known.
 * @param leaseBefore every running one when left out: only where no other process can hold sockets
 */
export async function abortLiveSessions(db: Db, prices: Prices, leaseBefore?: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const rows = await trx
      .updateTable('live_sessions')
      .set((eb) => ({ status: 'aborted', ended_at: eb.ref('lease_until') }))
      .where('status', '=', 'running')
      .$if(leaseBefore !== undefined, (query) => query.where('lease_until', '<', leaseBefore ?? new Date(0)))
      .returningAll()
      .execute();
    if (rows.length > 0) await trx.insertInto('usage_logs').values(rows.map((row) => ofLiveSession(row, 'aborted', { outputTokens: 0, latencyMs: null, endedAt: row.lease_until }, prices))).execute();
  });
}

const ofLiveSession = (row: LiveRow, status: LiveEnd['status'], { outputTokens, latencyMs, endedAt }: StreamUsage & { endedAt: Date }, prices: Prices): UsageLog => ({
  id: randomUUID(),
  project_id: row.project_id,
  request_id: row.request_id ?? row.id,
  kind: 'real_time',
  origin: row.origin,
  api_key_id: row.api_key_id,
  client_reference_id: row.client_reference_id,
  model: row.model,
  status,
  error_type: row.error_type,
  started_at: row.started_at,
  ended_at: endedAt,
  latency_ms: latencyMs,
  input_audio_ms: row.audio_ms,
  input_text_tokens: NO_INPUT_TEXT,
  output_text_tokens: outputTokens,
  cost_micros: costOf(prices, { kind: 'real_time', model: row.model, status, audioMs: row.audio_ms }),
});
