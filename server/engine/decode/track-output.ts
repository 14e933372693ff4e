import type { PlacedBlock } from './codec.ts';
import type { Timeline } from './timeline.ts';
import { Mixer } from '../mixer.ts';
import { SAMPLE_RATE } from '../port.ts';
import { Resampler } from '../resample.ts';

/** Time stamps of recorders tremble by less, seconds. */
const TREMBLE = 0.1;
/** No recording has a longer hole, seconds: a larger leap is damage. */
const HOLE_MAX = 3600;
/** What leaps by more, seconds, needs another time stamp that says so, too. */
const LEAP = 0.3;
/** A longer hole, seconds, before the very last sound is damage: nobody records hours to say a syllable. */
const LAST_HOLE_MAX = 60;
/** A time stamp so far behind, seconds, counts anew from there; a smaller step back is an overlap, and follows on. */
export const RESTART = 2;

/** So much sound, seconds, without another time stamp is not waited for. */
const LEAP_SECONDS_MAX = 10;
/** Nor more than so many samples of all channels. */
const HELD_MAX = 1 << 20;

const secondsOf = ({ channelData, sampleRate }: PlacedBlock): number => (channelData[0]?.length ?? 0) / sampleRate;

/** What the time stamps of all tracks of one part count from. */
export class Clock {
  /** Samples of the timeline before the part. */
  readonly base: number;
  /** Seconds to be added to a time stamp, and what they were before the stamps began anew. */
  shift = 0;
  #before = 0;

  constructor(base: number) {
    this.base = base;
  }

  /** Counts the stamps from another one on. @param at stamp @param seconds of the part at which it is heard */
  restart(at: number, seconds: number): void {
    this.#before = this.shift;
    this.shift = seconds - at;
  }

  /** After a stamp that was damaged the others are as they were. @param seconds of the part at which the stamp would follow on */
  goBack(at: number, seconds: number): void {
    if (Math.abs(at + this.#before - seconds) <= RESTART) this.shift = this.#before;
  }
}

/** One track of one part: mixes its channels, resamples, and puts it on the timeline where its time stamps say. */
export class TrackOutput {
  readonly #track: number;
  readonly #timeline: Timeline;
  readonly #clock: Clock;
  #resampler: Resampler | undefined;
  #mixer = new Mixer(SAMPLE_RATE);
  #rate = 0;
  /** Samples put so far and left out as holes, from the base on; seconds taken in likewise. */
  #samples = 0;
  #seconds = 0;
  /** Sound with a time stamp that leaps, which the next one tells to be a hole or damage; the others follow it. */
  #leap: PlacedBlock[] = [];
  /** Seconds of it, and samples of all channels. */
  #waiting = 0;
  #held = 0;
  /** The most channels it had, and for how long the louder of them was taken. */
  channels = 1;
  cancelledSeconds = 0;

  constructor(track: number, timeline: Timeline, clock: Clock) {
    this.#track = track;
    this.#timeline = timeline;
    this.#clock = clock;
    timeline.open(track);
  }

  /** The rate may change inside a file that was joined from others. */
  *add(block: PlacedBlock): Generator<Float32Array> {
    const { at } = block;
    const canWait = this.#waiting < LEAP_SECONDS_MAX && this.#held < HELD_MAX;
    if (this.#leap.length > 0 && at === undefined && canWait) return this.#hold(block);
    yield* this.#land(at === undefined || 2 * (this.#ahead(at) - this.#waiting) > this.#leapSeconds);
    const ahead = this.#ahead(at ?? 0);
    if (at !== undefined && ahead > LEAP && ahead <= HOLE_MAX) this.#hold(block);
    else yield* this.#place(block);
  }

  /** Seconds that a time stamp lies behind the sound so far. */
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

  /** Puts what waits for another time stamp to its place, or, if its own was damaged, behind what was before it. */
  *#land(isHole: boolean): Generator<Float32Array> {
    const blocks = this.#leap;
    this.#leap = [];
    this.#waiting = 0;
    this.#held = 0;
    for (const { at, ...sound } of blocks) yield* this.#place(isHole && at !== undefined ? { ...sound, at } : sound);
  }

  *#place({ channelData, sampleRate, at }: PlacedBlock): Generator<Float32Array> {
    const frames = channelData[0]?.length ?? 0;
    // What ends before the start is not played.
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
    // A second at a time: at a low rate, a block can become many times as long.
    for (let from = 0; from < frames; from += sampleRate) {
      const second = channelData.map((channel) => channel.subarray(from, from + sampleRate));
      yield* this.#put(this.#resampler.push(this.#mixer.mix(second)));
    }
  }

  /** Gives what is left. */
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
