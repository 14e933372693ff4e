import { SAMPLE_RATE } from '../port.ts';

/** How far a track may run ahead of another one before that is taken to be silent; containers write tracks side by side. */
const AHEAD_SAMPLES_MAX = 2 * SAMPLE_RATE;
/** Longest piece of silence. */
const SILENCE_SAMPLES = SAMPLE_RATE;

/**
 * Puts the sound of several tracks where it belongs, at 16 kHz, and gives the sum of them from the start on, silence where there
 * is none. What comes too late for its place is given at the next one, so that nothing is lost.
 */
export class Timeline {
  /** The sum of what was not given yet, from `#first` on; 0 beyond. */
  #sum: Float32Array = new Float32Array(2 * AHEAD_SAMPLES_MAX);
  #first = 0;
  #given = 0;
  /** Where the sound of each track ends so far. */
  readonly #ends = new Map<number, number>();
  #end = 0;

  /** Samples from the start to the end of the last sound. */
  get end(): number {
    return this.#end;
  }

  /** Tells that there is a track, which is waited for. */
  open(track: number): void {
    this.#ends.set(track, Math.max(this.#ends.get(track) ?? 0, this.#given));
  }

  /** Adds sound of a track, and gives what no track can change any more. @param at sample that it begins with */
  *put(track: number, at: number, samples: Float32Array): Generator<Float32Array> {
    if (samples.length === 0) return;
    const start = Math.max(at, this.#ends.get(track) ?? 0, this.#given);
    this.#ends.set(track, start + samples.length);
    this.#end = Math.max(this.#end, start + samples.length);
    const ready = Math.max(Math.min(...this.#ends.values()), this.#end - AHEAD_SAMPLES_MAX);
    // A hole of hours is given before there is room for what comes after it.
    yield* this.#upTo(Math.min(start, ready));
    if (this.#ends.size === 1) {
      this.#given = this.#end;
      return yield samples;
    }
    this.#add(start - this.#given, samples);
    yield* this.#upTo(ready);
  }

  /** Gives the rest; what is put afterwards is of other tracks. */
  *rest(): Generator<Float32Array> {
    yield* this.#upTo(this.#end);
    this.#ends.clear();
  }

  #add(from: number, samples: Float32Array): void {
    if (this.#first + from + samples.length > this.#sum.length) {
      const held = this.#end - this.#given;
      const room = new Float32Array(2 * Math.max(AHEAD_SAMPLES_MAX, held));
      room.set(this.#sum.subarray(this.#first, this.#first + held));
      this.#sum = room;
      this.#first = 0;
    }
    // So that several voices are about as loud as one.
    const gain = 1 / Math.sqrt(this.#ends.size);
    const to = this.#sum.subarray(this.#first + from);
    for (let index = 0; index < samples.length; index += 1) to[index] = (to[index] ?? 0) + (samples[index] ?? 0) * gain;
  }

  *#upTo(end: number): Generator<Float32Array> {
    while (this.#given < end) {
      const length = Math.min(end - this.#given, SILENCE_SAMPLES);
      const piece = new Float32Array(length);
      piece.set(this.#sum.subarray(this.#first, this.#first + length));
      this.#first += length;
      this.#given += length;
      yield piece;
    }
  }
}
