import type { Selectable } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { SpeechTables } from '../../platform/db/speech-tables.ts';
import { LeaseEnded } from '../../platform/jobs/queue.ts';
import type { JobHandler, RunningJob } from '../../platform/jobs/worker.ts';
import { EngineError, type AudioDecoder, type EngineErrorCode, type SttEngine } from '../../engine/port.ts';
import { Refusal } from '../../platform/refusal.ts';
import { areBytesMissing, isStorageAway, type FileStorage } from '../../platform/storage/port.ts';
import { removeStored } from '../../platform/storage/remove-stored.ts';
import { logMissing } from '../files/from-storage.ts';
import type { SpeechServices } from '../services.ts';
import { MAX_AUDIO_SECONDS } from '../limits.ts';
import { LengthReservation } from './length-reservation.ts';
import { STORAGE_WAIT_MS, StoragePatience, UNREACHED } from './storage-away.ts';
import { completeTranscription, failTranscription, lockProjectOf, type Failure, type Recognized } from './finish.ts';

/** A run writes its progress each time it has heard this much more, milliseconds. */
const PLACE_STEP_MS = 10_000;

type Parts = Pick<SpeechServices, 'db' | 'clock' | 'config' | 'limitDefaults' | 'log'> & {
  engine: SttEngine;
  decoder: AudioDecoder;
  storage: FileStorage;
};
type Row = Selectable<SpeechTables['transcriptions']>;

const FAILED: Failure = {
  type: 'engine_failed',
  message: 'The recording could not be transcribed. Please try again later.',
};
const GONE: Failure = { type: 'file_not_found', message: 'The file was deleted before it could be transcribed.' };
/** Failures of the recording itself: another try would end the same way. */
const OF_THE_RECORDING: ReadonlySet<EngineErrorCode> = new Set([
  'invalid_audio',
  'unsupported_format',
  'audio_too_long',
]);

/** The failure of a transcription that is given up after its last try. */
const lastFailure = async (trx: Db, id: string, error: unknown): Promise<Failure> => {
  if (isStorageAway(error)) return UNREACHED;
  if (!areBytesMissing(error)) return FAILED;
  const row = await trx
    .selectFrom('transcriptions')
    .select(['audio_url', 'file_id'])
    .where('id', '=', id)
    .executeTakeFirst();
  // The bytes are missing but their row exists: a later request, or another process, may find them.
  return row?.audio_url === null && row.file_id === null
    ? GONE
    : { type: 'service_unavailable', message: error.message };
};

/** The failure of the transcription, if no retry can help; undefined to retry. */
function finalFailure(error: unknown): Failure | undefined {
  if (error instanceof EngineError && OF_THE_RECORDING.has(error.code))
    return { type: error.code, message: error.message };
  return error instanceof Refusal && error.kind !== 'unavailable'
    ? { type: error.type, message: error.message }
    : undefined;
}

/** Transcribes a recording. Writes the result and the end of the job in one transaction. */
export function transcribeHandler(parts: Parts): JobHandler {
  const { db, clock, log } = parts;
  const patience = new StoragePatience();

  return {
    async run(job) {
      const transcription = await db
        .updateTable('transcriptions')
        .set(({ fn, val }) => ({ status: 'processing', begun_at: fn.coalesce('begun_at', val(clock())) }))
        .where('id', '=', job.subject)
        .where('status', 'in', ['queued', 'processing'])
        .returningAll()
        .executeTakeFirst();
      if (!transcription) return job.complete(db);
      const stored = transcription.audio_url === null ? transcription.file_id : transcription.id;
      let outcome: Recognized | Failure;
      try {
        outcome = stored === null ? GONE : await recognize(parts, job, transcription, stored);
      } catch (error) {
        if (patience.isWorthWaiting(job.id, error, clock())) {
          await putBack(db, job.subject);
          return job.postpone(new Date(clock().getTime() + STORAGE_WAIT_MS));
        }
        if (areBytesMissing(error)) logMissing(log, stored, error);
        const failure = finalFailure(error);
        if (!failure) throw error;
        outcome = failure;
      }
      patience.end(job.id);
      // Completes even if the file was deleted meanwhile.
      await db.transaction().execute(async (trx) => {
        if (!(await lockProjectOf(trx, job.subject))) throw new LeaseEnded();
        await job.complete(trx);
        if ('tokens' in outcome) await completeTranscription(trx, job.subject, outcome, clock());
        else await failTranscription(trx, job.subject, outcome, clock());
      });
      // A fetched recording serves only this transcription.
      if (transcription.audio_url !== null) await removeStored(parts, transcription.id);
    },
    async lock(trx, job) {
      await lockProjectOf(trx, job.subject);
    },
    waiting: (trx, job) => putBack(trx, job.subject),
    async givenUp(trx, job, error) {
      patience.end(job.id);
      await failTranscription(trx, job.subject, await lastFailure(trx, job.subject, error), clock());
    },
  };
}

async function putBack(db: Db, id: string): Promise<void> {
  await db
    .updateTable('transcriptions')
    .set({ status: 'queued' })
    .where('id', '=', id)
    .where('status', '=', 'processing')
    .execute();
}

/** Checks that the storage still has all bytes of an upload. @throws StorageError if not, as after a disk failure */
async function checkUpload({ db, storage }: Parts, id: string): Promise<void> {
  const file = await db.selectFrom('files').select('size').where('id', '=', id).executeTakeFirst();
  if (file !== undefined) await storage.check(id, Number(file.size));
}

async function recognize(parts: Parts, job: RunningJob, of: Row, stored: string): Promise<Recognized> {
  const { engine, decoder, storage } = parts;
  const { reached } = job;
  await engine.ready();
  await checkUpload(parts, stored);
  const copy = await storage.checkout(stored);
  const reservation = new LengthReservation(parts, of);
  const signal = AbortSignal.any([job.signal, reservation.signal]);
  try {
    let totalMs: number | null = null;
    let writtenMs = 0;
    let notes: Recognized['notes'] = [];
    // The models are loaded; if the process crashes from here on, the recording may be the cause.
    await reached({ placeMs: 0, totalMs });
    signal.throwIfAborted();
    const onDeclared = (seconds: number): Promise<void> => {
      totalMs = Math.round(seconds * 1000);
      void reached({ placeMs: 0, totalMs });
      return reservation.declare(totalMs);
    };
    const onProgress = (placeMs: number): void => {
      reservation.extendTo(placeMs);
      if (placeMs - writtenMs < PLACE_STEP_MS) return;
      writtenMs = placeMs - (placeMs % PLACE_STEP_MS);
      void reached({ placeMs, totalMs });
    };
    const audio = decoder.decode(copy.path, {
      maxSeconds: MAX_AUDIO_SECONDS,
      signal,
      onLength: onDeclared,
      onNotes: (found) => void (notes = found),
    });
    const recognized = await engine.transcribe(audio, {
      diarization: of.enable_speaker_diarization,
      languageIdentification: of.enable_language_identification,
      ...(of.translation && { translation: of.translation }),
      ...(of.language_hints && { languageHints: of.language_hints }),
      ...(of.language_hints_strict !== null && { languageHintsStrict: of.language_hints_strict }),
      ...(of.context && { context: of.context.value }),
      onLength: (ms) => reservation.settle(ms),
      onProgress,
      signal,
    });
    await reservation.settle(recognized.durationMs);
    return { ...recognized, notes };
  } catch (error) {
    // The engine reports an abort in its own words; the refusal is the cause.
    throw reservation.refusal ?? error;
  } finally {
    await reservation.idle();
    await copy.release();
  }
}
