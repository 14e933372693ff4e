import { mkdtempSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { SNIFF_BYTES, isBuiltIn, sniffFormat } from '#server/engine/decode/audio-format.ts';
import type { BuiltInFormat } from '#server/engine/decode/audio-format.ts';
import { createAudioDecoder } from '#server/engine/decode/audio.ts';
import { decodeMono } from '#server/engine/decode/mono.ts';
import { CLIPS_FOLDER, clip } from '#test/audio/clips.ts';
import { testFolder } from '../../template.ts';

export const short = clip('short.wav');

/** Path of a file beside the clips: 'short.mp3', 'formats/opus.webm'. */
export const audioFile = (name: string): string => join(CLIPS_FOLDER, name);

export async function collect(pieces: AsyncIterable<Float32Array>): Promise<Float32Array> {
  const all: Float32Array[] = [];
  for await (const piece of pieces) all.push(piece);
  const whole = new Float32Array(all.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of all) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

const decoder = createAudioDecoder();
export const decode = (path: string, maxSeconds = 60): Promise<Float32Array> =>
  collect(decoder.decode(path, { maxSeconds }));

/** For what a test file writes. */
export const folder = mkdtempSync(join(testFolder, 'decode-'));

export async function written(name: string, content: Uint8Array | string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

/** Decodes bytes in this thread, cut as given. */
export async function decodeHere(pieces: readonly Uint8Array[], format: BuiltInFormat): Promise<Float32Array> {
  return collect(
    decodeMono(
      (async function* source() {
        yield* pieces;
      })(),
      format,
    ),
  );
}

/** A file with the format it is found to have. */
export async function known(name: string): Promise<{ bytes: Uint8Array; format: BuiltInFormat }> {
  const bytes = new Uint8Array(await readFile(audioFile(name)));
  const format = sniffFormat(bytes.subarray(0, SNIFF_BYTES));
  if (format === null || !isBuiltIn(format)) throw new Error(`${name} is of no built-in format.`);
  return { bytes, format };
}

const webm = readFileSync(audioFile('formats/opus.webm'));
const ogg = readFileSync(audioFile('short.ogg'));
const cluster = webm.subarray(webm.indexOf(Buffer.from('1f43b675', 'hex')));
/** What comes of a recording when its beginning is left out. */
export const laterParts = {
  cluster,
  block: cluster.subarray(cluster.indexOf(0xa3)),
  Ogg: ogg.subarray(ogg.indexOf('OggS', ogg.indexOf('OggS', 4) + 4)),
  MP4: Buffer.concat([Buffer.from('\0\0\0\x10moof\0\0\0\x08mfhd\0\0\x10\0mdat'), Buffer.alloc(4096, 0x91)]),
} as const;

/**
 * Likeness of two recordings, 1 = the same shape, whatever the delay of up to 0.1 s that a codec adds; looks no further
 * once it is good.
 */
export function likeness(one: Float32Array, two: Float32Array, from = 8000, to = 24_000): number {
  let best = 0;
  for (let step = 0; step <= 3200 && best <= 0.95; step += 1) {
    const shift = step % 2 === 0 ? step / 2 : -(step + 1) / 2;
    let product = 0;
    let powerOne = 0;
    let powerTwo = 0;
    for (let index = from; index < to; index += 3) {
      const [a, b] = [one[index] ?? 0, two[index + shift] ?? 0];
      product += a * b;
      powerOne += a * a;
      powerTwo += b * b;
    }
    if (powerTwo > 0) best = Math.max(best, product / Math.sqrt(powerOne * powerTwo));
  }
  return best;
}

/** The files of `formats` hold the second of the short clip from 0.5 s on. */
export function expectSecond(samples: Float32Array): void {
  expect(Math.abs(samples.length - 16_000)).toBeLessThan(1600);
  expect(likeness(short.samples.subarray(8000), samples, 2000, 14_000)).toBeGreaterThan(0.9);
}

export interface WavFormat {
  tag: number;
  bits: number;
  channels?: number;
  rate?: number;
  write(view: DataView, at: number, sample: number): void;
}

/** Interleaved samples of the short clip; all channels but the first are silent. */
export function interleaved({ bits, channels = 1, write }: WavFormat, samples: Float32Array = short.samples): Buffer {
  const bytes = bits / 8;
  const buffer = Buffer.alloc(samples.length * bytes * channels);
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
  samples.forEach((sample, index) => {
    for (let channel = 0; channel < channels; channel += 1)
      write(view, (index * channels + channel) * bytes, channel === 0 ? sample : 0);
  });
  return buffer;
}

/** The content of a `fmt ` chunk. */
function formatChunk({ tag, bits, channels = 1, rate = 16_000 }: WavFormat): Buffer {
  const chunk = Buffer.alloc(16);
  chunk.writeUInt16LE(tag, 0);
  chunk.writeUInt16LE(channels, 2);
  chunk.writeUInt32LE(rate, 4);
  chunk.writeUInt32LE((rate * bits * channels) >>> 3, 8);
  chunk.writeUInt16LE((bits / 8) * channels, 12);
  chunk.writeUInt16LE(bits, 14);
  return chunk;
}

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

/** A WAV file of the short clip in another sample format. */
export function wav(format: WavFormat, samples: Float32Array = short.samples, declared?: number): Buffer {
  const data = interleaved(format, samples);
  return Buffer.concat([
    Buffer.from('RIFF'),
    u32(data.length + 36),
    Buffer.from('WAVEfmt '),
    u32(16),
    formatChunk(format),
    Buffer.from('data'),
    u32(declared ?? data.length),
    data,
  ]);
}

export const S16: WavFormat = {
  tag: 1,
  bits: 16,
  write: (view, at, sample) => view.setInt16(at, Math.round(sample * 32_767), true),
};
export const WAV_FORMATS: Record<string, WavFormat> = {
  s16: S16,
  u8: { tag: 1, bits: 8, write: (view, at, sample) => view.setUint8(at, 128 + Math.round(sample * 127)) },
  s24: {
    tag: 1,
    bits: 24,
    write: (view, at, sample) => {
      const value = Math.round(sample * 8_388_607);
      view.setInt8(at + 2, value >> 16);
      view.setUint16(at, value & 0xffff, true);
    },
  },
  s32: { tag: 1, bits: 32, write: (view, at, sample) => view.setInt32(at, Math.round(sample * 2_147_483_647), true) },
  f32: { tag: 3, bits: 32, write: (view, at, sample) => view.setFloat32(at, sample, true) },
  f64: { tag: 3, bits: 64, write: (view, at, sample) => view.setFloat64(at, sample, true) },
};

/** The same in a 64-bit RIFF, its size in a chunk of its own. */
export function rf64(data: Buffer): Buffer {
  const sizes = Buffer.alloc(28);
  sizes.writeBigUInt64LE(BigInt(data.length), 8);
  return Buffer.concat([
    Buffer.from('RF64\xff\xff\xff\xffWAVEds64', 'latin1'),
    u32(28),
    sizes,
    Buffer.from('fmt '),
    u32(16),
    formatChunk(S16),
    Buffer.from('data\xff\xff\xff\xff', 'latin1'),
    data,
  ]);
}

/** The same as Wave64, whose chunks are named by 16 bytes. */
export function wave64(data: Buffer): Buffer {
  const chunk = (name: string, content: Buffer): Buffer => {
    const size = Buffer.alloc(8);
    size.writeBigUInt64LE(BigInt(content.length + 24));
    return Buffer.concat([
      Buffer.from(name),
      Buffer.from('f3acd3118cd100c04f8edb8a', 'hex'),
      size,
      content,
      Buffer.alloc(-content.length & 7),
    ]);
  };
  const body = Buffer.concat([
    Buffer.from('wave'),
    Buffer.from('f3acd3118cd100c04f8edb8a', 'hex'),
    chunk('junk', Buffer.alloc(3)),
    chunk('fmt ', formatChunk(S16)),
    chunk('data', data),
  ]);
  return Buffer.concat([Buffer.from('riff'), Buffer.from('2e91cf11a5d628db04c10000', 'hex'), Buffer.alloc(8), body]);
}

/** A block of WavPack. */
const block = (index: number, content: Buffer): Buffer => {
  const head = Buffer.alloc(32);
  head.write('wvpk');
  head.writeUInt32LE(24 + content.length, 4);
  head.writeUInt16LE(0x407, 8);
  head.writeUInt32LE(index, 16);
  head.writeUInt32LE(0x800, 24);
  return Buffer.concat([head, content]);
};
/** The first one holds the head of a WAV. */
export const wavPack = Buffer.concat([
  block(0, wav(S16, short.samples.subarray(0, 178))),
  block(22_050, Buffer.alloc(400, 0x55)),
]);
