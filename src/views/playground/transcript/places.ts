import type { PlaceAt } from '../../../behaviours/followPlayback.ts';
import type { Segment } from '#machines/playground/transcript/segments.ts';

/** Start of a word in milliseconds; undefined for translations, which nobody speaks. */
const startOf = ({ words }: Segment, index: number): number | undefined =>
  words[index]?.tokens.find(({ start_ms: start }) => start !== undefined)?.start_ms;

/** Finds the word spoken at a position: the last one that has begun. Skips segments without times. */
export function createSpokenWordAt(segments: readonly Segment[]): PlaceAt {
  const timed = segments.flatMap((segment, row) => {
    const startMs = startOf(segment, 0);
    return startMs === undefined ? [] : [{ row, startMs, segment }];
  });
  return (positionMs) => {
    const found = timed[lastAtMost(timed.length, (index) => timed[index]?.startMs ?? Infinity, positionMs)];
    if (!found) return undefined;
    const { segment, row } = found;
    const starts = segment.words.flatMap((_, index) => startOf(segment, index) ?? []);
    const startMs = starts[lastAtMost(starts.length, (index) => starts[index] ?? Infinity, positionMs)];
    return startMs === undefined ? undefined : { startMs, row };
  };
}

/** Binary search: index of the last of `length` ascending values that is at most `limit`; -1 if none is. */
function lastAtMost(length: number, valueAt: (index: number) => number, limit: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (valueAt(middle) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
