import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { SNIFF_BYTES, isBuiltIn, sniffFormat } from '#server/engine/decode/audio-format.ts';
import { decodeMono } from '#server/engine/decode/mono.ts';
import { EngineError } from '#server/engine/port.ts';
import { audioFile, decodeHere, known } from './decode-fixtures.ts';

vi.setConfig({ testTimeout: 120_000 });

const FILES = [
  'short.mp3',
  'short.ogg',
  'short.opus',
  'formats/alaw.aifc',
  'formats/mulaw.caf',
  'formats/adpcm-ima.wav',
  'formats/adpcm-ms.wav',
  'formats/mp3.wav',
  'formats/flac.oga',
  'formats/flac.mka',
  'formats/mp3.mka',
  'formats/pcm.mka',
  'formats/vorbis.webm',
  'formats/video.webm',
  'formats/narrow.amr',
  'short.flac',
];

/** The bytes, cut at the given places. */
function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places.map((place) => Math.floor(place * bytes.length)), bytes.length].toSorted((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

/** Anywhere, as likely here as there: `fc.double` spreads over what can be represented, half of which is all but zero. */
const STEPS = 2 ** 30;
const place = fc.noBias(fc.integer({ min: 0, max: STEPS - 1 })).map((step) => step / STEPS);

describe('however the bytes are cut', () => {
  it.each(FILES)('%s gives the same samples', async (name) => {
    const { bytes, format } = await known(name);
    const whole = await decodeHere([bytes], format);
    expect(whole.length).toBeGreaterThan(10_000);
    await fc.assert(
      fc.asyncProperty(fc.array(place, { maxLength: 40 }), async (places) => {
        expect(
          Buffer.from((await decodeHere(cutAt(bytes, places), format)).buffer).equals(Buffer.from(whole.buffer)),
        ).toBe(true);
      }),
      { numRuns: 6, examples: [[[0, 1e-4, 2e-4, 3e-4, 5e-4, 8e-4, 1e-3]]] },
    );
  });
});

type Wound = { kind: 'byte'; at: number; value: number } | { kind: 'cut' | 'copy'; at: number; length: number };

const wound: fc.Arbitrary<Wound> = fc.oneof(
  fc.record({ kind: fc.constant('byte' as const), at: place, value: fc.integer({ min: 0, max: 255 }) }),
  // Headers are where it hurts.
  fc.record({
    kind: fc.constant('byte' as const),
    at: place.map((at) => at / 50),
    value: fc.constantFrom(0, 1, 0x7f, 0x80, 0xff),
  }),
  fc.record({
    kind: fc.constantFrom('cut' as const, 'copy' as const),
    at: place,
    length: fc.integer({ min: 1, max: 2000 }),
  }),
);

function wounded(bytes: Uint8Array, wounds: readonly Wound[]): Uint8Array {
  let result = Buffer.from(bytes);
  for (const { at, ...how } of wounds) {
    const index = Math.floor(at * result.length);
    if (how.kind === 'byte') result[index] = how.value;
    else
      result = Buffer.concat([
        result.subarray(0, how.kind === 'cut' ? index : index + how.length),
        result.subarray(how.kind === 'cut' ? index + how.length : index),
      ]);
  }
  return new Uint8Array(result);
}

const SAMPLES_MAX = 60 * 16_000;

/** Decodes up to a minute: damage may claim any length. Fails on all but audio and errors meant for people. */
async function survives(bytes: Uint8Array): Promise<void> {
  const format = sniffFormat(bytes.subarray(0, SNIFF_BYTES));
  if (format === null || !isBuiltIn(format)) return;
  let samples = 0;
  try {
    for await (const piece of decodeMono(
      (async function* source() {
        yield bytes;
      })(),
      format,
    )) {
      if (!piece.every((sample) => sample >= -1 && sample <= 1)) throw new Error('The audio holds what is no sample.');
      samples += piece.length;
      if (samples > SAMPLES_MAX) return;
    }
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
  }
}

describe('however the bytes are damaged', () => {
  // What the decoders write about it is nobody's business.
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);

  it.each(FILES)('%s gives audio or an error with a sentence, in bounded time', async (name) => {
    const bytes = new Uint8Array(await readFile(audioFile(name)));
    await fc.assert(
      fc.asyncProperty(fc.array(wound, { minLength: 1, maxLength: 12 }), (wounds) => survives(wounded(bytes, wounds))),
      { numRuns: 25, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true },
    );
  });
});
