/** Rules for a hypothesis: the pieces decoded from speech that still goes on. */
import type { Piece } from './recognizer.ts';

/** A word that ends this close to the end of the audio may still change. */
const GUARD_MS = 350;
/** Older speech becomes final even if two hypotheses disagree. */
const MAX_NON_FINAL_MS = 4000;
/** A word with less confidence waits for more context (the next constant), which often corrects it. */
const DOUBTFUL = 0.6;
const DOUBTFUL_GUARD_MS = 1500;
/** A last word with less confidence is not shown yet. */
const SHOWN_MIN = 0.5;

const startsWord = (piece: Piece | undefined): boolean => piece?.text.startsWith(' ') ?? false;
const sameIds = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((id, index) => id === b[index]);

/**
 * How many pieces of `current` can become final: whole words that two hypotheses in a row agree on (local agreement).
 * The next word must be agreed, too, so that a full stop is not final before its sentence has really ended. A doubtful
 * word keeps itself and all later words non-final a while longer.
 */
export function agreedPieces(current: readonly Piece[], previous: readonly Piece[], nowMs: number): number {
  let agreed = 0;
  while (agreed < current.length && sameIds(current[agreed]?.ids ?? [], previous[agreed]?.ids ?? [])) agreed += 1;
  let count = 0;
  let doubtful = false;
  for (let index = 1; index < current.length; index += 1) {
    const before = current[index - 1];
    const end = before?.endMs ?? Infinity;
    doubtful ||= (before?.confidence ?? 0) < DOUBTFUL && end > nowMs - DOUBTFUL_GUARD_MS;
    if (!startsWord(current[index])) continue;
    const settled = !doubtful && index < agreed && end <= nowMs - GUARD_MS;
    if (settled || end <= nowMs - MAX_NON_FINAL_MS) count = index;
  }
  return count;
}

/**
 * The pieces of a hypothesis that can become final on demand. Leaves out punctuation at the end, because it depends on
 * the next words.
 * @param speech null if it pauses. If it goes on: when the client asked, and the end of the audio. Then the words that
 * began later are left out, and those that may still change.
 */
export function finalOnDemand(pieces: readonly Piece[], speech: { askedMs: number; nowMs: number } | null): Piece[] {
  const said = [...pieces];
  while (speech !== null && said.length > 0) {
    const word = Math.max(0, said.findLastIndex(startsWord));
    const isWhole = said.every(
      ({ endMs, confidence }) => endMs <= speech.nowMs - (confidence < DOUBTFUL ? DOUBTFUL_GUARD_MS : GUARD_MS),
    );
    if (isWhole && (said[word]?.startMs ?? 0) < speech.askedMs) break;
    said.length = word;
  }
  while (/^\s*[.,?!;:]+$/.test(said.at(-1)?.text ?? '')) said.pop();
  return said;
}

/** The pieces of a hypothesis to show as non-final: no trailing punctuation, and no last word that is only a guess. */
export function presentable(pieces: readonly Piece[]): Piece[] {
  const shown = [...pieces];
  while (/^\s*[.,!?;:]+$/.test(shown.at(-1)?.text ?? '')) shown.pop();
  const word = shown.findLastIndex(startsWord);
  if (word >= 0 && Math.min(...shown.slice(word).map((piece) => piece.confidence)) < SHOWN_MIN) shown.length = word;
  return shown;
}

/** Boundaries between words: the index of the second word's first piece, and the time between the two words. */
export function wordBoundaries(pieces: readonly Piece[]): { index: number; ms: number; punctuated: boolean }[] {
  const boundaries: { index: number; ms: number; punctuated: boolean }[] = [];
  for (let index = 1; index <= pieces.length; index += 1) {
    const before = pieces[index - 1];
    const after = pieces[index];
    if (before === undefined || (after !== undefined && !startsWord(after))) continue;
    boundaries.push({
      index,
      ms: after === undefined ? before.endMs : (before.endMs + after.startMs) / 2,
      punctuated: /[.,?!;:]$/.test(before.text),
    });
  }
  return boundaries;
}
