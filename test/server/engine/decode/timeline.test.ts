import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { findFfmpeg } from '#server/engine/decode/ffmpeg.ts';
import { ByteReader, joined } from '#server/engine/decode/bytes.ts';
import type { PlacedBlock } from '#server/engine/decode/codec.ts';
import { decodeMatroska } from '#server/engine/decode/matroska.ts';
import { matroska, movedOgg, mp4, RATE, type Block } from './containers.ts';
import { audioFile, decode, decodeHere, known, likeness, S16, short, wav, written } from './decode-fixtures.ts';

vi.setConfig({ testTimeout: 120_000 });

const BLOCK_SECONDS = 0.1;
const TOLERANCE = 0.2;

const sound = (level: number, seconds: number): Float32Array =>
  new Float32Array(Math.round(seconds * RATE)).fill(level);

/** A stretch of one level, in blocks whose times tremble. */
interface Stretch {
  level: number;
  /** Where its container puts it, and where it is to be heard: seconds. */
  at: number;
  heard: number;
  seconds: number;
}

const blocksOf = ({ level, at, seconds }: Stretch, tremble: readonly number[] = [0]): Block[] =>
  Array.from({ length: Math.round(seconds / BLOCK_SECONDS) }, (_, index) => ({
    at: Math.max(0, at + index * BLOCK_SECONDS + (tremble[index % tremble.length] ?? 0)),
    samples: sound(level, BLOCK_SECONDS),
  }));

/** Each stretch is heard, whole, in order, and where it belongs; nothing comes after the last one. */
function expectPlaced(samples: Float32Array, stretches: readonly Stretch[], tolerance = TOLERANCE): void {
  let before = 0;
  for (const { level, heard, seconds } of stretches) {
    const isIt = (sample: number): boolean => Math.abs(sample - level) < 0.01;
    const from = samples.findIndex(isIt);
    const to = samples.findLastIndex(isIt) + 1;
    expect(from).toBeGreaterThanOrEqual(before);
    expect(Math.abs(from / RATE - heard)).toBeLessThan(tolerance);
    expect(Math.abs(to / RATE - heard - seconds)).toBeLessThan(tolerance);
    before = to;
  }
  expect(samples.length).toBe(before);
}

/** What a step does to the time at which the next stretch begins, and to when it is heard. */
type Step = { hole: number } | { back: number } | { leap: number };

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ hole: fc.double({ min: 0.3, max: 40, noNaN: true }) }) },
  fc.record({ back: fc.double({ min: 2.5, max: 60, noNaN: true }) }),
  fc.record({ leap: fc.double({ min: 11_000, max: 1e6, noNaN: true }) }),
);

/** @param unit seconds of the shortest */
function stretchesOf(start: number, steps: readonly Step[], unit = 0.5): Stretch[] {
  const stretches: Stretch[] = [];
  let at = start;
  let heard = start > 30 ? 0 : start;
  /** What is added to the times, now and before they began anew. */
  let before = heard - at;
  for (const [index, next] of [{ hole: 0 }, ...steps].entries()) {
    if ('hole' in next) {
      // Times that are as they were before they began anew are those of before, after some damage.
      const hole = Math.abs(at + next.hole + before - heard) < 3 && before !== heard - at ? next.hole + 6 : next.hole;
      at += hole;
      heard += hole;
    } else {
      const kept = heard - at;
      if ('leap' in next) at += next.leap;
      // A shorter way back would be an overlap.
      else if (Math.min(at, next.back) > 2.2) at = Math.max(0, at - next.back);
      if (heard - at !== kept) before = kept;
    }
    const seconds = unit * (1 + (index % 3));
    stretches.push({ level: 0.1 + index * 0.1, at, heard, seconds });
    at += seconds;
    heard += seconds;
  }
  return stretches;
}

const start = fc.oneof(
  fc.constant(0),
  fc.double({ min: 0, max: 29, noNaN: true }),
  fc.double({ min: 31, max: 5000, noNaN: true }),
);

/** The real one, where the machine has it. */
const installed = await findFfmpeg();

describe('the time stamps of a container', () => {
  it('AUD-02: place each sound of a Matroska, however they start, leap, go back and tremble', async () => {
    await fc.assert(
      fc.asyncProperty(
        start,
        fc.array(step, { maxLength: 7 }),
        fc.array(fc.double({ min: -0.04, max: 0.04, noNaN: true }), { minLength: 1, maxLength: 9 }),
        async (from, steps, tremble) => {
          const stretches = stretchesOf(from, steps);
          const bytes = matroska(stretches.flatMap((one) => blocksOf(one, tremble)));
          expectPlaced(await decodeHere([bytes], 'matroska'), stretches);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('AUD-02: that overlap lose no sound, and never run backwards', async () => {
    const [one, two, three] = [
      { level: 0.2, at: 0, heard: 0, seconds: 2 },
      { level: 0.4, at: 1, heard: 2, seconds: 2 },
      // The stamps have caught up by then.
      { level: 0.6, at: 6, heard: 6, seconds: 1 },
    ];
    expectPlaced(await decodeHere([matroska([one, two, three].flatMap((it) => blocksOf(it)))], 'matroska'), [
      one,
      two,
      three,
    ]);
  });

  it('AUD-02: that are damaged once put no hole where there is none', async () => {
    const stretches = [0, 1, 2].map((index) => ({
      level: 0.2 + index / 5,
      at: index === 1 ? 0 : 10 * index,
      heard: 10 * index,
      seconds: 10,
    }));
    expectPlaced(await decodeHere([matroska(stretches.flatMap((it) => blocksOf(it)))], 'matroska'), stretches);
  });

  it.each([0.5, 3, 40, 3000])('AUD-02: one that is damaged, and says %f s more, makes no hole', async (more) => {
    const stretch = { level: 0.4, at: 0, heard: 0, seconds: 5 };
    for (const damaged of [1, 20, 49]) {
      // The last one may be true where the hole is not long.
      if (damaged === 49 && more < 60) continue;
      const blocks = blocksOf(stretch).map((block, index) =>
        index === damaged ? { ...block, at: block.at + more } : block,
      );
      expectPlaced(await decodeHere([matroska(blocks)], 'matroska'), [stretch]);
    }
  });

  it('AUD-02: keep a hole of most of an hour', async () => {
    const stretches = [0, 3500].map((at) => ({ level: 0.2 + at / 10_000, at, heard: at, seconds: 1 }));
    expectPlaced(await decodeHere([matroska(stretches.flatMap((it) => blocksOf(it)))], 'matroska'), stretches);
  });

  it('AUD-02: leave out what lies before 0', async () => {
    const [before, after] = [
      { level: 0.2, at: -1.5, heard: 0, seconds: 1.5 },
      { level: 0.4, at: 5, heard: 5, seconds: 1 },
    ];
    const blocks = blocksOf(before).map((block, index) => ({ ...block, at: -1.5 + index * BLOCK_SECONDS }));
    expectPlaced(await decodeHere([matroska([...blocks, ...blocksOf(after)])], 'matroska'), [after]);
  });

  it.each(['short.opus', 'short.ogg'])('AUD-02: place each sound of an Ogg: %s', async (name) => {
    const { bytes, format } = await known(name);
    const whole = await decodeHere([bytes], format);
    const rate = format === 'ogg-opus' ? 48_000 : RATE;
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 0.3, max: 40, noNaN: true }),
        fc.integer({ min: 1, max: 2 }),
        async (hole, from) => {
          const moved = await decodeHere([await movedOgg(bytes, (page) => (page >= from ? hole : 0), rate)], format);
          expect(Math.abs(moved.length - whole.length - hole * RATE)).toBeLessThan(TOLERANCE * RATE);
          const end = moved.length - whole.length;
          expect(
            likeness(whole.subarray(-24_000), moved.subarray(end).subarray(-24_000), 2000, 22_000),
          ).toBeGreaterThan(0.9);
          expect(likeness(whole, moved, 0, 8000)).toBeGreaterThan(0.9);
        },
      ),
      { numRuns: 8 },
    );
  });

  it.each(installed === undefined ? [] : [0, 2.5])(
    'AUD-02: place each sound of an MP4 with an edit list, after %f s',
    async (empty) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.double({ min: 0.3, max: 40, noNaN: true }), { maxLength: 5 }),
          fc.constantFrom(0, 0.1),
          async (holes, from) => {
            const steps = holes.map((hole) => ({ hole }));
            // Each sample of PCM is one of the MP4: more would take long.
            const stretches = stretchesOf(0, steps, 0.2).map((one) => ({ ...one, heard: one.heard + empty - from }));
            const first = stretches[0];
            if (first === undefined) return;
            const blocks = stretches.map(({ level, at, seconds }) => ({ at, samples: sound(level, seconds) }));
            const path = await written('moved.mov', mp4(blocks, { empty, from }));
            // The list leaves the beginning of the first out.
            stretches[0] = { ...first, heard: empty, seconds: first.seconds - from };
            expectPlaced(await decode(path, 3600), stretches, 0.03);
          },
        ),
        { numRuns: 5 },
      );
    },
  );
});

it('AUD-02: each block of Vorbis gives its own sound, and leaves none for the next one', async () => {
  const { bytes } = await known('formats/vorbis.webm');
  const blocks: PlacedBlock[] = [];
  for await (const block of decodeMatroska(new ByteReader(Readable.from([bytes])))) blocks.push(block);
  const framesOf = ({ channelData }: PlacedBlock): number => channelData[0]?.length ?? 0;
  const [, silent, ...others] = blocks;
  const rest = others.pop();
  expect([silent, rest].map((block) => block && framesOf(block))).toEqual([0, 0]);
  expect(others.every((block) => framesOf(block) > 0)).toBe(true);
});

describe('recordings that were joined', () => {
  const length = short.samples.length;

  it.each([
    ['short.opus', 'short.opus'],
    ['short.ogg', 'short.ogg'],
    ['short.opus', 'formats/flac.oga'],
    ['formats/opus.webm', 'formats/vorbis.webm'],
    ['formats/flac.mka', 'formats/mp3.mka'],
    ['short.flac', 'short.flac'],
  ])('AUD-01: %s and %s are heard one after the other', async (first, second) => {
    const one = await known(first);
    const two = await known(second);
    const parts = await Promise.all([one, two].map(({ bytes, format }) => decodeHere([bytes], format)));
    const whole = await decodeHere([one.bytes, two.bytes, one.bytes], one.format);
    const [a = whole, b = whole] = parts;
    expect(Math.abs(whole.length - 2 * a.length - b.length)).toBeLessThan(10);
    expect(likeness(b, whole.subarray(a.length), 0, 12_000)).toBeGreaterThan(0.9);
    expect(likeness(a, whole.subarray(a.length + b.length), 0, 12_000)).toBeGreaterThan(0.9);
  });

  it('AUD-01: WAV of another rate and other channels', async () => {
    const other = wav(
      { ...S16, rate: 8000, channels: 2 },
      short.samples.filter((_, index) => index % 2 === 0),
    );
    const whole = await decodeHere([joined([wav(S16), other, wav(S16)])], 'wav');
    expect(Math.abs(whole.length - 3 * length)).toBeLessThan(10);
    expect(likeness(short.samples, whole.subarray(length))).toBeGreaterThan(0.9);
    expect(
      whole.subarray(2 * length).every((sample, index) => Math.abs(sample - (short.samples[index] ?? 0)) < 1e-3),
    ).toBe(true);
  });

  it('AUD-01: MP3, whose frames have another rate', async () => {
    const one = await known('short.mp3');
    const inWav = await readFile(audioFile('formats/mp3.wav'));
    const two = { bytes: new Uint8Array(inWav.subarray(inWav.indexOf('data') + 8)), format: 'mp3' as const };
    const parts = await Promise.all([one, two].map(({ bytes, format }) => decodeHere([bytes], format)));
    const whole = await decodeHere([one.bytes, two.bytes, one.bytes], 'mp3');
    const [a = whole, b = whole] = parts;
    expect(Math.abs(whole.length - 2 * a.length - b.length)).toBeLessThan(TOLERANCE * RATE);
  });
});

describe('several tracks', () => {
  const tone = (hertz: number): Float32Array =>
    Float32Array.from({ length: 2 * RATE }, (_, index) => 0.4 * Math.sin((2 * Math.PI * hertz * index) / RATE));
  const loudness = (samples: Float32Array): number =>
    Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);
  const track = (number: number, at: number, samples: Float32Array): Block[] =>
    Array.from({ length: 20 }, (_, index) => ({
      at: at + index * BLOCK_SECONDS,
      samples: samples.subarray((index * RATE) / 10, ((index + 1) * RATE) / 10),
      track: number,
    }));
  /** As a container writes them, side by side. */
  const sideBySide = (...tracks: readonly Block[][]): Block[] => tracks.flat().toSorted((a, b) => a.at - b.at);

  it('AUD-03: are heard together, also where the first is silent and the second comes minutes later', async () => {
    const silent = Array.from({ length: 1000 }, (_, index) => ({ at: index / 10, samples: sound(0, 0.1) }));
    const samples = await decodeHere([matroska(sideBySide(silent, track(2, 90, tone(440))), [{}, {}])], 'matroska');
    expect(samples.length).toBe(100 * RATE);
    expect(loudness(samples.subarray(0, 90 * RATE))).toBe(0);
    expect(loudness(samples.subarray(90 * RATE, 92 * RATE))).toBeGreaterThan(0.15);
  });

  it('AUD-03: are each as long as they are, whichever ends first', async () => {
    const samples = await decodeHere(
      [matroska(sideBySide(track(1, 0, tone(300)), track(2, 10, tone(500))), [{}, {}])],
      'matroska',
    );
    expect(samples.length).toBe(12 * RATE);
    expect(loudness(samples.subarray(0, 2 * RATE))).toBeGreaterThan(0.15);
    expect(loudness(samples.subarray(2 * RATE, 10 * RATE))).toBe(0);
    expect(loudness(samples.subarray(10 * RATE))).toBeGreaterThan(0.15);
  });

  it('AUD-03: keep in time where the one is written in longer blocks', async () => {
    const long = [0, 1, 2].map((at) => ({ at, samples: sound(0, 1) }));
    const samples = await decodeHere([matroska(sideBySide(long, track(2, 0, tone(440))), [{}, {}])], 'matroska');
    expect(samples.length).toBe(3 * RATE);
    expect(loudness(samples.subarray(0, RATE / 10))).toBeGreaterThan(0.1);
    expect(loudness(samples.subarray(2 * RATE))).toBe(0);
  });

  it('AUD-03: of a file are in time also where they are written one after the other', async () => {
    const [one, two] = [300, 500].map((hertz, index) =>
      [0, 2, 4, 6, 8].flatMap((at) => track(index + 1, at, tone(hertz))),
    );
    const samples = await decodeHere([matroska([...(one ?? []), ...(two ?? [])], [{}, {}])], 'matroska');
    expect(samples.length).toBe(10 * RATE);
    // Two voices from the beginning to the end.
    for (const at of [0.5, 9.5]) expect(loudness(samples.subarray(at * RATE, (at + 0.4) * RATE))).toBeGreaterThan(0.25);
  });

  it('AUD-03: of other languages than the default one are left out', async () => {
    const english = tone(500);
    const blocks = sideBySide(track(1, 0, tone(300)), track(2, 0, english));
    const both = [{ language: 'ger', isDefault: false }, { language: 'eng' }];
    const samples = await decodeHere([matroska(blocks, both)], 'matroska');
    expect(samples.length).toBe(2 * RATE);
    expect(samples.every((sample, index) => Math.abs(sample - (english[index] ?? 0)) < 1e-3)).toBe(true);
  });
});
