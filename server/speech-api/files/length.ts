import { EngineError, type AudioDecoder } from '../../engine/port.ts';
import type { Log } from '../../platform/log.ts';
import type { FileStorage } from '../../platform/storage/port.ts';
import { LEAST_RESERVED_MS } from '../../money/limits/reservations.ts';
import { MAX_AUDIO_SECONDS } from '../limits.ts';

/**
 * The length that a stored recording declares, milliseconds: its transcription reserves this much of the limits from
 * the start. Null, so that the transcription has to find it, if the recording declares no length, is no audio or is
 * longer than {@link MAX_AUDIO_SECONDS}, or if the storage would have to download it.
 */
export async function lengthOf(
  { storage, decoder, log }: { storage: FileStorage; decoder: AudioDecoder; log: Pick<Log, 'warn'> },
  id: string,
): Promise<number | null> {
  if (!storage.place.isLocal) return null;
  try {
    const copy = await storage.checkout(id);
    try {
      const seconds = await decoder.declaredSeconds(copy.path);
      return seconds === null || seconds > MAX_AUDIO_SECONDS
        ? null
        : Math.max(LEAST_RESERVED_MS, Math.round(seconds * 1000));
    } finally {
      await copy.release();
    }
  } catch (error) {
    // An EngineError is about the recording, and its transcription will report it.
    if (!(error instanceof EngineError)) log.warn({ err: error, file: id }, 'the length of a recording cannot be read');
    return null;
  }
}
