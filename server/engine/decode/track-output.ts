import type { PlacedBlock } from './codec.ts';
import type { Timeline } from './timeline.ts';
import { Mixer } from '../mixer.ts';
import { SAMPLE_RATE } from '../port.ts';
import { Resampler } from '../resample.ts';

/** Time stamps of recorders tremble by less, seconds. */
const TREMBLE = 0.1;
/** No recording has a longer hole, seconds: a larger jump is damage. */
const HOLE_MAX = 3 * 3600;
/** A time stamp so far behind, seconds, counts anew from there; a smaller step back is an overlap, and follows on. */
const RESTART = 2;

/** One track of one part: mixes its channels, resamples, and puts it on the timeline where its time stamps say. */
export class TrackOutput {
  readonly #track: number;
  readonly #timeline: Timeline;
  /** Samples of the timeline before the part. */
  readonly #base: number;
  #resampler: Resampler | undefined;
  #mixer = new Mixer(SAMPLE_RATE);
  #rate = 0;
  /** Samples put so far and left out as holes, from the base on; seconds taken in likewise. */
  #samples = 0;
  #seconds = 0;
  /** What is to be added to a time stamp. */
  #shift = 0;

  constructor(track: number, timeline: Timeline, base: number) {
    this.#track = track;
    this.#timeline = timeline;
    this.#base = base;
  }

  /** The rate may change inside a file that was joined from others. */
  *add({ channelData, sampleRate, at }: PlacedBlock): Generator<Float32Array> {
    if (at !== undefined) yield* this.#goTo(at);
    if (this.#resampler === undefined || this.#rate !== sampleRate) {
      yield* this.end();
      this.#resampler = new Resampler(sampleRate, SAMPLE_RATE);
      this.#mixer = new Mixer(sampleRate);
      this.#rate = sampleRate;
    }
    this.#seconds += (channelData[0]?.length ?? 0) / sampleRate;
    yield* this.#put(this.#resampler.push(this.#mixer.mix(channelData)));
  }

  /** Gives what the resampler still holds. */
  *end(): Generator<Float32Array> {
    const rest = this.#resampler?.flush();
    this.#resampler = undefined;
    if (rest !== undefined) yield* this.#put(rest);
  }

  *#goTo(at: number): Generator<Float32Array> {
    const hole = at + this.#shift - this.#seconds;
    if (hole > HOLE_MAX || hole < -RESTART) this.#shift -= hole;
    else if (hole > TREMBLE) {
      yield* this.end();
      this.#seconds += hole;
      this.#samples = Math.round(this.#seconds * SAMPLE_RATE);
    }
  }

  *#put(samples: Float32Array): Generator<Float32Array> {
    yield* this.#timeline.put(this.#track, this.#base + this.#samples, samples);
    this.#samples += samples.length;
  }
}
