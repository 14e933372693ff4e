import type { Insertable, Selectable } from 'kysely';
import { WEBHOOK_VALUE_MASK, type Transcript, type Transcription, type TranscriptionPage } from '#contract/transcriptions.ts';
import type { Db } from '../db/open.ts';
import type { SpeechTables } from '../db/speech-tables.ts';
import { cancelJobs, enqueue } from '../jobs/queue.ts';
import { limitReached } from '../http/errors.ts';
import type { RestLimits } from '../v1/limits.ts';
import { cutPage, lockProject, type Page } from '../v1/paging.ts';
import { FETCH_AUDIO } from './fetch.ts';
import { TRANSCRIBE } from './finish.ts';

type Row = Selectable<SpeechTables['transcriptions']>;

const toTranscription = (row: Row): Transcription => ({
  id: row.id,
  status: row.status,
  created_at: row.created_at.toISOString(),
  model: row.model,
  filename: row.filename,
  file_id: row.file_id,
  audio_url: row.audio_url,
  audio_duration_ms: row.audio_duration_ms,
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
  // It is forgotten once it was sent; that there was one, the name tells.
  webhook_auth_header_value: row.webhook_auth_header_name === null ? null : WEBHOOK_VALUE_MASK,
  webhook_status_code: row.webhook_status_code,
  client_reference_id: row.client_reference_id,
});

/** Writes the transcription and the job that begins it, both or neither. @throws ApiProblem 429 limit_exceeded */
export async function addTranscription(db: Db, transcription: Insertable<SpeechTables['transcriptions']>, limits: RestLimits, now: Date): Promise<Transcription> {
  return db.transaction().execute(async (trx) => {
    await lockProject(trx, transcription.project_id);
    const { all, pending } = await trx
      .selectFrom('transcriptions')
      .select((eb) => [eb.fn.countAll().as('all'), eb.fn.countAll().filterWhere('status', 'in', ['queued', 'processing']).as('pending')])
      .where('project_id', '=', transcription.project_id)
      .executeTakeFirstOrThrow();
    if (Number(pending) >= limits.pending) throw limitReached(`This project has ${limits.pending} pending transcriptions, the most there can be. Wait until some of them have ended.`);
    if (Number(all) >= limits.transcriptions) throw limitReached(`This project has ${limits.transcriptions} transcriptions, the most there can be. Delete some of them.`);
    const row = await trx.insertInto('transcriptions').values(transcription).returningAll().executeTakeFirstOrThrow();
    await enqueue(trx, { kind: row.audio_url === null ? TRANSCRIBE : FETCH_AUDIO, subject: row.id, now });
    return toTranscription(row);
  });
}

export async function listTranscriptions(db: Db, projectId: string, page: Page): Promise<TranscriptionPage> {
  const found = await db
    .selectFrom('transcriptions')
    .selectAll()
    .where('project_id', '=', projectId)
    .$if(page.before !== null, (query) => query.where('position', '<', page.before ?? 0))
    .orderBy('position', 'desc')
    .limit(page.limit + 1)
    .execute();
  const { rows, next_page_cursor } = cutPage(found, page);
  return { transcriptions: rows.map(toTranscription), next_page_cursor };
}

export async function findTranscription(db: Db, projectId: string, id: string): Promise<Transcription | undefined> {
  const row = await db.selectFrom('transcriptions').selectAll().where('project_id', '=', projectId).where('id', '=', id).executeTakeFirst();
  return row && toTranscription(row);
}

/** For a transcription that was looked up before. */
export async function findTranscript(db: Db, id: string): Promise<Transcript | undefined> {
  const row = await db.selectFrom('transcripts').select(['text', 'tokens']).where('transcription_id', '=', id).executeTakeFirst();
  return row && { id, text: row.text, tokens: row.tokens };
}

/** Deletes it, with its transcript and its job, unless it is being worked on. The file stays. */
export async function deleteTranscription(db: Db, projectId: string, id: string): Promise<'deleted' | 'processing' | 'unknown'> {
  return db.transaction().execute(async (trx) => {
    const row = await trx.selectFrom('transcriptions').select('status').where('project_id', '=', projectId).where('id', '=', id).forUpdate().executeTakeFirst();
    if (!row) return 'unknown';
    if (row.status === 'processing') return 'processing';
    await cancelJobs(trx, [id]);
    await trx.deleteFrom('transcriptions').where('id', '=', id).execute();
    return 'deleted';
  });
}
