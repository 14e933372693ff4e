/** Decides once for each stretch of this length; a change of source fades over one stretch. */
const STRETCH_SECONDS = 0.01;
/** Weight of the earlier stretches' power at each new one: the mean covers about a tenth of a second. */
const KEPT = 0.9;
/**
 * Bounds of the ratio between the power of the channels' sum and the sum of their powers: 1 for unrelated channels, 0
 * for channels that cancel each other. Below the first the mixer switches to one channel, above the second back to the
 * mean.
 */
const CANCELLED = 0.2;
const WHOLE = 0.5;
/**
 * Below this ratio, in a stretch as loud as the earlier ones, a channel has just inverted: ignore the earlier
 * stretches.
 */
const TURNED_OVER = 0.05;
/** Another channel replaces the one in use if it has so many times its power. */
const LOUDER = 4;
/** Keeps the source below this mean power of a stretch: -80 dB. */
const AUDIBLE = 1e-8;

const MEAN = -1;

/**
 * Mixes channels to mono: their sum divided by {@link divisor} or, while they cancel each other (one is the inverse of
 * the other), the louder channel. A change fades within 10 ms. The output does not depend on how the input is cut. A
 * single channel is returned unchanged.
 */
export class Mixer {
  readonly #stretch: number;
  /** Weighted power of each channel, then of their sum, over the earlier stretches. */
  #powers = new Float64Array(0);
  /** Weighted powers, like `#powers`, in the current stretch. */
  #fresh = new Float64Array(0);
  #frame = 0;
  /** The fade's two sources: the number of a channel, or MEAN. */
  #from = MEAN;
  #to = MEAN;
  #cancelled = 0;
  /** Divides the sum of the channels; null stands for their number. */
  divisor: number | null = null;

  /** @param sampleRate Hz */
  constructor(sampleRate: number) {
    this.#stretch = Math.max(1, Math.round(sampleRate * STRETCH_SECONDS));
  }

  /** Seconds so far during which the louder channel replaced the mean. */
  get cancelledSeconds(): number {
    return this.#cancelled * STRETCH_SECONDS;
  }

  /** @param channels of equal length; if their number changes, the mixer starts anew */
  mix(channels: readonly Float32Array[]): Float32Array {
    const [first = new Float32Array(0), ...others] = channels;
    if (others.length === 0) return first;
    if (this.#powers.length !== channels.length + 1) this.#begin(channels.length);
    const mono = new Float32Array(first.length);
    const divisor = this.divisor ?? channels.length;
    for (let index = 0; index < mono.length; index += 1) {
      let sum = first[index] ?? 0;
      this.#hear(0, sum);
      for (let other = 0; other < others.length; other += 1) {
        const sample = others[other]?.[index] ?? 0;
        this.#hear(other + 1, sample);
        sum += sample;
      }
      this.#hear(channels.length, sum);
      const mean = sum / divisor;
      mono[index] = this.#from === MEAN && this.#to === MEAN ? mean : this.#faded(mean, channels, index);
      this.#frame += 1;
      if (this.#frame === this.#stretch) this.#decide();
    }
    return mono;
  }

  #hear(index: number, sample: number): void {
    this.#fresh[index] = (this.#fresh[index] ?? 0) + sample * sample;
  }

  #begin(channels: number): void {
    this.#powers = new Float64Array(channels + 1);
    this.#fresh = new Float64Array(channels + 1);
    this.#frame = 0;
    this.#from = MEAN;
    this.#to = MEAN;
  }

  #faded(mean: number, channels: readonly Float32Array[], index: number): number {
    const from = channels[this.#from]?.[index] ?? mean;
    const to = channels[this.#to]?.[index] ?? mean;
    return from + ((to - from) * (this.#frame + 1)) / this.#stretch;
  }

  /** Decides at the end of a stretch what the next one fades to. */
  #decide(): void {
    const kept = this.#hasTurnedOver() ? 0 : KEPT;
    const powers = this.#powers.map((power, index) => power * kept + (this.#fresh[index] ?? 0));
    // Damaged audio can hold NaN.
    const isSound = powers.every(Number.isFinite);
    this.#powers = isSound ? powers : new Float64Array(powers.length);
    this.#fresh.fill(0);
    this.#frame = 0;
    this.#from = this.#to;
    const { total, together } = sumsOf(powers);
    if (!isSound || total < AUDIBLE * this.#stretch) return;
    const isCancelled = together < (this.#to === MEAN ? CANCELLED : WHOLE) * total;
    this.#to = isCancelled ? this.#louder(powers.subarray(0, -1)) : MEAN;
    if (isCancelled) this.#cancelled += 1;
  }

  #hasTurnedOver(): boolean {
    const [fresh, before] = [sumsOf(this.#fresh), sumsOf(this.#powers)];
    return fresh.together < TURNED_OVER * fresh.total && fresh.total > (1 - KEPT) * before.total;
  }

  /** The channel in use, unless another one is clearly louder. */
  #louder(powers: Float64Array): number {
    const most = Math.max(...powers);
    const taken = powers[this.#to];
    return taken === undefined || most > LOUDER * taken ? powers.indexOf(most) : this.#to;
  }
}

/** The sum of the channels' powers (`total`), and the power of their sum (`together`). */
const sumsOf = (powers: Float64Array): { total: number; together: number } => ({
  total: powers.subarray(0, -1).reduce((sum, power) => sum + power, 0),
  together: powers.at(-1) ?? 0,
});
