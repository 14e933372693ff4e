/** Zero crossings of the sinc on each side, at the lower rate. */
const ZERO_CROSSINGS = 16;
/** Pass band as a part of the lower Nyquist frequency. */
const ROLL_OFF = 0.94;
const KAISER_BETA = 9;
/**
 * The largest number of filter phases for each sample of the lower rate; ratios that need more use the nearest phase.
 */
const MAX_PHASES = 1024;

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

/** Modified Bessel function of order zero, the Kaiser window's building block. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; k < 40; k += 1) {
    term *= (x / 2 / k) ** 2;
    sum += term;
  }
  return sum;
}

/** Cached filter banks by their parameters: joined recordings need the same ones again and again. */
const banks = new Map<string, Float32Array[]>();
const BANKS_MAX = 16;

function bankOf(phases: number, half: number, cutoff: number): Float32Array[] {
  const key = `${phases} ${half} ${cutoff}`;
  const bank = banks.get(key) ?? filterBank(phases, half, cutoff);
  if (banks.size >= BANKS_MAX) banks.clear();
  banks.set(key, bank);
  return bank;
}

/** One set of filter taps per sub-sample position. */
function filterBank(phases: number, half: number, cutoff: number): Float32Array[] {
  const normal = bessel(KAISER_BETA);
  return Array.from({ length: phases }, (_, phase) => {
    const taps = new Float32Array(2 * half);
    let sum = 0;
    for (let k = 0; k < taps.length; k += 1) {
      const t = k - half + 1 - phase / phases;
      const window = bessel(KAISER_BETA * Math.sqrt(Math.max(0, 1 - (t / half) ** 2))) / normal;
      const value = (t === 0 ? cutoff : Math.sin(Math.PI * cutoff * t) / (Math.PI * t)) * window;
      taps[k] = value;
      sum += value;
    }
    return taps.map((tap) => tap / sum);
  });
}

/**
 * Streaming polyphase resampler (Kaiser-windowed sinc), any rate to any rate in Hz. Zero delay: output n lies at input
 * time n·from/to. The output does not depend on how the input is cut into pieces.
 */
export class Resampler {
  readonly #up: number;
  readonly #down: number;
  readonly #half: number;
  readonly #bank: Float32Array[];
  #history: Float32Array;
  #phase = 0;

  constructor(from: number, to: number) {
    const divisor = gcd(from, to);
    this.#up = to / divisor;
    this.#down = from / divisor;
    const ratio = Math.min(1, to / from);
    this.#half = Math.ceil(ZERO_CROSSINGS / ratio);
    this.#bank =
      from === to ? [] : bankOf(Math.min(this.#up, Math.ceil(MAX_PHASES * ratio)), this.#half, ratio * ROLL_OFF);
    this.#history = new Float32Array(this.#half - 1);
  }

  push(samples: Float32Array): Float32Array {
    return this.#bank.length === 0 ? samples : this.#filter(samples, 0);
  }

  /** Returns the last samples. Do not push any more afterwards. */
  flush(): Float32Array {
    return this.#bank.length === 0 ? new Float32Array(0) : this.#filter(new Float32Array(0), this.#half);
  }

  #filter(samples: Float32Array, padding: number): Float32Array {
    const input = new Float32Array(this.#history.length + samples.length + padding);
    input.set(this.#history);
    input.set(samples, this.#history.length);
    const width = 2 * this.#half;
    const output = new Float32Array(Math.ceil(((input.length + 1) * this.#up) / this.#down) + 1);
    let length = 0;
    let position = 0;
    while (position + width <= input.length) {
      const taps = this.#bank[Math.floor((this.#phase * this.#bank.length) / this.#up)] ?? new Float32Array(width);
      let sum = 0;
      for (let k = 0; k < width; k += 1) sum += (input[position + k] ?? 0) * (taps[k] ?? 0);
      output[length] = sum;
      length += 1;
      this.#phase += this.#down;
      while (this.#phase >= this.#up) {
        this.#phase -= this.#up;
        position += 1;
      }
    }
    this.#history = input.slice(position);
    return output.slice(0, length);
  }
}
