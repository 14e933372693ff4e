import { Mixer } from '../mixer.ts';
import { SAMPLE_RATE } from '../port.ts';

/** How far a track may run ahead of another one before that is taken to be silent, seconds; containers write tracks side by side. */
export const AHEAD_SECONDS = { file: 30, live: 2 } as const;
/** Room for sound that waits: it grows from there. */
const ROOM_SAMPLES = SAMPLE_RATE;
/** Longest piece of silence. */
const SILENCE_SAMPLES = SAMPLE_RATE;

/**
 * Puts the sound of several tracks where it belongs, at 16 kHz, and gives them mixed from the start on, silence where there is none.
 * What comes too late for its place is given at the next one, so that nothing is lost.
 */
export class Timeline {
  readonly #tracks = new Map<number, Held>();
  #given = 0;
  #end = 0;
  #mixer = new Mixer(SAMPLE_RATE);
  readonly #aheadMax: number;

  /** @param aheadSeconds one of {@link AHEAD_SECONDS} */
  constructor(aheadSeconds: number) {
    this.#aheadMax = aheadSeconds * SAMPLE_RATE;
  }

  /** Samples from the start to the end of the last sound. */
  get end(): number {
    return this.#end;
  }

  /** For how long the louder of tracks that cancel each other was taken; it begins anew with the first track after a rest. */
  get cancelledSeconds(): number {
    return this.#mixer.cancelledSeconds;
  }

  /** Tells that there is a track, which is waited for. */
  open(track: number): void {
    if (this.#tracks.size === 0) this.#mixer = new Mixer(SAMPLE_RATE);
    if (!this.#tracks.has(track)) this.#tracks.set(track, new Held(this.#given));
    // So that several voices are about as loud as one.
    this.#mixer.divisor = Math.sqrt(this.#tracks.size);
  }

  /** Adds sound of a track, and gives what no track can change any more. @param at sample that it begins with */
  *put(track: number, at: number, samples: Float32Array): Generator<Float32Array> {
    const held = this.#tracks.get(track);
    if (samples.length === 0 || held === undefined) return;
    const start = Math.max(at, held.end, this.#given);
    this.#end = Math.max(this.#end, start + samples.length);
    const ends = Array.from(this.#tracks.values(), (other) => (other === held ? start + samples.length : other.end));
    const ready = Math.max(Math.min(...ends), this.#end - this.#aheadMax);
    // A hole of hours is given before there is room for what comes after it.
    yield* this.#upTo(Math.min(start, ready));
    if (this.#tracks.size === 1) {
      held.end = this.#end;
      this.#given = this.#end;
      return yield samples;
    }
    held.put(start, samples, this.#given);
    yield* this.#upTo(ready);
  }

  /** Gives the rest; what is put afterwards is of other tracks. */
  *rest(): Generator<Float32Array> {
    yield* this.#upTo(this.#end);
    this.#tracks.clear();
  }

  *#upTo(end: number): Generator<Float32Array> {
    const tracks = [...this.#tracks.values()];
    while (this.#given < end) {
      const length = Math.min(end - this.#given, SILENCE_SAMPLES);
      const sounds = tracks.map((track) => track.take(this.#given, length));
      this.#given += length;
      yield this.#mixer.mix(sounds);
    }
  }
}

/** Sound of one track that was not given yet. */
class Held {
  /** Where its sound ends so far, in samples from the start. */
  end: number;
  /** From `#from` on; 0 where there is none. */
  #samples = new Float32Array(0);
  #from = 0;

  constructor(start: number) {
    this.end = start;
  }

  /** @param given up to where it was taken */
  put(start: number, samples: Float32Array, given: number): void {
    const length = start + samples.length - given;
    if (start + samples.length - this.#from > this.#samples.length) {
      const room = new Float32Array(2 * Math.max(ROOM_SAMPLES, length));
      if (this.end > given) room.set(this.#samples.subarray(given - this.#from, this.end - this.#from));
      this.#samples = room;
      this.#from = given;
    }
    this.#samples.set(samples, start - this.#from);
    this.end = start + samples.length;
  }

  take(start: number, length: number): Float32Array {
    const taken = new Float32Array(length);
    if (this.end > start)
      taken.set(this.#samples.subarray(start - this.#from, Math.min(start + length, this.end) - this.#from));
    return taken;
  }
}
