import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Recognizer } from '#server/engine/recognizer/recognizer.ts';
import { Resampler } from '#server/engine/resample.ts';
import type { Vad } from '#server/engine/recognizer/vad.ts';
import { clip } from '#test/audio/clips.ts';
import { drive, finalText, spoken, toPcm, transcribeWhole } from '#test/audio/drive.ts';
import { loadModels } from '#test/audio/models.ts';
import { wordErrorRate } from '#test/audio/wer.ts';

// Recognition is heavy: on a machine that does other work too, it may take its time.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const RATE = 16_000;
let recognizer: Recognizer;
let vad: Vad;

beforeAll(async () => {
  ({ recognizer, vad } = await loadModels());
});

/** Numbers in [-1, 1) that are the same in every run. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return (state / 2_147_483_647) * 2 - 1;
  };
}

const SECONDS = 6;
const make = (sample: (index: number) => number): Float32Array =>
  Float32Array.from({ length: SECONDS * RATE }, (_, index) => sample(index));
const white = noise(11);
const brown = noise(5);
let level = 0;

const NOT_SPEECH: [name: string, samples: Float32Array][] = [
  ['digital silence', make(() => 0)],
  ['soft hiss', make(() => white() * 0.005)],
  ['loud hiss', make(() => white() * 0.3)],
  [
    'rumble',
    make(() => {
      level = level * 0.98 + brown() * 0.02;
      return level;
    }),
  ],
  [
    'mains hum',
    make(
      (index) =>
        0.2 * Math.sin((2 * Math.PI * 50 * index) / RATE) + 0.05 * Math.sin((2 * Math.PI * 150 * index) / RATE),
    ),
  ],
  ['a tone', make((index) => 0.3 * Math.sin((2 * Math.PI * 1000 * index) / RATE))],
  ['clicks', make((index) => (index % 8000 < 16 ? 0.9 : 0))],
  ['a constant offset', make(() => 0.5)],
];

describe('what is not speech gives no words', () => {
  it.each(NOT_SPEECH)('%s', async (_, samples) => {
    expect(await transcribeWhole(recognizer, vad, samples)).toEqual([]);
    const live = await drive(
      recognizer,
      vad,
      { sampleRate: RATE, channels: 1, endpointDetection: true },
      spoken(toPcm(samples), 3840),
    );
    expect(live.flatMap(({ tokens }) => tokens)).toEqual([]);
    expect(live.at(-1)).toMatchObject({ finished: true, totalAudioMs: SECONDS * 1000 });
    // Progress is told all the same.
    expect(live.length).toBeGreaterThanOrEqual(5);
    expect(live[0]?.finalAudioMs).toBeGreaterThanOrEqual(1000);
  });
});

describe('other rates and channels', () => {
  const { samples, text } = clip('short.wav');
  const at = (rate: number): Float32Array => {
    const resampler = new Resampler(RATE, rate);
    return Float32Array.from([...resampler.push(samples), ...resampler.flush()]);
  };

  it('of a telephone, 8 kHz', async () => {
    const results = await drive(recognizer, vad, { sampleRate: 8000, channels: 1 }, spoken(toPcm(at(8000)), 1920));
    expect(wordErrorRate(text, finalText(results))).toBeLessThanOrEqual(0.1);
  });

  it('of a studio, 48 kHz in stereo with the voice on one side', async () => {
    const mono = at(48_000);
    const stereo = new Float32Array(mono.length * 2).map((_, index) => (index % 2 === 0 ? (mono[index >> 1] ?? 0) : 0));
    const results = await drive(recognizer, vad, { sampleRate: 48_000, channels: 2 }, spoken(toPcm(stereo), 23_040));
    expect(wordErrorRate(text, finalText(results))).toBe(0);
  });
});

describe('recordings of unusual length', () => {
  it.each([0, 1, 100, 511, 512, 800, 1600, 4800, 8000])('of %i samples do no harm', async (length) => {
    const samples = clip('short.wav').samples.slice(8000, 8000 + length);
    const tokens = await transcribeWhole(recognizer, vad, samples);
    const live = await drive(recognizer, vad, { sampleRate: RATE, channels: 1 }, spoken(toPcm(samples), 960));
    for (const { end_ms: end = Infinity } of [...tokens, ...live.flatMap((result) => result.tokens)])
      expect(end).toBeLessThanOrEqual(Math.ceil(length / 16));
    expect(live.filter(({ finished }) => finished)).toHaveLength(1);
  });

  it('without a pause for more than 30 s are cut on the way and lose little', async () => {
    const { samples, text } = clip('weather-report.wav');
    // The pauses between the sentences are digital silence.
    const dense = samples.filter((sample, index) => sample !== 0 || samples[index - 200] !== 0);
    const twice = Float32Array.from([...dense, ...dense]);
    expect(twice.length / RATE).toBeGreaterThan(30);
    const heard = (await transcribeWhole(recognizer, vad, twice)).map((token) => token.text).join('');
    expect(wordErrorRate(`${text} ${text}`, heard)).toBeLessThanOrEqual(0.06);
  });
});
