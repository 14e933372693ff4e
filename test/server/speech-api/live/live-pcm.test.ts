import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PCM_FORMATS, PcmConverter, pcmFormat } from '#server/speech-api/live/pcm-formats.ts';

/** Nearest 16-bit number, halves towards plus infinity. */
const narrowed = (value: number, bits: number): number =>
  bits === 8 ? value * 256 : Math.min(32_767, Math.floor(value / 2 ** (bits - 16) + 0.5));

function fromFloat(value: number): number {
  if (Number.isNaN(value)) return 0;
  return Math.max(-32_768, Math.min(32_767, Math.floor(value * 32_768 + 0.5)));
}

/** ITU-T G.711: the first value of each segment spelled out; µ-law values have 14 bits, A-law values 13. */
function mulaw(byte: number): number {
  const inverted = 255 - byte;
  const segment = Math.floor((inverted % 128) / 16);
  const starts = [0, 33, 99, 231, 495, 1023, 2079, 4191];
  const value = (starts[segment] ?? 0) + (inverted % 16) * 2 ** (segment + 1);
  return (inverted >= 128 ? -1 : 1) * value * 4;
}

function alaw(byte: number): number {
  const code = byte ^ 0b0101_0101;
  const segment = Math.floor((code % 128) / 16);
  const starts = [0, 32, 64, 128, 256, 512, 1024, 2048];
  const width = segment === 0 ? 2 : 2 ** segment;
  const value = (starts[segment] ?? 0) + (code % 16) * width + width / 2;
  return (code >= 128 ? 1 : -1) * value * 8;
}

/** What the bytes of one sample stand for, by Node's own methods. */
function reference(name: string, bytes: Buffer): number {
  const little = !name.endsWith('be');
  const { length } = bytes;
  if (name === 'mulaw') return mulaw(bytes.readUInt8());
  if (name === 'alaw') return alaw(bytes.readUInt8());
  if (name.startsWith('f32')) return fromFloat(little ? bytes.readFloatLE() : bytes.readFloatBE());
  if (name.startsWith('f64')) return fromFloat(little ? bytes.readDoubleLE() : bytes.readDoubleBE());
  const unsigned = little ? bytes.readUIntLE(0, length) : bytes.readUIntBE(0, length);
  const signed = little ? bytes.readIntLE(0, length) : bytes.readIntBE(0, length);
  return narrowed(name.startsWith('s') ? signed : unsigned - 2 ** (8 * length - 1), 8 * length);
}

const WIDTHS: Record<string, number> = { 8: 1, 16: 2, 24: 3, 32: 4, 64: 8 };
const NAMES = [
  's8',
  'u8',
  ...['s16', 's24', 's32', 'u16', 'u24', 'u32', 'f32', 'f64'].flatMap((kind) => [`${kind}le`, `${kind}be`]),
  'mulaw',
  'alaw',
];
const widthOf = (name: string): number => WIDTHS[name.replace(/\D/g, '')] ?? 1;
const converter = (name: string): PcmConverter => {
  const format = pcmFormat(name);
  if (!format) throw new Error(`No format ${name}.`);
  return new PcmConverter(format);
};
const samplesOf = (bytes: Uint8Array): number[] => {
  const buffer = Buffer.from(bytes);
  return Array.from({ length: buffer.length / 2 }, (_, n) => buffer.readInt16LE(n * 2));
};
const expected = (name: string, bytes: Uint8Array): number[] => {
  const width = widthOf(name);
  // A zero has no sign.
  return Array.from(
    { length: Math.floor(bytes.length / width) },
    (_, n) => reference(name, Buffer.from(bytes.subarray(n * width, (n + 1) * width))) || 0,
  );
};

describe('raw audio formats', () => {
  it('knows exactly the documented names, with and without pcm_', () => {
    expect(PCM_FORMATS.toSorted()).toEqual(NAMES.toSorted());
    for (const name of NAMES) expect(pcmFormat(`pcm_${name}`)).toBe(pcmFormat(name));
    for (const name of ['s8', 'u8'])
      for (const order of ['le', 'be']) expect(pcmFormat(`pcm_${name}${order}`)).toBe(pcmFormat(name));
    for (const name of ' pcm_ s16 S16LE pcm_pcm_s16le f16le s8xe u64le wav __proto__ constructor'.split(' '))
      expect(pcmFormat(name)).toBeNull();
  });

  it.each(NAMES.filter((name) => widthOf(name) <= 2))('%s: every sample there is', (name) => {
    const width = widthOf(name);
    const all = Buffer.alloc(256 ** width * width);
    for (let n = 0; n < 256 ** width; n += 1) all.writeUIntBE(n, n * width, width);
    const got = samplesOf(converter(name).push(all));
    const wrong = expected(name, all).flatMap((sample, n) => (got[n] === sample ? [] : [{ n, sample, got: got[n] }]));
    expect([got.length, wrong.slice(0, 5)]).toEqual([256 ** width, []]);
  });

  // Random bytes hardly ever are these.
  it.each([
    ['s24le', [0xff, 0xff, 0x7f]],
    ['s24be', [0x7f, 0xff, 0xff]],
    ['s32le', [0xff, 0xff, 0xff, 0x7f]],
    ['s32be', [0x7f, 0xff, 0xff, 0xff]],
  ])('%s: the loudest sample is clipped, not turned round', (name, bytes) => {
    expect(samplesOf(converter(name).push(Uint8Array.from(bytes)))).toEqual([32_767]);
  });

  it.each(['f32le', 'f32be', 'f64le', 'f64be'])('%s: clips what is too loud, hears no number as silence', (name) => {
    const width = widthOf(name);
    const values = [0, -0, 0.5, -0.5, 1, -1, 1.0001, -1.0001, 2, -1e30, Infinity, -Infinity, Number.NaN, 1e-300];
    const bytes = Buffer.alloc(values.length * width);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const write = width === 4 ? view.setFloat32.bind(view) : view.setFloat64.bind(view);
    for (const [n, value] of values.entries()) write(n * width, value, name.endsWith('le'));
    expect(samplesOf(converter(name).push(bytes))).toEqual([
      0, 0, 16_384, -16_384, 32_767, -32_768, 32_767, -32_768, 32_767, -32_768, 32_767, -32_768, 0, 0,
    ]);
  });

  it.each(NAMES)('%s: any bytes, wherever they are cut, and wherever the chunk lies in memory', (name) => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.array(fc.nat(9), { maxLength: 60 }),
        fc.nat(7),
        (bytes, cuts, offset) => {
          const pieces = converter(name);
          const got: number[] = [];
          let at = 0;
          for (const size of [...cuts, bytes.length]) {
            const piece = bytes.subarray(at, at + size);
            const placed = Buffer.concat([Buffer.alloc(offset), piece]).subarray(offset);
            got.push(...samplesOf(pieces.push(placed)));
            // The caller may use its memory again.
            placed.fill(0xa5);
            at += piece.length;
          }
          expect(got).toEqual(expected(name, bytes));
        },
      ),
      { numRuns: 200 },
    );
  });
});
