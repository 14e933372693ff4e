import type { Piece } from './recognizer.ts';
import { toSamples } from './speech-track.ts';
import { meanConfidence } from './token-writer.ts';

/** Mean probability from which the first result is taken. */
const SURE = 0.9;
/**
 * A second result with a smaller share of the first one's words has lost some, however sure it is. Counts words,
 * because badly understood speech has many pieces.
 */
const COMPLETE = 0.75;
/**
 * Samples of silence cut off at both ends for the second try. Doubtful speech comes out differently with other margins.
 */
const TRIM = toSamples(100);

const wordCount = (pieces: readonly Piece[]): number => pieces.filter(({ text }) => text.startsWith(' ')).length;

/** Decodes speech; if the result is unsure, once more with less silence around it. Returns the surer result. */
export async function withSecondChance(decode: (trim: number) => Promise<Piece[]>): Promise<Piece[]> {
  const first = await decode(0);
  const sureness = meanConfidence(first);
  if (first.length === 0 || sureness >= SURE) return first;
  const second = await decode(TRIM);
  return wordCount(second) >= wordCount(first) * COMPLETE && meanConfidence(second) > sureness ? second : first;
}
