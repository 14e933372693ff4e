import { Mixer } from '../mixer.ts';
import { SAMPLE_RATE } from '../port.ts';

/** A track counts as silent once another one is this many seconds ahead. Containers write tracks interleaved. */
export const AHEAD_SECONDS = { file: 30, live: 2 } as const;
/** First size of a track's buffer. */
const ROOM_SAMPLES = SAMPLE_RATE;
/** Longest piece yielded at once. */
const SILENCE_SAMPLES = SAMPLE_RATE;

/**
 * Aligns the 16 kHz sound of several tracks and yields their mix from the start on, with silence in the holes. Sound
 * that comes too late for its position moves to the next free one, so that none is lost.
 */
export class Timeline {
  readonly #tracks = new Map<number, TrackBuffer>();
  /** Position up to which the mix was yielded. */
  #yieldedTo = 0;
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

  /**
   * Seconds during which tracks cancelled each other, so that the louder one was used. Starts at 0 after each `rest()`.
   */
  get cancelledSeconds(): number {
    return this.#mixer.cancelledSeconds;
  }

  /** Announces a track; the mix waits for its sound. */
  open(track: number): void {
    if (this.#tracks.size === 0) this.#mixer = new Mixer(SAMPLE_RATE);
    if (!this.#tracks.has(track)) this.#tracks.set(track, new TrackBuffer(this.#yieldedTo));
    // Makes several voices about as loud as one.
    this.#mixer.divisor = Math.sqrt(this.#tracks.size);
  }

  /**
   * Adds sound of a track; yields the mix up to where no track can change it any more.
   * @param at its first sample's position
   */
  *put(track: number, at: number, samples: Float32Array): Generator<Float32Array> {
    const buffer = this.#tracks.get(track);
    if (samples.length === 0 || buffer === undefined) return;
    const start = Math.max(at, buffer.end, this.#yieldedTo);
    this.#end = Math.max(this.#end, start + samples.length);
    const ends = Array.from(this.#tracks.values(), (other) => (other === buffer ? start + samples.length : other.end));
    const ready = Math.max(Math.min(...ends), this.#end - this.#aheadMax);
    // Yield a long hole before buffering the sound behind it.
    yield* this.#upTo(Math.min(start, ready));
    if (this.#tracks.size === 1) {
      buffer.end = this.#end;
      this.#yieldedTo = this.#end;
      return yield samples;
    }
    buffer.put(start, samples, this.#yieldedTo);
    yield* this.#upTo(ready);
  }

  /** Yields the rest and closes all tracks. */
  *rest(): Generator<Float32Array> {
    yield* this.#upTo(this.#end);
    this.#tracks.clear();
  }

  *#upTo(end: number): Generator<Float32Array> {
    const tracks = [...this.#tracks.values()];
    while (this.#yieldedTo < end) {
      const length = Math.min(end - this.#yieldedTo, SILENCE_SAMPLES);
      const sounds = tracks.map((track) => track.take(this.#yieldedTo, length));
      this.#yieldedTo += length;
      yield this.#mixer.mix(sounds);
    }
  }
}

/** The buffered sound of one track. Positions are in samples from the start of the timeline. */
class TrackBuffer {
  /** Where its sound ends so far. */
  end: number;
  /** The samples from position `#from` on, 0 in holes. */
  #samples = new Float32Array(0);
  #from = 0;

  constructor(start: number) {
    this.end = start;
  }

  /** Adds samples at `start`. @param takenTo the position up to which sound was taken */
  put(start: number, samples: Float32Array, takenTo: number): void {
    const length = start + samples.length - takenTo;
    if (start + samples.length - this.#from > this.#samples.length) {
      const room = new Float32Array(2 * Math.max(ROOM_SAMPLES, length));
      if (this.end > takenTo) room.set(this.#samples.subarray(takenTo - this.#from, this.end - this.#from));
      this.#samples = room;
      this.#from = takenTo;
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
