import { FFMPEG_MAX, OF_A_PART } from './codec.ts';
import { joinedNotes, withMore } from './notes.ts';
import type { Following } from './thread.ts';
import { EngineError } from '../port.ts';
import type { RecordingNote } from '../port.ts';

/** Decodes one of several recordings that were joined; gives 16 kHz mono. */
export type DecodePart = (options: Following) => AsyncIterable<Float32Array>;

/**
 * Hears joined recordings, each through a decoder of its own, one after the other; tells their notes as those of one. A part that is null,
 * or gives nothing, is left out.
 * @throws whatever the first one throws, and what is no fault of a part
 */
export async function* decodeParts(
  parts: Iterable<DecodePart | null> | AsyncIterable<DecodePart | null>,
  options: Following,
): AsyncGenerator<Float32Array> {
  const notes: (readonly RecordingNote[] | null)[] = [];
  const budget = options.budget ?? { processes: FFMPEG_MAX };
  for await (const decode of parts) {
    if (budget.processes <= 0) {
      notes.push(null);
      break;
    }
    budget.processes -= 1;
    let told: readonly RecordingNote[] = [];
    let isHeard = false;
    try {
      if (decode !== null)
        for await (const piece of decode({ ...options, budget, onNotes: (all) => void (told = all) })) {
          isHeard = true;
          yield piece;
        }
    } catch (error) {
      if (notes.length === 0 || !(error instanceof EngineError) || !OF_A_PART.has(error.code)) throw error;
      if (isHeard) told = withMore(told, 'parts_left_out', 1);
    }
    notes.push(isHeard ? told : null);
  }
  options.onNotes?.(joinedNotes(notes));
}
