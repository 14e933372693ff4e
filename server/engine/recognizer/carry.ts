import type { Piece } from './recognizer.ts';
import { spokenOut } from './hypothesis.ts';
import { toSamples } from './speech-track.ts';

/** Speech that goes on within this time after a segment is heard with the last words of that one before it. */
const WITHIN = toSamples(1500);
/** So much of them at most, and the sound before the first. */
const LENGTH = toSamples(3000);
const LEAD = toSamples(120);
/** A stop that is this probable ends a sentence, and the next one begins afresh. */
const SURE_STOP = 0.75;
/** One less probable than this is often made of the pause alone. */
const DOUBTFUL_STOP = 0.7;
const STOP = /^\s*[.,?!;:]+$/;

/** Words that are known, and where the audio begins that has them. Positions in samples from the start of the recording. */
export interface Carried {
  start: number;
  pieces: Piece[];
}

/**
 * The last words of a segment, with which the next one begins again: a pause inside a sentence would make another sentence, and
 * other words, of what follows.
 */
export class Carry {
  #kept: (Carried & { end: number }) | null = null;

  /** Where the audio begins that may be asked for; Infinity for none. */
  get start(): number {
    return this.#kept?.start ?? Infinity;
  }

  /**
   * Keeps the last words of a segment that ends here, unless they end a sentence. A doubtful stop is not kept: whether there is
   * one, the next words say.
   */
  keep(pieces: readonly Piece[], end: number): void {
    const { text: last = '', confidence = 0 } = pieces.at(-1) ?? {};
    const first = pieces.findIndex(({ text, startMs }) => text.startsWith(' ') && toSamples(startMs) >= end - LENGTH);
    const goesOn = first >= 0 && !(STOP.test(last) && confidence >= SURE_STOP);
    const kept = !goesOn ? [] : confidence < DOUBTFUL_STOP ? spokenOut(pieces.slice(first), null) : pieces.slice(first);
    const [piece] = kept;
    this.#kept =
      piece === undefined
        ? null
        : { start: Math.max(0, Math.floor(toSamples(piece.startMs)) - LEAD), pieces: kept, end };
  }

  /** What the speech that begins here goes on from, once; null where it comes too late for that. */
  take(onset: number): Carried | null {
    const kept = this.#kept;
    this.#kept = null;
    return kept !== null && onset - kept.end <= WITHIN ? kept : null;
  }

  /** Lets go of what no speech from here on could go on from. */
  forget(position: number): void {
    if (this.#kept !== null && position - this.#kept.end > WITHIN) this.#kept = null;
  }
}

/** What is heard after carried words: a stop before anything is that of those words, which have been told. */
export function withoutStop(pieces: readonly Piece[]): readonly Piece[] {
  const first = pieces.findIndex(({ text }) => !STOP.test(text));
  return first < 0 ? [] : pieces.slice(first);
}
