import type { PlaceAt } from '../../behaviours/followPlayback.ts';
import type { Paragraph } from './paragraphs.ts';

/** Start of a word in milliseconds; undefined for translations, which are said nowhere. */
export const startOf = ({ words }: Paragraph, index: number): number | undefined => words[index]?.tokens.find(({ start_ms: start }) => start !== undefined)?.start_ms;

/** Finds what is said at a moment: the last word that has begun. Rows without times are passed over. */
export function createPlaceAt(paragraphs: readonly Paragraph[]): PlaceAt {
  const rows = paragraphs.flatMap((paragraph, row) => {
    const startMs = startOf(paragraph, 0);
    return startMs === undefined ? [] : [{ row, startMs, paragraph }];
  });
  return (positionMs) => {
    const found = rows[lastAtMost(rows.length, (index) => rows[index]?.startMs ?? Infinity, positionMs)];
    if (!found) return undefined;
    const { paragraph, row } = found;
    const starts = paragraph.words.flatMap((_, index) => startOf(paragraph, index) ?? []);
    const startMs = starts[lastAtMost(starts.length, (index) => starts[index] ?? Infinity, positionMs)];
    return startMs === undefined ? undefined : { startMs, row };
  };
}

/** Index of the last of `length` rising values that is at most `limit`; -1 where none is. */
function lastAtMost(length: number, valueAt: (index: number) => number, limit: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (valueAt(middle) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
