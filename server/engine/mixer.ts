/** What is decided together: as long as a change fades. */
const STRETCH_SECONDS = 0.01;
/** Of the power of all stretches before, at each one: a tenth of a second counts. */
const KEPT = 0.9;
/**
 * Power of the sum of the channels, as a part of the sum of their powers: 1 where they have nothing in common, 0 where they cancel
 * each other. Between these two bounds, what is heard stays as it is.
 */
const CANCELLED = 0.2;
const WHOLE = 0.5;
/** Below this, in a stretch as loud as those before, a channel has just turned over: the stretches before do not count. */
const TURNED_OVER = 0.05;
/** How much more power than the channel that is taken another one must have to be taken in its place. */
const LOUDER = 4;
/** Mean power of a stretch below which nothing is decided: -80 dB. */
const AUDIBLE = 1e-8;

const MEAN = -1;

/**
 * Mixes channels to mono: their sum by {@link divisor}, or, while they cancel each other (one is the other upside down), the louder
 * one. A change fades within 10 ms. The output does not depend on how the input is cut; one channel is given back as it is.
 */
export class Mixer {
  readonly #stretch: number;
  /** Of each channel, then of their sum. */
  #powers = new Float64Array(0);
  /** The same of the stretch under way. */
  #fresh = new Float64Array(0);
  #frame = 0;
  /** Number of a channel, or MEAN. */
  #from = MEAN;
  #to = MEAN;
  #cancelled = 0;
  /** What the sum of the channels is divided by; null: their number. */
  divisor: number | null = null;

  /** @param sampleRate Hz */
  constructor(sampleRate: number) {
    this.#stretch = Math.max(1, Math.round(sampleRate * STRETCH_SECONDS));
  }

  /** For how long the louder channel was taken so far. */
  get cancelledSeconds(): number {
    return this.#cancelled * STRETCH_SECONDS;
  }

  /** @param channels of equal length; where their number is another than before, they begin anew */
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

  /** At the end of a stretch: what the next one fades to. */
  #decide(): void {
    const kept = this.#hasTurnedOver() ? 0 : KEPT;
    const powers = this.#powers.map((power, index) => power * kept + (this.#fresh[index] ?? 0));
    // Damaged audio can hold no numbers.
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

  /** The loudest channel, or the one that is taken, if it is hardly less loud. */
  #louder(powers: Float64Array): number {
    const most = Math.max(...powers);
    const taken = powers[this.#to];
    return taken === undefined || most > LOUDER * taken ? powers.indexOf(most) : this.#to;
  }
}

/** The powers of all channels together, and that of their sum. */
const sumsOf = (powers: Float64Array): { total: number; together: number } => ({
  total: powers.subarray(0, -1).reduce((sum, power) => sum + power, 0),
  together: powers.at(-1) ?? 0,
});
