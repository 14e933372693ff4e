import type { PlacedBlock } from './codec.ts';
import type { Timeline } from './timeline.ts';
import { Mixer } from '../mixer.ts';
import { SAMPLE_RATE } from '../port.ts';
import { Resampler } from '../resample.ts';

/** Largest jitter of a recorder's time stamps, seconds. A smaller hole is ignored. */
const TREMBLE = 0.1;
/** Longest hole in a recording, seconds. A larger leap is damage. */
const HOLE_MAX = 3600;
/** A leap of more seconds counts as a hole only if the next time stamp confirms it. */
const LEAP = 0.3;
/** Longest hole before the very last sound, seconds. A longer one is damage: nobody records hours to say a syllable. */
const LAST_HOLE_MAX = 60;
/**
 * A time stamp that steps back by more seconds restarts the clock. A smaller step is an overlap: the sound follows on.
 */
export const RESTART = 2;

/** How much sound may wait for the next time stamp, seconds. */
const LEAP_SECONDS_MAX = 10;
/** The largest number of samples, of all channels, that may wait for it. */
const HELD_MAX = 1 << 20;

const secondsOf = ({ channelData, sampleRate }: PlacedBlock): number => (channelData[0]?.length ?? 0) / sampleRate;

/** Maps the time stamps of one part to its timeline; all its tracks share it. */
export class Clock {
  /** The sample of the timeline at which the part begins. */
  readonly base: number;
  /** Seconds to add to a time stamp, now and before the last restart. */
  shift = 0;
  #before = 0;

  constructor(base: number) {
    this.base = base;
  }

  /** Maps the time stamp `at` to the part's second `seconds`, and later stamps accordingly. */
  restart(at: number, seconds: number): void {
    this.#before = this.shift;
    this.shift = seconds - at;
  }

  /** Undoes the last restart if the stamp `at` then falls near the part's second `seconds`: the restart was damage. */
  goBack(at: number, seconds: number): void {
    if (Math.abs(at + this.#before - seconds) <= RESTART) this.shift = this.#before;
  }
}

/** One track of one part: mixes its channels, resamples, and puts the sound on the timeline by its time stamps. */
export class TrackOutput {
  readonly #track: number;
  readonly #timeline: Timeline;
  readonly #clock: Clock;
  #resampler: Resampler | undefined;
  #mixer = new Mixer(SAMPLE_RATE);
  #rate = 0;
  /** Position behind the sound and holes so far, from the clock's base: 16 kHz samples given, seconds taken in. */
  #samples = 0;
  #seconds = 0;
  /** Blocks held from a leap on, until the next time stamp tells whether it is a hole or damage. */
  #leap: PlacedBlock[] = [];
  /** Seconds held, and samples of all channels. */
  #waiting = 0;
  #held = 0;
  /** The most channels of a block; and the seconds during which channels cancelled, so that the louder one was used. */
  channels = 1;
  cancelledSeconds = 0;

  constructor(track: number, timeline: Timeline, clock: Clock) {
    this.#track = track;
    this.#timeline = timeline;
    this.#clock = clock;
    timeline.open(track);
  }

  /** Adds a block; yields finished audio. Its sample rate may differ from the last block's. */
  *add(block: PlacedBlock): Generator<Float32Array> {
    const { at } = block;
    const canWait = this.#waiting < LEAP_SECONDS_MAX && this.#held < HELD_MAX;
    if (this.#leap.length > 0 && at === undefined && canWait) return this.#hold(block);
    yield* this.#land(at === undefined || 2 * (this.#ahead(at) - this.#waiting) > this.#leapSeconds);
    const ahead = this.#ahead(at ?? 0);
    if (at !== undefined && ahead > LEAP && ahead <= HOLE_MAX) this.#hold(block);
    else yield* this.#place(block);
  }

  /** Seconds by which a time stamp is later than the end of the sound so far. */
  #ahead(at: number): number {
    return at + this.#clock.shift - this.#seconds;
  }

  #hold(block: PlacedBlock): void {
    this.#leap.push(block);
    this.#waiting += secondsOf(block);
    this.#held += block.channelData.reduce((sum, { length }) => sum + length, 0);
  }

  get #leapSeconds(): number {
    return this.#ahead(this.#leap[0]?.at ?? 0);
  }

  /**
   * Puts the held blocks on the timeline: at their time stamps if these mark a hole, else right behind the last sound.
   */
  *#land(isHole: boolean): Generator<Float32Array> {
    const blocks = this.#leap;
    this.#leap = [];
    this.#waiting = 0;
    this.#held = 0;
    for (const { at, ...sound } of blocks) yield* this.#place(isHole && at !== undefined ? { ...sound, at } : sound);
  }

  *#place({ channelData, sampleRate, at }: PlacedBlock): Generator<Float32Array> {
    const frames = channelData[0]?.length ?? 0;
    // Drop sound that ends before the recording starts.
    if (at !== undefined && at < -TREMBLE && at + frames / sampleRate <= 0 && this.#seconds === 0) return;
    if (at !== undefined) yield* this.#goTo(at);
    if (this.#resampler === undefined || this.#rate !== sampleRate) {
      yield* this.#flush();
      this.#resampler = new Resampler(sampleRate, SAMPLE_RATE);
      this.#mixer = new Mixer(sampleRate);
      this.#rate = sampleRate;
    }
    this.channels = Math.max(this.channels, channelData.length);
    this.#seconds += frames / sampleRate;
    // A second at a time: resampling can make a block of a low rate many times as long.
    for (let from = 0; from < frames; from += sampleRate) {
      const second = channelData.map((channel) => channel.subarray(from, from + sampleRate));
      yield* this.#put(this.#resampler.push(this.#mixer.mix(second)));
    }
  }

  /** Yields the rest. */
  *end(): Generator<Float32Array> {
    yield* this.#land(this.#leapSeconds <= LAST_HOLE_MAX);
    yield* this.#flush();
  }

  *#flush(): Generator<Float32Array> {
    const rest = this.#resampler?.flush();
    this.#resampler = undefined;
    this.cancelledSeconds += this.#mixer.cancelledSeconds;
    this.#mixer = new Mixer(SAMPLE_RATE);
    if (rest !== undefined) yield* this.#put(rest);
  }

  *#goTo(at: number): Generator<Float32Array> {
    const clock = this.#clock;
    if (this.#ahead(at) > RESTART) clock.goBack(at, this.#seconds);
    const ahead = this.#ahead(at);
    if (ahead > HOLE_MAX || ahead < -RESTART)
      clock.restart(at, Math.max(this.#seconds, (this.#timeline.end - clock.base) / SAMPLE_RATE));
    const hole = this.#ahead(at);
    if (hole <= TREMBLE) return;
    yield* this.#flush();
    this.#seconds += hole;
    this.#samples = Math.round(this.#seconds * SAMPLE_RATE);
  }

  *#put(samples: Float32Array): Generator<Float32Array> {
    yield* this.#timeline.put(this.#track, this.#clock.base + this.#samples, samples);
    this.#samples += samples.length;
  }
}
