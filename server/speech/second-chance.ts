import type { Piece } from './recognizer.ts';
import { toSamples } from './speech-track.ts';
import { meanConfidence } from './token-writer.ts';

/** Mean probability from which a first result stands. */
const SURE = 0.9;
/** A second result with fewer pieces than this part of the first has lost words, however sure it is. */
const COMPLETE = 0.75;
/** Silence taken off for the second time. The recognizer's answer to doubtful speech hangs on how it is framed. */
const TRIM = toSamples(100);

/** Decodes speech, and once more with less silence around it when it was not understood well; the surer result is taken. */
export async function withSecondChance(decode: (trim: number) => Promise<Piece[]>): Promise<Piece[]> {
  const first = await decode(0);
  const sureness = meanConfidence(first);
  if (first.length === 0 || sureness >= SURE) return first;
  const second = await decode(TRIM);
  return second.length >= first.length * COMPLETE && meanConfidence(second) > sureness ? second : first;
}
