import type { Piece } from './recognizer.ts';
import { finalOnDemand } from './hypothesis.ts';
import { toSamples } from './speech-track.ts';

/** A segment that begins within this time after the last one continues from its last words. */
const WITHIN = toSamples(1500);
/** How much audio of the carried words is kept. */
const LENGTH = toSamples(3000);
/** How much audio before the first of them is kept. */
const LEAD = toSamples(120);
/** Punctuation at least this probable ends a sentence: no words are carried over. */
const SURE_STOP = 0.75;
/** Punctuation less probable than this is often only a pause. */
const DOUBTFUL_STOP = 0.7;
const STOP = /^\s*[.,?!;:]+$/;

/** Final words, and where their audio begins (samples from the start of the recording). */
export interface CarriedWords {
  start: number;
  pieces: Piece[];
}

/**
 * Carries the last words of a segment over to the next one. Without them, a pause inside a sentence would make the
 * recognizer begin a new sentence, with other words.
 */
export class Carry {
  #kept: (CarriedWords & { end: number }) | null = null;

  /** Where the audio of the carried words begins; Infinity if there are none. */
  get start(): number {
    return this.#kept?.start ?? Infinity;
  }

  /**
   * Keeps the last words of a segment that ends at `end`, unless they end a sentence. Drops doubtful punctuation: the
   * next words decide whether there is any.
   */
  keep(pieces: readonly Piece[], end: number): void {
    const { text: last = '', confidence = 0 } = pieces.at(-1) ?? {};
    const first = pieces.findIndex(({ text, startMs }) => text.startsWith(' ') && toSamples(startMs) >= end - LENGTH);
    const goesOn = first >= 0 && !(STOP.test(last) && confidence >= SURE_STOP);
    const kept = !goesOn
      ? []
      : confidence < DOUBTFUL_STOP
        ? finalOnDemand(pieces.slice(first), null)
        : pieces.slice(first);
    const [piece] = kept;
    this.#kept =
      piece === undefined
        ? null
        : { start: Math.max(0, Math.floor(toSamples(piece.startMs)) - LEAD), pieces: kept, end };
  }

  /** Takes the words that speech from `onset` on continues; null if there are none, or if they end too long before. */
  take(onset: number): CarriedWords | null {
    const kept = this.#kept;
    this.#kept = null;
    return kept !== null && onset - kept.end <= WITHIN ? kept : null;
  }

  /** Drops the words if no speech from `position` on can continue them. */
  forget(position: number): void {
    if (this.#kept !== null && position - this.#kept.end > WITHIN) this.#kept = null;
  }
}

/** Removes punctuation at the start: it belongs to the carried words, which are final already. */
export function withoutLeadingStop(pieces: readonly Piece[]): readonly Piece[] {
  const first = pieces.findIndex(({ text }) => !STOP.test(text));
  return first < 0 ? [] : pieces.slice(first);
}
