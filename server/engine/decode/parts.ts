import { FFMPEG_MAX, PART_ERRORS } from './codec.ts';
import { joinedNotes, withMore } from './notes.ts';
import type { RecordingOptions } from './thread.ts';
import { EngineError } from '../port.ts';
import type { RecordingNote } from '../port.ts';

/** Decodes one of several joined recordings; yields 16 kHz mono. */
export type DecodePart = (options: RecordingOptions) => AsyncIterable<Float32Array>;

/**
 * Decodes joined recordings one after the other, each with its own decoder, and merges their notes. Counts a part that
 * is null, or gives no sound, as left out.
 * @throws any error of the first part; of later parts all but {@link PART_ERRORS}
 */
export async function* decodeParts(
  parts: Iterable<DecodePart | null> | AsyncIterable<DecodePart | null>,
  options: RecordingOptions,
): AsyncGenerator<Float32Array> {
  const notes: (readonly RecordingNote[] | null)[] = [];
  const budget = options.budget ?? { processes: FFMPEG_MAX };
  for await (const decode of parts) {
    if (budget.processes <= 0) {
      notes.push(null);
      break;
    }
    budget.processes -= 1;
    let partNotes: readonly RecordingNote[] = [];
    let isHeard = false;
    try {
      if (decode !== null)
        for await (const piece of decode({ ...options, budget, onNotes: (all) => void (partNotes = all) })) {
          isHeard = true;
          yield piece;
        }
    } catch (error) {
      if (notes.length === 0 || !(error instanceof EngineError) || !PART_ERRORS.has(error.code)) throw error;
      if (isHeard) partNotes = withMore(partNotes, 'parts_left_out', 1);
    }
    notes.push(isHeard ? partNotes : null);
  }
  options.onNotes?.(joinedNotes(notes));
}
