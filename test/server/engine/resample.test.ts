import { describe, expect, it } from 'vitest';
import { Resampler } from '#server/engine/resample.ts';

const sine = (hertz: number, rate: number, seconds: number): Float32Array =>
  new Float32Array(Math.round(rate * seconds)).map((_, index) => Math.sin((2 * Math.PI * hertz * index) / rate));

function resample(samples: Float32Array, from: number, to: number, piece = samples.length): Float32Array {
  const resampler = new Resampler(from, to);
  const parts: Float32Array[] = [];
  for (let at = 0; at < samples.length; at += piece) parts.push(resampler.push(samples.slice(at, at + piece)));
  parts.push(resampler.flush());
  return Float32Array.from(parts.flatMap((part) => [...part]));
}

/** Power of `signal` over the power of its difference to `reference`, in dB, away from the edges. */
function signalToNoise(signal: Float32Array, reference: Float32Array): number {
  let power = 0;
  let noise = 0;
  for (let index = 200; index < reference.length - 200; index += 1) {
    power += (reference[index] ?? 0) ** 2;
    noise += ((signal[index] ?? 0) - (reference[index] ?? 0)) ** 2;
  }
  return 10 * Math.log10(power / noise);
}

const level = (samples: Float32Array): number =>
  10 * Math.log10(samples.slice(200, -200).reduce((sum, sample) => sum + sample * sample, 0) / samples.length / 0.5);

describe('resampler', () => {
  it.each([
    [44_100, 440],
    [44_100, 6000],
    [48_000, 3000],
    [8000, 1000],
    [22_050, 2500],
  ])('keeps a tone at %i Hz of %i Hz within 80 dB', (rate, hertz) => {
    const output = resample(sine(hertz, rate, 1), rate, 16_000);
    expect(output.length).toBe(16_000);
    expect(signalToNoise(output, sine(hertz, 16_000, 1))).toBeGreaterThan(80);
  });

  it('removes what 16 kHz cannot hold instead of folding it back', () => {
    expect(level(resample(sine(10_000, 44_100, 1), 44_100, 16_000))).toBeLessThan(-80);
  });

  it.each([1, 7, 441, 5292])('gives the same samples however the input is cut (%i at a time)', (piece) => {
    const input = sine(523, 44_100, 0.3);
    expect(resample(input, 44_100, 16_000, piece)).toEqual(resample(input, 44_100, 16_000));
  });

  it('passes 16 kHz through untouched', () => {
    const input = sine(300, 16_000, 0.1);
    expect(resample(input, 16_000, 16_000, 100)).toEqual(input);
  });

  it('takes rates with an awkward ratio', () => {
    const output = resample(sine(440, 44_056, 1), 44_056, 16_000);
    expect(Math.abs(output.length - 16_000)).toBeLessThanOrEqual(1);
    expect(signalToNoise(output, sine(440, 16_000, 1))).toBeGreaterThan(55);
  });
});
