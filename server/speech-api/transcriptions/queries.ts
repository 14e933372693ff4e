import type { Insertable, Selectable, Transaction } from 'kysely';
import {
  CANCELLED_TYPE,
  WEBHOOK_VALUE_MASK,
  type Progress,
  type Transcript,
  type TranscriptToken,
  type Transcription,
  type TranscriptionPage,
} from '#contract/transcriptions.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import type { SpeechTables } from '../../platform/db/speech-tables.ts';
import { cancelJobs, enqueue, lockJobs } from '../../platform/jobs/queue.ts';
import { limitReached } from '../../platform/refusal.ts';
import { followingUpRefusals } from '../../money/limits/refused.ts';
import { projectNotFound } from '../not-found.ts';
import type { SpeechServices } from '../services.ts';
import { admit, type Admission, type Begun } from '../../money/limits/admission.ts';
import { LEAST_RESERVED_MS, type FirstWish } from '../../money/limits/reservations.ts';
import { lockProjectRow } from '../../tenancy/projects/locks.ts';
import type { StoredItemLimits } from '../limits.ts';
import { cutPage, type Page } from '../../platform/paging.ts';
import { lockProject } from '../project.ts';
import { FETCH_AUDIO } from './fetch.ts';
import { addTranscript, CANCELLED, failTranscription, TRANSCRIBE } from './finish.ts';
import { toUsd } from '../../money/usage/prices.ts';
import { cancelOnDelete } from '../../money/usage/record.ts';
import { costOfRequest } from '../../money/usage/rows.ts';
import { keepHook } from './webhook.ts';

type Row = Selectable<SpeechTables['transcriptions']> & { place_ms?: number | null; total_ms?: number | null };

const toTranscription = (row: Row): Transcription => ({
  id: row.id,
  status: row.status,
  created_at: row.created_at.toISOString(),
  model: row.model,
  filename: row.filename,
  file_id: row.file_id,
  audio_url: row.audio_url,
  audio_duration_ms: row.audio_duration_ms,
  audio_notes: row.audio_notes,
  error_type: row.error_type,
  error_message: row.error_message,
  language_hints: row.language_hints,
  language_hints_strict: row.language_hints_strict,
  context: row.context?.value ?? null,
  enable_speaker_diarization: row.enable_speaker_diarization,
  enable_language_identification: row.enable_language_identification,
  translation: row.translation,
  webhook_url: row.webhook_url,
  webhook_auth_header_name: row.webhook_auth_header_name,
  // The value is deleted once it was sent; the name tells that there was one.
  webhook_auth_header_value: row.webhook_auth_header_name === null ? null : WEBHOOK_VALUE_MASK,
  webhook_status_code: row.webhook_status_code,
  client_reference_id: row.client_reference_id,
  progress: progressOf(row),
  cost_usd: row.cost_micros === null ? null : toUsd(row.cost_micros),
});

/** The progress that the run wrote last. `total_ms` is null once the recording goes on beyond its declared length. */
function progressOf({ status, place_ms: done, total_ms: total }: Row): Progress | null {
  if (status !== 'processing' || done === null || done === undefined) return null;
  return { audio_ms: done, total_ms: total === null || total === undefined || total < done ? null : total };
}

/** Transcriptions with the progress of their current run. */
const transcriptions = (db: Db) =>
  db
    .selectFrom('transcriptions')
    .leftJoin('jobs', (join) =>
      join
        .onRef('jobs.subject', '=', 'transcriptions.id')
        .on('jobs.kind', '=', TRANSCRIBE)
        .on('jobs.state', '=', 'running'),
    )
    .selectAll('transcriptions')
    .select(['jobs.place_ms', 'jobs.total_ms']);

type Adding = Pick<SpeechServices, 'db' | 'clock' | 'limitDefaults' | 'storedItemLimits'>;

/** Admits a request. @param wish audio that it reserves @throws LimitReached, BalanceExhausted, Refusal not_found */
async function begin(
  trx: Transaction<Schema>,
  services: Adding,
  projectId: string,
  begun: Begun,
  wish?: FirstWish,
): Promise<Admission> {
  const admission = await admit(trx, services, projectId, begun, wish);
  if (admission === undefined) throw projectNotFound();
  return admission;
}

/**
 * Admits a transcription, and writes its row and its first job in one transaction.
 * @throws Refusal unpaid if the balance or a budget is used up, limit_exceeded
 */
export async function addTranscription(
  services: Adding & Pick<SpeechServices, 'log'>,
  transcription: Omit<Insertable<SpeechTables['transcriptions']>, 'created_at'>,
): Promise<Transcription> {
  const { db, clock, storedItemLimits } = services;
  const { project_id: projectId } = transcription;
  const add = async (trx: Transaction<Schema>): Promise<Transcription> => {
    await lockProject(trx, projectId);
    const ms = (await lengthOfFile(trx, transcription.file_id)) ?? LEAST_RESERVED_MS;
    const wish = { kind: 'async', model: transcription.model, leastMs: ms, mostMs: ms } as const;
    const { now, reserved, perHour } = await begin(trx, services, projectId, 'transcription', wish);
    await checkRoom(trx, projectId, storedItemLimits);
    const row = await trx
      .insertInto('transcriptions')
      .values({
        ...transcription,
        created_at: now,
        reserved_ms: reserved.ms,
        reserved_micros: reserved.micros,
        micros_per_hour: perHour,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await enqueue(trx, {
      kind: row.audio_url === null ? TRANSCRIBE : FETCH_AUDIO,
      subject: row.id,
      now: clock(),
      projectId: row.project_id,
    });
    return toTranscription(row);
  };
  return followingUpRefusals(services, projectId, () => db.transaction().execute(add));
}

/** The file's length if it is known, milliseconds. */
async function lengthOfFile(trx: Db, id: string | null | undefined): Promise<number | null> {
  if (id === null || id === undefined) return null;
  const file = await trx.selectFrom('files').select('length_ms').where('id', '=', id).executeTakeFirst();
  return file?.length_ms == null ? null : Number(file.length_ms);
}

/**
 * Adds a completed transcription with its transcript and the cost of its live session. If the session was kept before,
 * returns that transcription. @throws Refusal limit_exceeded
 */
export async function addCompleted(
  services: Adding,
  transcription: Insertable<SpeechTables['transcriptions']> & { status: 'completed' },
  tokens: readonly TranscriptToken[],
): Promise<Transcription> {
  const add = async (trx: Transaction<Schema>): Promise<Transcription> => {
    const { project_id: projectId, session_request_id: session } = transcription;
    await lockProject(trx, projectId);
    const before = session && (await keptFrom(trx, projectId, session));
    if (before) return toTranscription(before);
    await begin(trx, services, projectId, 'kept_transcription');
    await checkRoom(trx, projectId, services.storedItemLimits);
    const cost_micros = session ? await costOfSession(trx, projectId, session) : null;
    const row = await trx
      .insertInto('transcriptions')
      .values({ ...transcription, cost_micros })
      .returningAll()
      .executeTakeFirstOrThrow();
    await addTranscript(trx, row.id, tokens);
    return toTranscription(row);
  };
  return services.db.transaction().execute(add);
}

const keptFrom = (trx: Db, projectId: string, session: string) =>
  trx
    .selectFrom('transcriptions')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('session_request_id', '=', session)
    .executeTakeFirst();

/**
 * The session's cost if its end is written. Locks the session: an end that is written later then sets the cost itself.
 */
async function costOfSession(trx: Db, projectId: string, session: string): Promise<number | null> {
  const row = await trx
    .selectFrom('live_sessions')
    .select('id')
    .where('project_id', '=', projectId)
    .where('request_id', '=', session)
    .forUpdate()
    .executeTakeFirst();
  return row ? costOfRequest(trx, row.id) : null;
}

async function checkRoom(trx: Db, projectId: string, { transcriptions: max }: StoredItemLimits): Promise<void> {
  const { present } = await trx
    .selectFrom('transcriptions')
    .select((eb) => eb.fn.countAll().as('present'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  if (Number(present) >= max)
    throw limitReached(`This project has ${max} transcriptions, the most there can be. Delete some of them.`);
}

export async function listTranscriptions(db: Db, projectId: string, page: Page): Promise<TranscriptionPage> {
  const found = await transcriptions(db)
    .where('project_id', '=', projectId)
    .$if(page.before !== null, (query) => query.where('position', '<', page.before ?? 0))
    .orderBy('position', 'desc')
    .limit(page.limit + 1)
    .execute();
  const { rows, next_page_cursor } = cutPage(found, page);
  return { transcriptions: rows.map(toTranscription), next_page_cursor };
}

export async function findTranscription(db: Db, projectId: string, id: string): Promise<Transcription | undefined> {
  const row = await transcriptions(db)
    .where('project_id', '=', projectId)
    .where('transcriptions.id', '=', id)
    .executeTakeFirst();
  return row && toTranscription(row);
}

/** Does not check whose the transcription is: look it up first. */
export async function findTranscript(db: Db, id: string): Promise<Transcript | undefined> {
  const row = await db
    .selectFrom('transcripts')
    .select(['text', 'tokens'])
    .where('transcription_id', '=', id)
    .executeTakeFirst();
  return row && { id, text: row.text, tokens: row.tokens };
}

type Locked = Pick<Row, 'status' | 'error_type'>;

/** Locks project, jobs and row of a transcription, in the order of the workers. Undefined if it does not exist. */
async function lockTranscription(trx: Transaction<Schema>, projectId: string, id: string): Promise<Locked | undefined> {
  if (!(await lockProjectRow(trx, projectId, 'keep'))) return undefined;
  await lockJobs(trx, id);
  return trx
    .selectFrom('transcriptions')
    .select(['status', 'error_type'])
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/**
 * Deletes a transcription with its transcript and its jobs, unless it is being processed. Keeps the file. A queued one
 * is recorded as cancelled, without a webhook; if it was cancelled before, its webhook is still sent.
 */
export async function deleteTranscription(
  db: Db,
  projectId: string,
  id: string,
  now: Date,
): Promise<'deleted' | 'processing' | 'unknown'> {
  return db.transaction().execute(async (trx) => {
    const row = await lockTranscription(trx, projectId, id);
    if (!row) return 'unknown';
    if (row.status === 'processing') return 'processing';
    if (row.error_type === CANCELLED_TYPE) await keepHook(trx, id);
    else await cancelJobs(trx, [id]);
    const writeCancelled = await cancelOnDelete(trx, { projectId, id }, now);
    await trx.deleteFrom('transcriptions').where('id', '=', id).execute();
    await writeCancelled();
    return 'deleted';
  });
}

/**
 * Cancels a queued or running transcription; its worker stops. Cancelling again returns 'cancelled' again.
 * @returns 'ended' if it had ended in another way
 */
export async function cancelTranscription(
  db: Db,
  projectId: string,
  id: string,
  now: Date,
): Promise<'cancelled' | 'ended' | 'unknown'> {
  return db.transaction().execute(async (trx) => {
    const row = await lockTranscription(trx, projectId, id);
    if (!row) return 'unknown';
    if (row.status === 'error' && row.error_type === CANCELLED_TYPE) return 'cancelled';
    if (row.status === 'completed' || row.status === 'error') return 'ended';
    await cancelJobs(trx, [id], [TRANSCRIBE, FETCH_AUDIO]);
    await failTranscription(trx, id, CANCELLED, now);
    return 'cancelled';
  });
}
