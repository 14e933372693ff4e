import { EngineError, type AudioDecoder } from '../../engine/port.ts';
import type { Log } from '../../platform/log.ts';
import type { FileStorage } from '../../platform/storage/port.ts';
import { LEAST_MS } from '../../money/limits/reservations.ts';
import { MAX_AUDIO_SECONDS } from '../limits.ts';

/**
 * How long a stored recording says that it sounds, milliseconds, so that its transcription can keep as much free from its beginning. Null
 * where it does not say, where it is no audio, and where the storage would have to fetch it all, or where it says more than is ever transcribed:
 * then it is told when it is transcribed.
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
    // Its transcription tells what is wrong with it, too.
    if (!(error instanceof EngineError)) log.warn({ err: error, file: id }, 'the length of a recording cannot be read');
    return null;
  }
}
