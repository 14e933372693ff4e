import type { Transaction } from 'kysely';
import type { TranscriptToken } from '#contract/transcriptions.ts';
import type { Schema } from '../db/schema.ts';
import { enqueue } from '../jobs/queue.ts';
import type { Prices } from '../usage/prices.ts';
import { recordTranscription } from '../usage/record.ts';

/** The kind of job that transcribes a recording. Its subject is the transcription. */
export const TRANSCRIBE = 'transcribe';
/** The kind of job that tells a client's server that a transcription has ended. Its subject is the transcription. */
export const WEBHOOK = 'webhook';

/** Why a transcription failed: a stable name, and words for people. */
export interface Failure {
  type: string;
  message: string;
}

export interface Recognized {
  tokens: readonly TranscriptToken[];
  durationMs: number;
}

/** When a transcription ends, and what it may cost. */
interface Ending {
  now: Date;
  prices: Prices;
}

/** Ends a transcription with its transcript: the row, its usage and its webhook together. */
export async function completeTranscription(trx: Transaction<Schema>, id: string, { tokens, durationMs }: Recognized, ending: Ending): Promise<void> {
  await trx.insertInto('transcripts').values({ transcription_id: id, text: tokens.map(({ text }) => text).join(''), tokens: JSON.stringify(tokens) }).execute();
  await end(trx, id, { status: 'completed', audio_duration_ms: durationMs }, tokens.length, ending);
}

/** Ends a transcription without one. */
export async function failTranscription(trx: Transaction<Schema>, id: string, { type, message }: Failure, ending: Ending): Promise<void> {
  await end(trx, id, { status: 'error', error_type: type, error_message: message }, 0, ending);
}

type End = { status: 'completed'; audio_duration_ms: number } | { status: 'error'; error_type: string; error_message: string };

async function end(trx: Transaction<Schema>, id: string, values: End, outputTokens: number, { now, prices }: Ending): Promise<void> {
  const row = await trx.updateTable('transcriptions').set({ ...values, finished_at: now }).where('id', '=', id).returning('webhook_url').executeTakeFirst();
  await recordTranscription(trx, id, outputTokens, prices);
  if (row?.webhook_url) await enqueue(trx, { kind: WEBHOOK, subject: id, now });
}
