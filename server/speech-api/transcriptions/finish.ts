import type { Transaction } from 'kysely';
import { CANCELLED_TYPE, type AudioNote, type TranscriptToken } from '#contract/transcriptions.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { lockProjectRow } from '../../tenancy/projects/locks.ts';
import { recordTranscription } from '../../money/usage/record.ts';

/** The kind of job that transcribes a recording. Its subject is the transcription. */
export const TRANSCRIBE = 'transcribe';
/** The kind of job that sends a transcription's webhook. Its subject is the transcription. */
export const WEBHOOK = 'webhook';

/** Why a transcription failed: a stable `type` for programs, a `message` for people. */
export interface Failure {
  type: string;
  message: string;
}

/** The failure of a cancelled transcription. */
export const CANCELLED: Failure = { type: CANCELLED_TYPE, message: 'The transcription was cancelled.' };

/** The result of a transcription. */
export interface Recognized {
  tokens: readonly TranscriptToken[];
  durationMs: number;
  notes: readonly AudioNote[];
}

/** Completes a transcription: writes row, transcript and usage; queues the webhook. Call it last in a transaction. */
export async function completeTranscription(
  trx: Transaction<Schema>,
  id: string,
  { tokens, durationMs, notes }: Recognized,
  now: Date,
): Promise<void> {
  const values = { status: 'completed', audio_duration_ms: durationMs, audio_notes: JSON.stringify(notes) } as const;
  if (!(await end(trx, id, values, now))) return;
  await addTranscript(trx, id, tokens);
  await recordTranscription(trx, id, tokens.length);
}

export async function addTranscript(
  trx: Transaction<Schema>,
  id: string,
  tokens: readonly TranscriptToken[],
): Promise<void> {
  await trx
    .insertInto('transcripts')
    .values({ transcription_id: id, text: tokens.map(({ text }) => text).join(''), tokens: JSON.stringify(tokens) })
    .execute();
}

/** Fails a transcription: writes row and usage, and queues the webhook. Call it last in a transaction. */
export async function failTranscription(
  trx: Transaction<Schema>,
  id: string,
  { type, message }: Failure,
  now: Date,
): Promise<void> {
  if (await end(trx, id, { status: 'error', error_type: type, error_message: message }, now))
    await recordTranscription(trx, id, 0);
}

/**
 * Locks the project of a transcription. Take this lock before those of its jobs and its row, so that ending, cancelling
 * and deleting cannot deadlock.
 * @returns false if the transcription or its project is gone
 */
export async function lockProjectOf(trx: Transaction<Schema>, id: string): Promise<boolean> {
  const row = await trx.selectFrom('transcriptions').select('project_id').where('id', '=', id).executeTakeFirst();
  return row !== undefined && (await lockProjectRow(trx, row.project_id, 'keep')) !== undefined;
}

type End =
  | { status: 'completed'; audio_duration_ms: number; audio_notes: string }
  | { status: 'error'; error_type: string; error_message: string };

/** @returns false if the transcription has already ended, or is gone */
async function end(trx: Transaction<Schema>, id: string, values: End, now: Date): Promise<boolean> {
  const row = await trx
    .updateTable('transcriptions')
    .set({ ...values, finished_at: now })
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'processing'])
    .returning(['webhook_url', 'project_id'])
    .executeTakeFirst();
  if (!row) return false;
  if (row.webhook_url) await enqueue(trx, { kind: WEBHOOK, subject: id, now, projectId: row.project_id });
  return true;
}
