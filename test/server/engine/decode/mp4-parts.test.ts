import { execFile } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { createAudioDecoder } from '#server/engine/decode/audio.ts';
import { ByteReader, joined } from '#server/engine/decode/bytes.ts';
import { findFfmpeg } from '#server/engine/decode/ffmpeg.ts';
import { mp4Bytes, readMp4, type Mp4File } from '#server/engine/decode/mp4-parts.ts';
import { openStreamDecoder } from '#server/engine/decode/stream.ts';
import type { RecordingNote } from '#server/engine/port.ts';
import { fragmentedMp4, mp4, RATE, type Block } from './containers.ts';
import { audioFile, collect, folder, S16, short, wav, written } from './decode-fixtures.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Each of its samples is one of the MP4: more would take long. */
const samples = short.samples.subarray(8000, 12_000);
const SECONDS = samples.length / RATE;
const plain = mp4([{ at: 0, samples }], { isIndexFirst: true });
/** Its last box. */
const data = plain.subarray(-2 * samples.length - 8);
const late = mp4([{ at: 0, samples }], { empty: 1, isIndexFirst: true });
const indexLast = mp4([{ at: 0, samples }]);
const spoken = wav(S16, samples);
const quarter = samples.length >> 2;
const blockOf = (at: number, number: number): Block => ({
  at,
  samples: samples.subarray(number * quarter, (number + 1) * quarter),
});
/** The clip in four fragments, at times in seconds. */
const fragments = (...times: number[]): Uint8Array => fragmentedMp4(times.map(blockOf));
const at = (number: number): number => (number * quarter) / RATE;
const inOrder = fragments(at(0), at(1), at(2), at(3));
/** Its fourth fragment, or its third and fourth, begin anew: ffmpeg leaves out what goes back. */
const restarted = fragments(at(0) + 10, at(1) + 10, 0, at(1));
const boxOf = (type: string, content: Uint8Array, size = content.length + 8): Uint8Array => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(size);
  head.write(type, 4, 'latin1');
  return joined([head, content]);
};
/** No box, though a header of MP3 stands in front. */
const junk = Buffer.concat([Buffer.of(0xff, 0xfb, 0x90, 0x64), Buffer.alloc(5000, 0x05)]);
const kind = boxOf('ftyp', Buffer.from('isom\0\0\0\0'));
const AC3_FRAME = 192;
const ac3 = Buffer.alloc(
  3 * AC3_FRAME,
  Buffer.concat([Buffer.of(0x0b, 0x77, 0, 0, 0x04, 0x40), Buffer.alloc(AC3_FRAME - 6)]),
);
const longSize = joined([Buffer.from('\0\0\0\x01free\0\0\0\0\0\0\0\x18', 'latin1'), Buffer.alloc(8, 0x55)]);

async function inFile(bytes: Uint8Array): Promise<Mp4File> {
  const file = await open(await written('parts.mp4', bytes));
  try {
    return await readMp4(file, 0);
  } finally {
    await file.close();
  }
}

/** What {@link mp4Bytes} gives of bytes that come in pieces of a length: one part after the other, and what is behind the last. */
async function passed(bytes: Uint8Array, length: number): Promise<{ parts: Buffer[]; rest: Buffer }> {
  const reader = new ByteReader(
    (async function* pieces() {
      for (let from = 0; from < bytes.length; from += length) yield bytes.subarray(from, from + length);
    })(),
  );
  const parts: Buffer[] = [];
  const isMp4 = async (): Promise<boolean> => Buffer.from(await reader.peek(8)).toString('latin1', 4, 8) === 'ftyp';
  while (await isMp4()) {
    const pieces: Uint8Array[] = [];
    for await (const piece of mp4Bytes(reader)) pieces.push(piece);
    parts.push(Buffer.concat(pieces));
  }
  return { parts, rest: Buffer.from(await reader.peek(bytes.length)) };
}

describe('AUD-23: the MP4s that were joined', () => {
  it.each<[string, Uint8Array[], Uint8Array]>([
    ['one', [plain], Buffer.alloc(0)],
    ['two', [plain, late], Buffer.alloc(0)],
    [
      'three, of which one is in fragments and one has its index at its end',
      [inOrder, indexLast, plain],
      Buffer.alloc(0),
    ],
    ['behind boxes of all kinds', [joined([plain, longSize, boxOf('zzzz', Buffer.alloc(9))]), plain], Buffer.alloc(0)],
    ['with a WAV behind them', [plain, plain], spoken],
    ['with AC-3 behind them', [plain, plain], ac3],
    [
      'with a transport stream behind them',
      [plain, plain],
      Buffer.alloc(8 * 188, Buffer.concat([Buffer.of(0x47, 0, 0, 0x10)], 188)),
    ],
    ['that name their kind twice', [joined([kind, plain]), joined([kind, plain])], Buffer.alloc(0)],
    // The end of its size, and what is in it, are a header of MP3.
    [
      'with a box that looks like sound',
      [joined([plain, boxOf('udta', Buffer.alloc(0xfffb - 8))]), plain],
      Buffer.alloc(0),
    ],
    [
      'with a box whose size is the head of a video',
      [joined([plain, boxOf('udta', Buffer.alloc(0x1ba - 8))]), plain],
      Buffer.alloc(0),
    ],
    ['with junk or zeros behind each', [joined([plain, junk]), joined([indexLast, Buffer.alloc(100)]), plain], spoken],
    ['with a box of a wrong size behind one', [joined([plain, boxOf('free', Buffer.alloc(9), 5)]), plain], spoken],
    ['with sound behind junk', [joined([plain.subarray(0, -data.length), junk, data, junk, plain])], Buffer.alloc(0)],
    [
      'with a box that goes to the end',
      [plain, joined([plain, boxOf('mdat', data.subarray(8), 0)]), plain],
      Buffer.alloc(0),
    ],
    ['cut inside their sound', [plain.subarray(0, -200), plain.subarray(0, -5), plain.subarray(0, -5000)], spoken],
    ['cut in a fragment', [inOrder.subarray(0, -200), inOrder.subarray(0, -300)], spoken],
    ['with AC-3 behind junk', [plain, joined([plain, junk])], ac3],
    ['with AC-3 behind more zeros', [plain, joined([plain, Buffer.alloc(100_000)])], ac3],
  ])('%s, in a file and as they come', async (_what, parts, behind) => {
    const bytes = joined([...parts, behind]);
    const { first, later, behind: found } = await inFile(bytes);
    const ends = parts.map((_, index) => joined(parts.slice(0, index + 1)).length);
    expect([first, ...later].map((part) => part?.end)).toEqual(ends);
    expect(found).toBe(behind.length === 0 ? null : bytes.length - behind.length);
    for (const length of [bytes.length, 1000, 7]) {
      const all = await passed(bytes, length);
      expect(all.parts.map((part, index) => part.equals(parts[index] ?? part.subarray(1)))).toEqual(
        parts.map(() => true),
      );
      expect(all.rest.equals(behind)).toBe(true);
    }
  });

  it('AUD-25: hide no others where their own sound is frames without a mark', async () => {
    const aac = await readFile(audioFile('formats/aac.m4a'));
    const mp3 = Buffer.from(aac);
    // Behind the length of its descriptor, the kind of sound.
    const at = mp3.indexOf(Buffer.of(0x40, 0x15), mp3.indexOf('esds'));
    mp3[at] = 0x6b;
    const ac3Track = Buffer.from(aac);
    ac3Track.write('ac-3', ac3Track.indexOf('mp4a'), 'latin1');
    const mayHideRecording = await Promise.all(
      [aac, joined([aac, junk]), joined([mp3, junk]), joined([ac3Track, junk])].map(async (bytes, index) => {
        const file = await open(await written(`hidden${index}.m4a`, bytes));
        const { first } = await readMp4(file, 0);
        await file.close();
        return first.mayHideRecording;
      }),
    );
    expect(mayHideRecording).toEqual([false, true, false, false]);
  });

  it('one whose index is missing is known to be there', async () => {
    const cut = joined([kind, boxOf('mdat', Buffer.alloc(99))]);
    expect((await inFile(joined([plain, cut, plain]))).later).toMatchObject([null, { tracks: 1 }]);
  });

  it('each say how long they are, or nothing that makes no sense', async () => {
    const bytes = Buffer.from(joined([plain, plain, inOrder]));
    bytes.writeUInt32BE(0, bytes.lastIndexOf('mdhd', bytes.lastIndexOf('mdhd') - 1) + 16);
    const { first, later } = await inFile(bytes);
    expect([first, ...later].map((part) => part?.seconds)).toEqual([SECONDS, null, null]);
  });

  it.each([
    ['plain', plain],
    ['fragmented', inOrder],
  ])('what comes of a %s MP4 is held no longer than its boxes are small', async (_what, begun) => {
    let asked = 0;
    const reader = new ByteReader(
      (async function* pieces() {
        yield joined([begun, boxOf('mdat', Buffer.alloc(8), 1 << 30)]);
        for (; ; asked += 1) yield Buffer.alloc(1000);
      })(),
    );
    const part = mp4Bytes(reader);
    for (let got = 0; got < begun.length + 5000;) got += (await part.next()).value?.length ?? Infinity;
    expect(asked).toBeLessThan(10);
  });
});

describe('AUD-24: fragments whose times go back', () => {
  const timesIn = (bytes: Uint8Array): number[] => {
    const data = Buffer.from(bytes);
    const times: number[] = [];
    for (let found = data.indexOf('tfdt'); found >= 0; found = data.indexOf('tfdt', found + 4))
      times.push(Number(data.readBigInt64BE(found + 8)) / RATE);
    return times;
  };

  it.each<[string, Uint8Array, number[]]>([
    ['that go on are left as they are', inOrder, [at(0), at(1), at(2), at(3)]],
    ['that begin before 0 likewise', fragments(-at(1), 0, at(2), at(3)), [-at(1), 0, at(2), at(3)]],
    ['with a hole likewise', fragments(0, 9 + at(1), 9 + at(2), 9 + at(3)), [0, 9 + at(1), 9 + at(2), 9 + at(3)]],
    ['count anew', restarted, [10, 10 + at(1), 10 + at(2), 10 + at(3)]],
    ['follow on where they overlap', fragments(0, at(1) - 0.02, at(2), at(3)), [0, at(1), at(2), at(3)]],
    [
      'are as before behind one that was damaged',
      fragments(10, 0, 10 + at(2), 10 + at(3)),
      [10, 10 + at(1), 10 + at(2), 10 + at(3)],
    ],
  ])('%s', async (_what, bytes, times) => {
    const { parts } = await passed(bytes, 500);
    expect(timesIn(joined(parts))).toEqual(times);
    expect((await inFile(bytes)).first.needsRepair).toBe(Buffer.compare(joined(parts), bytes) !== 0);
  });

  /** All of them, and without the second; each of a length. */
  const whole = fragmentedMp4(
    [0, 1, 2, 3].map((number) => blockOf(at(number), number)),
    { isCounted: true },
  );
  const without = fragmentedMp4(
    [0, 2, 3].map((number) => blockOf(at(number), number)),
    { isCounted: true },
  );
  const each = whole.length - without.length;
  const [second, third] = [whole.length - 3 * each, whole.length - 2 * each];
  const lost = (from: number, to: number): Uint8Array => joined([whole.subarray(0, from), whole.subarray(to)]);
  const stuffed = (from: number, more: Uint8Array): Uint8Array =>
    joined([whole.subarray(0, from), more, whole.subarray(from)]);

  it.each<[string, Uint8Array, Uint8Array]>([
    ['junk between them', stuffed(third, junk), whole],
    [
      'junk inside the sound of one',
      stuffed(third - 500, junk),
      joined([stuffed(third - 500, junk).subarray(0, third), whole.subarray(third)]),
    ],
    [
      'bytes lost of the sound of one',
      lost(third - 500, third - 400),
      joined([lost(third - 500, third - 400).subarray(0, third - 100), Buffer.alloc(100), whole.subarray(third)]),
    ],
    [
      'a few bytes lost of it',
      lost(third - 500, third - 492),
      joined([lost(third - 500, third - 492).subarray(0, third), whole.subarray(third)]),
    ],
    ['bytes lost of the head of one', lost(second + 60, second + 70), without],
    ['the beginning of one lost', lost(second, second + 20), without],
  ])('go on behind %s', async (_what, bytes, mended) => {
    for (const length of [bytes.length, 1000, 7]) {
      const { parts } = await passed(bytes, length);
      expect(parts.map((part) => Buffer.compare(part, mended))).toEqual([0]);
    }
    expect(await inFile(bytes)).toMatchObject({
      first: { needsRepair: true, end: bytes.length },
      later: [],
      behind: null,
    });
  });

  it('keep a box of an unknown type between the head of one and its sound', async () => {
    const head = Buffer.from(whole).readUInt32BE(second);
    const bytes = stuffed(second + head, boxOf('abcd', Buffer.alloc(32)));
    for (const length of [bytes.length, 7])
      expect((await passed(bytes, length)).parts.map((part) => part.equals(bytes))).toEqual([true]);
    expect(await inFile(bytes)).toMatchObject({ first: { needsRepair: false, end: bytes.length } });
  });

  it('AUD-23: end where they were cut, and another MP4 begins', async () => {
    const cut = inOrder.subarray(0, -500);
    const bytes = joined([cut, plain, spoken]);
    expect((await passed(bytes, 333)).parts.map(({ length }) => length)).toEqual([cut.length, plain.length]);
    expect(await inFile(bytes)).toMatchObject({ first: { needsRepair: false, end: cut.length }, later: [{}] });
  });

  it('begin no other recording where each begins like a file, without an index or with the same one', async () => {
    const [first, ...others] = [0, 1, 2].map((second) => fragmentedMp4([{ at: second * SECONDS, samples }]));
    const goesOn = joined([first!, ...others]);
    expect((await passed(goesOn, 333)).parts.map(({ length }) => length)).toEqual([goesOn.length]);
    expect((await inFile(goesOn)).later).toEqual([]);
    const marked = joined(
      [0, 1, 0].map((second, number) =>
        joined([kind, fragmentedMp4([{ at: second, samples }], { isBegun: number > 0 })]),
      ),
    );
    expect((await passed(marked, 333)).parts.map(({ length }) => length)).toEqual([marked.length]);
    const again = joined([first!, first!]);
    expect((await passed(again, 333)).parts.map(({ length }) => length)).toEqual([first!.length, first!.length]);
  });
});

const cutShort = fragmentedMp4([{ at: 0, samples }], { isCounted: true }).subarray(0, -999);
const spokenLater = fragmentedMp4([{ at: 10, samples }], { isBegun: true });

/** The real one, where the machine has it. */
const installed = await findFfmpeg();

// None where there is none: nothing is skipped.
describe.each(installed === undefined ? [] : [installed])('through the ffmpeg of this machine', () => {
  interface Heard {
    sound: Float32Array;
    notes: readonly RecordingNote[];
  }

  async function heard(bytes: Uint8Array): Promise<Heard> {
    let notes: readonly RecordingNote[] = [];
    // Whatever a path holds, its protocol's options are none of it.
    const path = await written("parts,,end,9,,:a b%20'|.mp4", bytes);
    const onNotes = (all: readonly RecordingNote[]): void => void (notes = all);
    const sound = await collect(createAudioDecoder().decode(path, { maxSeconds: 60, onNotes }));
    return { sound, notes };
  }

  async function heardLive(bytes: Uint8Array): Promise<Heard> {
    const pieces: Float32Array[] = [];
    const stream = openStreamDecoder('auto', {
      audio: (pcm) =>
        void pieces.push(Float32Array.from(new Int16Array(pcm.slice().buffer), (sample) => sample / 32_768)),
      error: (error) => {
        throw error;
      },
    });
    for (let from = 0; from < bytes.length; from += 5000) stream.push(bytes.subarray(from, from + 5000));
    await stream.end();
    const sound = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0));
    pieces.reduce((end, piece) => (sound.set(piece, end), end + piece.length), 0);
    return { sound, notes: stream.notes() };
  }

  it.each<[string, Uint8Array, number[], RecordingNote[]]>([
    [
      'AUD-23: two MP4s and a WAV behind another, and junk',
      joined([plain, junk, late, inOrder, junk, spoken]),
      [0, SECONDS, 2 * SECONDS, 3 * SECONDS],
      [{ type: 'parts_joined', count: 4 }],
    ],
    [
      'AUD-15, AUD-23: an MP4 behind one without an index',
      joined([plain, kind, boxOf('mdat', Buffer.alloc(99)), plain]),
      [0, SECONDS],
      [
        { type: 'parts_joined', count: 2 },
        { type: 'parts_left_out', count: 1 },
      ],
    ],
    ['AUD-24: fragments that go back', restarted, [10], []],
    ['AUD-24: a fragment behind one that was cut', joined([cutShort, spokenLater]), [10], []],
  ])('%s, as a file and live', async (_what, bytes, begins, notes) => {
    for (const { sound, notes: told } of [await heard(bytes), await heardLive(bytes)]) {
      for (const seconds of begins) {
        const from = Math.round(seconds * RATE);
        expect(samples.every((sample, index) => Math.abs(sample - (sound[from + index] ?? 2)) < 1e-3)).toBe(true);
      }
      expect(sound.length).toBe(Math.round(((begins.at(-1) ?? 0) + SECONDS) * RATE));
      expect(told).toEqual(notes);
    }
  });

  it('AUD-25: Matroska whose codec is not built in, before others, as a file and live', async () => {
    const aac = new Uint8Array(await readFile(audioFile('formats/aac.mka')));
    const alone = (await heard(aac)).sound.length;
    const bytes = joined([aac, aac, spoken]);
    for (const { sound, notes } of [await heard(bytes), await heardLive(bytes)]) {
      expect(Math.abs(sound.length - 2 * alone - samples.length)).toBeLessThan(RATE / 10);
      expect(
        Math.max(...samples.map((sample, index) => Math.abs(sample - sound.at(index - samples.length)!))),
      ).toBeLessThan(1e-3);
      expect(notes).toEqual([{ type: 'parts_joined', count: 3 }]);
    }
  });

  it('AUD-25: Matroska with a track that is described by a mark is whole', async () => {
    const path = join(folder, 'marks.mka');
    const tracks = ['-map', '0', '-map', '0', '-c:a:0', 'aac', '-c:a:1', 'flac'];
    await promisify(execFile)(installed ?? '', ['-nostdin', '-v', 'error', '-y', '-i', short.path, ...tracks, path]);
    const bytes = new Uint8Array(await readFile(path));
    for (const { sound } of [await heard(bytes), await heardLive(bytes)])
      expect(Math.abs(sound.length - short.samples.length)).toBeLessThan(RATE / 10);
  });
});
