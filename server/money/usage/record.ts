import { randomUUID } from 'node:crypto';
import { sql, type Insertable, type Selectable, type Transaction } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import type { SpeechTables } from '../../platform/db/speech-tables.ts';
import { lockBilled } from '../../tenancy/projects/locks.ts';
import { chargeUsage } from '../ledger/charge.ts';
import { leaseBound } from './concurrency.ts';
import type { StreamUsage } from './meter.ts';
import type { Prices } from '../../platform/prices.ts';
import { costOf } from './prices.ts';

type UsageLog = Insertable<SpeechTables['usage_logs']>;
type LiveRow = Selectable<SpeechTables['live_sessions']>;

/** Audio is not counted in tokens here, and no text goes in that is. */
const NO_INPUT_TEXT = 0;

/**
 * Writes down what a transcription that has just ended used; part of the transaction that ends it. Its row must say how it
 * ended. Nothing for one that is gone.
 * @param outputTokens tokens of the transcript
 */
export async function recordTranscription(
  trx: Transaction<Schema>,
  id: string,
  outputTokens: number,
  prices: Prices,
): Promise<void> {
  const row = await trx.selectFrom('transcriptions').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row?.finished_at) return;
  const status = row.status === 'completed' ? 'completed' : 'failed';
  const audioMs = row.audio_duration_ms ?? 0;
  const cost_micros = costOf(prices, { kind: 'async', model: row.model, status, audioMs });
  await trx.updateTable('transcriptions').set({ cost_micros }).where('id', '=', id).execute();
  await trx
    .insertInto('usage_logs')
    .values({
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
      cost_micros,
    })
    .execute();
  await charge(trx, row.project_id, cost_micros, row.finished_at);
}

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

/** The heartbeat of a process: its sessions live on until a moment, and have used this much. Should it die, this is what they are billed by. */
export async function renewLiveSessions(db: Db, figures: ReadonlyMap<string, LiveFigures>, until: Date): Promise<void> {
  if (figures.size === 0) return;
  const rows = [...figures].map(([id, { audioMs, outputTokens, latencyMs }]) => ({
    id,
    audio_ms: audioMs,
    output_tokens: outputTokens,
    latency_ms: latencyMs,
  }));
  await sql`update live_sessions set lease_until = ${until}, audio_ms = heard.audio_ms, output_tokens = heard.output_tokens, latency_ms = heard.latency_ms
    from json_to_recordset(${JSON.stringify(rows)}::json) as heard (id uuid, audio_ms integer, output_tokens integer, latency_ms integer)
    where live_sessions.id = heard.id and live_sessions.status = 'running'`.execute(db);
}

/**
 * Ends a running session and writes down what it used, both or neither; of one that was taken for dead meanwhile, what it was billed
 * by is put right. Nothing for one that was ended before, or whose organization is gone: it may be called again and again.
 */
export async function endLiveSession(
  db: Db,
  id: string,
  { status, audioMs, outputTokens, latencyMs, errorCode, errorType, at }: LiveEnd,
  prices: Prices,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const session = await trx.selectFrom('live_sessions').select('project_id').where('id', '=', id).executeTakeFirst();
    if (!session || !(await lockBilled(trx, session.project_id))) return;
    const before = await trx
      .selectFrom('live_sessions')
      .select(['status', 'usage_log_id'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!before || (before.status !== 'running' && before.usage_log_id === null)) return;
    const row = await trx
      .updateTable('live_sessions')
      .set({
        status,
        audio_ms: audioMs,
        output_tokens: outputTokens,
        latency_ms: latencyMs,
        ended_at: at,
        error_code: errorCode,
        error_type: errorType,
        usage_log_id: null,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const wrong =
      before.usage_log_id === null
        ? undefined
        : await trx
            .deleteFrom('usage_logs')
            .where('id', '=', before.usage_log_id)
            .returning('cost_micros')
            .executeTakeFirst();
    const log = ofLiveSession(row, { id: randomUUID(), status, endedAt: at }, prices);
    await trx.insertInto('usage_logs').values(log).execute();
    // Its client may have kept it before this was known.
    await trx
      .updateTable('transcriptions')
      .set({ cost_micros: log.cost_micros ?? null })
      .where('project_id', '=', row.project_id)
      .where('session_request_id', '=', log.request_id)
      .execute();
    await charge(trx, row.project_id, (log.cost_micros ?? 0) - (wrong?.cost_micros ?? 0), at);
  });
}

/**
 * Ends the sessions whose process no longer renews their lease. They are billed by its last heartbeat; what came after is not known.
 * None ends later than `now`, whatever a clock that was ahead wrote.
 * @param of `all`: only where no other process can hold sockets
 */
export async function abortLiveSessions(
  db: Db,
  prices: Prices,
  now: Date,
  of: 'all' | 'expired' = 'expired',
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const rows = await trx
      .updateTable('live_sessions')
      .set({
        status: 'aborted',
        ended_at: sql<Date>`least(lease_until, ${now}::timestamptz)`,
        usage_log_id: sql<string>`gen_random_uuid()`,
      })
      .where('status', '=', 'running')
      .$if(of === 'expired', (query) =>
        query.where(({ or, eb }) => or([eb('lease_until', '<', now), eb('lease_until', '>', leaseBound(now))])),
      )
      .returningAll()
      .execute();
    if (rows.length === 0) return;
    const logs = rows.map((row) =>
      ofLiveSession(
        row,
        { id: row.usage_log_id ?? randomUUID(), status: 'aborted', endedAt: row.ended_at ?? row.lease_until },
        prices,
      ),
    );
    await trx.insertInto('usage_logs').values(logs).execute();
    await chargeAll(trx, logs);
  });
}

/** Charges whom a project belongs to, or belonged to. */
async function charge(trx: Transaction<Schema>, projectId: string, micros: number | null, at: Date): Promise<void> {
  if (micros === null || micros === 0) return;
  const [owner] = await ownersOf(trx, [projectId]);
  if (owner !== undefined) await chargeUsage(trx, { organizationId: owner.organization_id, micros, at });
}

/** The same for many, in the order in which everybody takes accounts. */
async function chargeAll(
  trx: Transaction<Schema>,
  logs: readonly { project_id: string; cost_micros?: number | null | undefined; ended_at: Date }[],
): Promise<void> {
  const owners = await ownersOf(
    trx,
    logs.map(({ project_id }) => project_id),
  );
  for (const { id, organization_id } of owners) {
    for (const { cost_micros, ended_at } of logs.filter(({ project_id }) => project_id === id))
      await chargeUsage(trx, { organizationId: organization_id, micros: cost_micros ?? 0, at: ended_at });
  }
}

/** Projects and deleted ones with their organizations, in the order of these. */
const ownersOf = (trx: Db, projectIds: readonly string[]): Promise<{ id: string; organization_id: string }[]> =>
  trx
    .selectFrom('projects')
    .select(['id', 'organization_id'])
    .where('id', 'in', projectIds)
    .union(trx.selectFrom('deleted_projects').select(['id', 'organization_id']).where('id', 'in', projectIds))
    .orderBy('organization_id')
    .execute();

const ofLiveSession = (
  row: LiveRow,
  { id, status, endedAt }: { id: string; status: LiveEnd['status']; endedAt: Date },
  prices: Prices,
): UsageLog => ({
  id,
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
  latency_ms: row.latency_ms,
  input_audio_ms: row.audio_ms,
  input_text_tokens: NO_INPUT_TEXT,
  output_text_tokens: row.output_tokens,
  cost_micros: costOf(prices, { kind: 'real_time', model: row.model, status, audioMs: row.audio_ms }),
});
