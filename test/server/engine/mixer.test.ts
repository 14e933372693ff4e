import { describe, expect, it } from 'vitest';
import { Mixer } from '#server/engine/mixer.ts';
import { PcmReader } from '#server/engine/pcm.ts';
import { clip } from '#test/audio/clips.ts';

const RATE = 16_000;
const speech = clip('short.wav').samples;
const noise = (seed: number): Float32Array => {
  let state = seed;
  return speech.map(() => ((state = (state * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5) / 100);
};
const with_ = (samples: Float32Array, factor: number, other = noise(1)): Float32Array =>
  samples.map((sample, index) => Math.fround(factor * sample) + (other[index] ?? 0));
const upsideDown = speech.map((sample) => -sample);

const loudness = (samples: Float32Array, from = 0, to = samples.length): number =>
  Math.sqrt(samples.subarray(from, to).reduce((sum, sample) => sum + sample * sample, 0) / (to - from));
const mixed = (...channels: Float32Array[]): Float32Array => new Mixer(RATE).mix(channels);
const mean = (...channels: Float32Array[]): Float32Array =>
  speech.map((_, index) => channels.reduce((sum, channel) => sum + channel[index]!, 0) / channels.length);
/** Interleaved s16le. */
const interleaved = (...channels: Float32Array[]): Buffer => {
  const bytes = Buffer.alloc(speech.length * channels.length * 2);
  speech.forEach((_, index) =>
    channels.forEach((channel, at) =>
      bytes.writeInt16LE(Math.round(channel[index]! * 32_767), (index * channels.length + at) * 2),
    ),
  );
  return bytes;
};

describe('AUD-06: what is heard of several channels', () => {
  it.each<[string, Float32Array[]]>([
    ['two alike', [speech, speech]],
    ['two that hear the same a little later', [with_(speech, 1), with_(speech, 0.7, noise(2))]],
    ['two that have nothing in common', [noise(3), noise(4)]],
    ['one that is silent', [speech, new Float32Array(speech.length)]],
    ['eight, of which one is heard', [speech, ...Array.from({ length: 7 }, () => new Float32Array(speech.length))]],
    ['silence', [new Float32Array(speech.length), new Float32Array(speech.length)]],
  ])('the mean, to the bit: %s', (_, channels) => {
    expect(Buffer.from(mixed(...channels).buffer).equals(Buffer.from(mean(...channels).buffer))).toBe(true);
  });

  it('one channel is itself', () => {
    expect(mixed(speech)).toBe(speech);
  });

  it.each<[string, Float32Array[]]>([
    ['upside down', [speech, upsideDown]],
    ['upside down and quieter', [with_(upsideDown, 0.8), speech]],
    ['upside down, with a noise of both', [with_(speech, 1), with_(upsideDown, 1)]],
    ['upside down beside a silent one', [speech, new Float32Array(speech.length), upsideDown]],
  ])('one that is %s leaves the louder one', (_, channels) => {
    expect(loudness(mean(...channels))).toBeLessThan(0.2 * loudness(speech));
    const samples = mixed(...channels);
    expect(loudness(samples) / loudness(speech)).toBeGreaterThan(0.95);
    expect(loudness(samples) / loudness(speech)).toBeLessThan(1.05);
  });

  it('changes from one to the other fade, without a click', () => {
    const tone = Float32Array.from({ length: 3 * RATE }, (_, index) => Math.sin(index / 40) / 2);
    // Upside down in its second second only.
    const other = tone.map((sample, index) => (Math.floor(index / RATE) === 1 ? -sample : sample));
    const samples = mixed(tone, other);
    const steepest = (from: number, to: number): number =>
      samples
        .subarray(from, to)
        .reduce((top, sample, index) => Math.max(top, Math.abs(sample - samples[from + index - 1]!)), 0);
    expect(loudness(samples, 1.3 * RATE, 2 * RATE)).toBeCloseTo(loudness(tone, 1.3 * RATE, 2 * RATE), 5);
    expect(samples.subarray(2.3 * RATE)).toEqual(tone.subarray(2.3 * RATE));
    // The channel itself jumps where it turns over.
    expect(steepest(RATE + 1, 2 * RATE)).toBeLessThan(0.03);
    expect(steepest(2 * RATE + 1, 3 * RATE)).toBeLessThan(0.03);
  });

  it('one that turns over again and again is heard throughout', () => {
    const turning = speech.map((sample, index) => (Math.floor(index / RATE / 0.3) % 2 === 1 ? -sample : sample));
    const samples = mixed(with_(speech, 1), with_(turning, 0.9));
    const silenced = samples.map((sample, index) => speech[index]! - sample);
    expect(loudness(silenced)).toBeLessThan(0.3 * loudness(speech));
  });

  it('goes on over the cuts of a stream, also of raw PCM, and over what is no number', () => {
    const channels = [with_(speech, 1), with_(upsideDown, 0.9)];
    const whole = mixed(...channels);
    const mixer = new Mixer(RATE);
    const reader = new PcmReader(RATE, 2);
    const bytes = interleaved(...channels);
    const [cut, raw]: [number[], number[]] = [[], []];
    for (let at = 0; at < speech.length; at += 777) {
      cut.push(...mixer.mix(channels.map((channel) => channel.subarray(at, at + 777))));
      raw.push(...reader.push(bytes.subarray(at * 4, (at + 777) * 4)));
    }
    expect(Float32Array.from(cut)).toEqual(whole);
    expect(loudness(Float32Array.from(raw)) / loudness(speech)).toBeGreaterThan(0.95);
    const broken = new Mixer(RATE);
    broken.mix([Float32Array.of(Number.NaN, Infinity), Float32Array.of(1, 1)]);
    expect(loudness(broken.mix([speech, upsideDown])) / loudness(speech)).toBeGreaterThan(0.95);
  });
});
