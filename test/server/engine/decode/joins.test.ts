import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { BuiltInFormat } from '#server/engine/decode/audio-format.ts';
import { decodeMono } from '#server/engine/decode/mono.ts';
import { findFrames, frameAt } from '#server/engine/decode/mpeg-frames.ts';
import { Notes } from '#server/engine/decode/notes.ts';
import type { RecordingNote } from '#server/engine/port.ts';
import {
  S16,
  audioFile,
  collect,
  decode,
  decodeHere,
  interleaved,
  known,
  likeness,
  short,
  wav,
  wavPack,
  wave64,
  written,
} from './decode-fixtures.ts';

vi.setConfig({ testTimeout: 60_000 });

const length = short.samples.length;
const file = async (name: string): Promise<Uint8Array> => new Uint8Array(await readFile(audioFile(name)));
const joined = (...pieces: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(pieces));

async function noted(
  bytes: Uint8Array,
  format: BuiltInFormat,
): Promise<{ samples: Float32Array; notes: readonly RecordingNote[] }> {
  const notes = new Notes();
  async function* source(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 999) yield bytes.subarray(at, at + 999);
  }
  const samples = await collect(decodeMono(source(), format, notes));
  return { samples, notes: notes.list() };
}

/** The same samples, but for rounding. */
const areSame = (one: Float32Array, two: Float32Array): boolean =>
  one.length === two.length && one.every((sample, index) => Math.abs(sample - (two[index] ?? 2)) < 1e-6);

/** The bytes in pieces of these lengths, over and over. */
function cut(bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0, index = 0; at < bytes.length; index += 1)
    pieces.push(bytes.subarray(at, (at += lengths[index % lengths.length] ?? 1)));
  return pieces;
}
const lengths = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 9 });

const NAMES = [
  'short.mp3',
  'short.flac',
  'short.ogg',
  'short.opus',
  'formats/flac.oga',
  'formats/opus.webm',
  'formats/flac.mka',
  'formats/pcm.aiff',
  'formats/mulaw.caf',
  'formats/adpcm-ima.wav',
  'formats/mp3.wav',
  'formats/narrow.amr',
] as const;

const wholes = new Map<string, Promise<Float32Array>>();
/** What a whole file holds, decoded once. */
const wholeOf = (name: string): Promise<Float32Array> => {
  const whole = wholes.get(name) ?? known(name).then(({ bytes, format }) => decodeHere([bytes], format));
  wholes.set(name, whole);
  return whole;
};

/** AU with 16-bit samples. */
function au(samples: Float32Array, declared: number): Buffer {
  const head = Buffer.alloc(28);
  head.write('.snd', 'latin1');
  [28, declared, 3, 16_000, 1].forEach((value, index) => head.writeUInt32BE(value, 4 + index * 4));
  return Buffer.concat([head, interleaved(S16, samples).swap16()]);
}

/** So many frames of a length, with the same head and no more. */
const frames = (size: number, count: number, ...head: number[]): Uint8Array =>
  joined(...Array.from({ length: count }, () => Buffer.concat([Buffer.of(...head)], size)));
/** Of a transport stream. */
const packets = (size: number): Uint8Array => frames(size, 8, 0x47, 0, 0, 0x10);

/** Recordings that are not decoded here, and have a mark. */
const OTHERS = [
  wavPack,
  Buffer.from('RIFF\0\0\0\0AVI LIST', 'latin1'),
  Buffer.from('FLV\x01\x04\0\0\0\x09', 'latin1'),
  Buffer.from('TTA1\x01\0\x02\0\x10\0\x44\xAC\0\0', 'latin1'),
];

describe('a recording of another format', () => {
  it.each(NAMES)('AUD-01: is heard behind %s, and behind what is none', async (name) => {
    const first = await known(name);
    const a = await wholeOf(name);
    for (const other of NAMES) {
      if (other === 'short.mp3' && name === other) continue;
      const second = await known(other);
      const b = await wholeOf(other);
      const { samples, notes } = await noted(joined(first.bytes, second.bytes), first.format);
      expect(Math.abs(samples.length - a.length - b.length)).toBeLessThan(10);
      expect(likeness(b, samples.subarray(a.length), 0, 12_000)).toBeGreaterThan(0.9);
      expect(notes).toEqual([{ type: 'parts_joined', count: 2 }]);
    }
  });

  it.each(NAMES)('AUD-15: that is not heard is counted behind %s', async (name) => {
    const { bytes, format } = await known(name);
    const whole = await wholeOf(name);
    const marked = await Promise.all(['formats/aac.m4a', 'formats/wma.wma'].map(file));
    const unmarked = [
      await file('formats/aac.aac'),
      frames(192, 3, 0x0b, 0x77, 0, 0, 4, 0x40),
      packets(188),
      packets(192),
    ];
    for (const other of [...marked, ...OTHERS, ...unmarked]) {
      const { samples, notes } = await noted(joined(bytes, other), format);
      expect(Math.abs(samples.length - whole.length)).toBeLessThan(10);
      expect(notes).toEqual([{ type: 'parts_left_out', count: 1 }]);
    }
  });

  it.each(NAMES)('AUD-15: without a mark, behind junk, is heard or counted behind %s', async (name) => {
    const { bytes, format } = await known(name);
    const junk = Buffer.alloc(3000, 0x05);
    const { notes } = await noted(joined(bytes, junk, await file('short.mp3')), format);
    // Behind MP3, it is no other part.
    const told = name === 'short.mp3' ? 0 : 1;
    expect(notes.filter(({ type }) => type.startsWith('parts_'))).toHaveLength(told);
  });

  it('AUD-15: is heard behind WavPack that was cut', async () => {
    const spoken = wav(S16);
    const { samples, notes } = await noted(joined(spoken, wavPack.subarray(0, -100), spoken), 'wav');
    expect(samples.length).toBe(2 * length);
    expect(notes).toMatchObject([{ type: 'parts_joined' }, { type: 'parts_left_out' }]);
  });

  it('AUD-15: that is broken takes nothing from those behind it', async () => {
    const broken = wav({ ...S16, tag: 0x31 }).subarray(0, 400);
    const { samples, notes } = await noted(joined(wav(S16), broken, Buffer.alloc(99), wav(S16)), 'wav');
    expect(samples.length).toBe(2 * length);
    expect(notes).toEqual([
      { type: 'parts_joined', count: 2 },
      { type: 'parts_left_out', count: 1 },
    ]);
  });
});

describe('AMR', () => {
  it('AUD-27: ends where frames of another format stand, and loses nothing to damaged headers', async () => {
    const amr = await file('formats/narrow.amr');
    const whole = await decodeHere([amr], 'amr');
    const damaged = amr.slice();
    for (let at = 6; at < damaged.length; at += 13 * 5) damaged[at] = (0xff & (damaged[at] ?? 0)) ^ 0x83;
    expect((await noted(damaged, 'amr')).samples.length).toBe(whole.length);
    const { notes } = await noted(joined(amr, await file('short.mp3')), 'amr');
    expect(notes).toEqual([{ type: 'parts_joined', count: 2 }]);
  });
});

describe('FLAC, whose frames begin as those of AAC do', () => {
  it('AUD-15: is heard as it comes', async () => {
    const { bytes, format } = await known('short.flac');
    const whole = await wholeOf('short.flac');
    let heard = 0;
    let heardBefore = 0;
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += 1000) {
        heardBefore = heard;
        yield bytes.subarray(at, at + 1000);
      }
    }
    for await (const piece of decodeMono(source(), format)) heard += piece.length;
    expect(heard).toBe(whole.length);
    expect(heardBefore).toBeGreaterThan(0.7 * whole.length);
  });

  it('AUD-15: is told from three frames of AAC in a row by its checksums', async () => {
    const { bytes, format } = await known('short.flac');
    const whole = await wholeOf('short.flac');
    // Each header says as AAC what its own bytes are, and stands where the one before says.
    const frames = Array.from({ length: 3 }, () => Uint8Array.of(0xff, 0xf8, 0xc5, 0x08, 0x01, 0x68, 0, 0, 0, 0, 0));
    expect(findFrames(joined(...frames))?.at).toBe(0);
    const { samples, notes } = await noted(joined(bytes, ...frames, bytes), format);
    expect(samples.length).toBe(2 * whole.length);
    expect(notes).toEqual([{ type: 'parts_joined', count: 2 }]);
  });
});

it('AUD-15: behind WebM and what is none is heard and counted', async () => {
  const { bytes, format } = await known('formats/opus.webm');
  const whole = await wholeOf('formats/opus.webm');
  const { samples, notes } = await noted(joined(bytes, Buffer.alloc(16), wav(S16)), format);
  expect(Math.abs(samples.length - whole.length - length)).toBeLessThan(10);
  expect(notes).toEqual([{ type: 'parts_joined', count: 2 }]);
});

describe('samples without an end', () => {
  const unknown = (declared: number, holds = short.samples): Buffer => wav(S16, holds, declared);

  it.each([0, 0xffff_ffff, 1e6])(
    'AUD-16: end where the head of another recording stands: %i bytes',
    async (declared) => {
      const part = short.samples.subarray(8000, 16_000);
      const one = unknown(declared, part);
      const both = joined(one, one, wave64(interleaved(S16, part)), au(part, declared), wav(S16, part));
      await fc.assert(
        fc.asyncProperty(lengths, async (pieces) => {
          const samples = await decodeHere(cut(both, pieces), 'wav');
          expect(samples.length).toBe(5 * part.length);
          for (const from of [0, 1, 2, 3, 4])
            expect(likeness(part, samples.subarray(from * part.length), 1000, 7000)).toBeGreaterThan(0.95);
        }),
        { numRuns: 10, examples: [[[1]]] },
      );
    },
  );

  it('AUD-16: in the middle of a frame, too', async () => {
    const samples = await decodeHere([joined(unknown(0).subarray(0, -1), wav(S16))], 'wav');
    expect(samples.length).toBe(2 * length - 1);
  });

  it('AUD-16: not where only a name or half a head stands', async () => {
    const senseless = wav({ ...S16, channels: 99 }, new Float32Array(0));
    for (const words of ['RIFF', 'RIFF....WAV', 'RIFF....WAVEfmt ', 'fLaC', 'OggS\0\x02', '\0\0\0\x20ftyp', '#!AMR']) {
      const mark = Buffer.from(words.padEnd(40, '\xff'), 'latin1');
      const samples = await decodeHere([joined(unknown(0), mark, senseless, mark)], 'wav');
      expect(samples.length).toBe(length + (2 * mark.length + senseless.length) / 2);
    }
  });
});

describe('pages of Ogg', () => {
  it.each(['short.ogg', 'short.opus'])('AUD-17: that are torn take nothing from what follows: %s', async (name) => {
    const { bytes, format } = await known(name);
    const whole = await decodeHere([bytes], format);
    const page = bytes.length - Buffer.from(bytes).lastIndexOf('OggS');
    for (const torn of [10, Math.round(page / 2), page - 20]) {
      const { samples, notes } = await noted(joined(bytes.subarray(0, -torn), bytes), format);
      const first = await decodeHere([bytes.subarray(0, -torn)], format);
      expect(Math.abs(samples.length - first.length - whole.length)).toBeLessThan(10);
      expect(notes).toEqual([{ type: 'parts_joined', count: 2 }]);
    }
  });

  it.each([0, 0xffff_ffff])('AUD-17: without a right checksum are heard: %i', async (checksum) => {
    const { bytes, format } = await known('short.opus');
    const wrong = Buffer.from(bytes);
    for (let at = wrong.indexOf('OggS'); at >= 0; at = wrong.indexOf('OggS', at + 4))
      wrong.writeUInt32LE(checksum, at + 22);
    const whole = await decodeHere([bytes], format);
    expect(areSame(await decodeHere([wrong], format), whole)).toBe(true);
    expect((await decodeHere([joined(wrong, wrong)], format)).length).toBe(2 * whole.length);
  });
});

describe('MP3', () => {
  /** With a frame in front that says how many frames there are, and how many samples to leave out at both ends. */
  function described(mp3: Uint8Array): Uint8Array {
    const frame = Buffer.alloc(frameAt(mp3, 0)?.bytes ?? 0);
    frame.set(mp3.subarray(0, 4));
    frame.write('Info', 13);
    frame.writeUInt32BE(1, 17);
    frame.writeUInt32BE(40, 21);
    frame.write('LAME3.100', 25);
    frame.writeUIntBE((576 << 12) | 500, 46, 3);
    return joined(frame, mp3);
  }

  it('AUD-18: joined is as long as its parts, however it is cut', async () => {
    const { bytes: bare, format } = await known('short.mp3');
    const bytes = described(bare);
    const one = await decodeHere([bytes], format);
    const tag = Buffer.alloc(128, 'TAG');
    const three = joined(bytes, bytes, tag, Buffer.from('ID3\x04\0\0\0\0\0\x64', 'latin1'), Buffer.alloc(100), bytes);
    const { samples, notes } = await noted(three, format);
    expect(samples.length).toBe(3 * one.length);
    expect(areSame(samples.subarray(one.length, 2 * one.length), one)).toBe(true);
    expect(notes).toEqual([{ type: 'parts_joined', count: 3 }]);
    await fc.assert(
      fc.asyncProperty(lengths, async (pieces) => {
        expect(areSame(await decodeHere(cut(three, pieces), format), samples)).toBe(true);
      }),
      { numRuns: 5 },
    );
  });

  it('AUD-18: behind junk, what only looks like a frame is no sound', async () => {
    const { bytes, format } = await known('short.mp3');
    const header = bytes.subarray(bytes.indexOf(0xff), bytes.indexOf(0xff) + 4);
    // A thousand bytes apart.
    const junk = new Uint8Array(70_000).fill(0x55);
    for (let at = 500; at < junk.length; at += 1000) junk.set(header, at);
    const alone = await decodeHere([bytes], format);
    const { samples, notes } = await noted(joined(bytes, junk, bytes), format);
    expect(Math.abs(samples.length - 2 * alone.length)).toBeLessThan(0.06 * 16_000);
    expect(notes).toEqual([]);
  });

  it('AUD-18: with a few bytes before each frame, as of a network, is heard', async () => {
    const { bytes, format } = await known('short.mp3');
    const alone = await wholeOf('short.mp3');
    const frames: Uint8Array[] = [];
    for (let at = bytes.indexOf(0xff), frame = frameAt(bytes, at); frame !== null; frame = frameAt(bytes, at)) {
      frames.push(new Uint8Array(4), bytes.subarray(at, at + frame.bytes));
      at += frame.bytes;
    }
    expect(Math.abs((await decodeHere([joined(...frames)], format)).length - alone.length)).toBeLessThan(2000);
  });

  it('AUD-18: of another kind is another part, one header of it is none', async () => {
    const { bytes, format } = await known('short.mp3');
    // 24 kHz, without a description.
    const frame = new Uint8Array(96);
    frame.set([0xff, 0xf3, 0x44, 0xc4]);
    const { notes, samples } = await noted(joined(bytes, frame, frame, frame, bytes), format);
    expect(notes).toEqual([{ type: 'parts_joined', count: 3 }]);
    expect(samples.length).toBeGreaterThan(1.9 * length);
    expect((await noted(joined(bytes, frame, bytes), format)).notes).toEqual([]);
  });

  it('AUD-18: a tag behind FLAC takes nothing from its last frame', async () => {
    const { bytes, format } = await known('short.flac');
    const tagged = joined(bytes, Buffer.from(`TAG${'x'.repeat(125)}`));
    expect(areSame(await decodeHere([tagged], format), await decodeHere([bytes], format))).toBe(true);
  });

  it('AUD-04: of a file is found behind a megabyte of what is no audio', async () => {
    const junk = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => (index * 89) & 0x7f));
    const samples = await decode(await written('late.mp3', Buffer.concat([junk, await file('short.mp3')])));
    expect(areSame(samples, await decode(audioFile('short.mp3')))).toBe(true);
  });
});
