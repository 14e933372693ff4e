import { EngineError, type AudioDecoder } from '../../engine/port.ts';
import type { Log } from '../../platform/log.ts';
import type { FileStorage } from '../../platform/storage/port.ts';
import { LEAST_MS } from '../../money/limits/reservations.ts';
import { MAX_AUDIO_SECONDS } from '../limits.ts';

/**
 * The length that a stored recording declares, milliseconds, so that its transcription can reserve it from the start.
 * Null if it declares none, is no audio, is longer than the longest that is transcribed, or the storage would have to
 * download it; then the transcription finds the length.
 */
export async function lengthOf(
  { storage, decoder, log }: { storage: FileStorage; decoder: AudioDecoder; log: Pick<Log, 'warn'> },
  id: string,
): Promise<number | null> {
  if (!storage.place.isHere) return null;
  try {
    const copy = await storage.checkout(id);
    try {
      const seconds = await decoder.declaredSeconds(copy.path);
      return seconds === null || seconds > MAX_AUDIO_SECONDS ? null : Math.max(LEAST_MS, Math.round(seconds * 1000));
    } finally {
      await copy.release();
    }
  } catch (error) {
    // An EngineError is about the recording, and its transcription will report it.
    if (!(error instanceof EngineError)) log.warn({ err: error, file: id }, 'the length of a recording cannot be read');
    return null;
  }
}
