import type { TranscriptToken } from '#contract/transcriptions.ts';
import type { Services } from '../context.ts';
import type { Db } from '../db/open.ts';
import type { JobHandler, RunningJob } from '../jobs/worker.ts';
import { EngineError, type AudioDecoder, type EngineErrorCode, type SttEngine } from '../speech/port.ts';
import { StorageError, type FileStorage } from '../storage/port.ts';
import { recordTranscription } from '../usage/record.ts';

/** Longest recording that is transcribed, seconds (speech API §4). */
const MAX_AUDIO_SECONDS = 300 * 60;

type Parts = Pick<Services, 'db' | 'clock'> & { engine: SttEngine; decoder: AudioDecoder; storage: FileStorage };

interface Failure {
  type: string;
  message: string;
}

const FAILED: Failure = { type: 'engine_failed', message: 'The recording could not be transcribed. Please try again later.' };
const GONE: Failure = { type: 'file_not_found', message: 'The file was deleted before it could be transcribed.' };
/** Failures of the recording itself: another try would end the same way. */
const OF_THE_RECORDING: ReadonlySet<EngineErrorCode> = new Set(['invalid_audio', 'unsupported_format', 'audio_too_long']);

/** Why this can never succeed; undefined when another try may. */
function finalFailure(error: unknown): Failure | undefined {
  if (error instanceof StorageError && error.code === 'not_found') return GONE;
  if (error instanceof EngineError && OF_THE_RECORDING.has(error.code)) return { type: error.code, message: error.message };
  return undefined;
}

/** Transcribes the file of a transcription. The result and the end of the job are one transaction, so that neither can be without the other. */
export function transcribeHandler(parts: Parts): JobHandler {
  const { db, clock } = parts;
  const fail = async (trx: Db, id: string, { type, message }: Failure): Promise<void> => {
    await trx.updateTable('transcriptions').set({ status: 'error', error_type: type, error_message: message, finished_at: clock() }).where('id', '=', id).execute();
    await recordTranscription(trx, id, 0);
  };

  return {
    async run(job) {
      const transcription = await db.updateTable('transcriptions').set({ status: 'processing' }).where('id', '=', job.subject).where('status', 'in', ['queued', 'processing']).returningAll().executeTakeFirst();
      if (!transcription) return job.complete(db);
      try {
        const { tokens, durationMs } = await recognize(parts, job, transcription);
        await db.transaction().execute(async (trx) => {
          await trx.updateTable('transcriptions').set({ status: 'completed', audio_duration_ms: durationMs, finished_at: clock() }).where('id', '=', job.subject).execute();
          await trx.insertInto('transcripts').values({ transcription_id: job.subject, text: tokens.map(({ text }) => text).join(''), tokens: JSON.stringify(tokens) }).execute();
          await recordTranscription(trx, job.subject, tokens.length);
          await job.complete(trx);
        });
      } catch (error) {
        const failure = finalFailure(error);
        if (!failure) throw error;
        await db.transaction().execute(async (trx) => {
          await fail(trx, job.subject, failure);
          await job.complete(trx);
        });
      }
    },
    async waiting(trx, job) {
      await trx.updateTable('transcriptions').set({ status: 'queued' }).where('id', '=', job.subject).where('status', '=', 'processing').execute();
    },
    givenUp: (trx, job) => fail(trx, job.subject, FAILED),
  };
}

async function recognize(
  { engine, decoder, storage }: Parts,
  { signal }: RunningJob,
  of: { file_id: string | null; enable_speaker_diarization: boolean; enable_language_identification: boolean },
): Promise<{ tokens: TranscriptToken[]; durationMs: number }> {
  if (of.file_id === null) throw new StorageError('not_found', 'The file is no longer stored.');
  await engine.ready();
  const copy = await storage.checkout(of.file_id);
  try {
    signal.throwIfAborted();
    const audio = decoder.decode(copy.path, { maxSeconds: MAX_AUDIO_SECONDS, signal });
    return await engine.transcribe(audio, { diarization: of.enable_speaker_diarization, languageIdentification: of.enable_language_identification, signal });
  } finally {
    await copy.release();
  }
}
