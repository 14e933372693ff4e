import type { Piece } from './recognizer.ts';
import { toSamples } from './speech-track.ts';
import { meanConfidence } from './token-writer.ts';

/** Mean probability from which a first result stands. */
const SURE = 0.9;
/** A second result with fewer words than this part of the first has lost some, however sure it is. Pieces do not tell: what is not understood falls into many. */
const COMPLETE = 0.75;
/** Silence taken off for the second time. The recognizer's answer to doubtful speech hangs on how it is framed. */
const TRIM = toSamples(100);

const wordCount = (pieces: readonly Piece[]): number => pieces.filter(({ text }) => text.startsWith(' ')).length;

/** Decodes speech, and once more with less silence around it when it was not understood well; the surer result is taken. */
export async function withSecondChance(decode: (trim: number) => Promise<Piece[]>): Promise<Piece[]> {
  const first = await decode(0);
  const sureness = meanConfidence(first);
  if (first.length === 0 || sureness >= SURE) return first;
  const second = await decode(TRIM);
  return wordCount(second) >= wordCount(first) * COMPLETE && meanConfidence(second) > sureness ? second : first;
}
