/** Writes containers with the time stamps that a test wants. */
import { ByteReader, joined } from '#server/engine/decode/bytes.ts';
import { oggPages } from '#server/engine/decode/ogg-pages.ts';

export const RATE = 16_000;

const bytesOf = (value: number, length: number): Uint8Array => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, BigInt(value)));
  return Uint8Array.from(bytes.subarray(8 - length));
};

/** An element of EBML. */
function element(id: number, ...content: readonly Uint8Array[]): Uint8Array {
  const body = joined(content);
  const idBytes = id > 0xff_ffff ? 4 : id > 0xffff ? 3 : id > 0xff ? 2 : 1;
  const size = bytesOf(body.length, 8);
  size[0] = 1;
  return joined([bytesOf(id, idBytes), size, body]);
}

/** Sound of a track: s16 samples of one channel at 16 kHz. */
export interface Block {
  /** Seconds. */
  at: number;
  samples: Float32Array;
  track?: number;
}

export interface TrackTags {
  language?: string;
  isDefault?: boolean;
}

const s16 = (samples: Float32Array): Uint8Array => {
  const bytes = Buffer.alloc(samples.length * 2);
  samples.forEach((sample, index) => bytes.writeInt16LE(Math.round(sample * 32_767), index * 2));
  return bytes;
};

const trackEntry = (number: number, { language, isDefault }: TrackTags): Uint8Array => {
  const rate = Buffer.alloc(8);
  rate.writeDoubleBE(RATE);
  return element(
    0xae,
    element(0xd7, bytesOf(number, 1)),
    element(0x83, bytesOf(2, 1)),
    element(0x86, Buffer.from('A_PCM/INT/LIT')),
    ...(language === undefined ? [] : [element(0x22b59c, Buffer.from(language))]),
    ...(isDefault === undefined ? [] : [element(0x88, bytesOf(isDefault ? 1 : 0, 1))]),
    element(0xe1, element(0xb5, rate), element(0x9f, bytesOf(1, 1)), element(0x6264, bytesOf(16, 1))),
  );
};

/** Matroska with a cluster for each block. */
export function matroska(blocks: readonly Block[], tracks: readonly TrackTags[] = [{}]): Uint8Array {
  return joined([
    element(0x1a45dfa3, element(0x4282, Buffer.from('matroska'))),
    element(
      0x18538067,
      element(0x1654ae6b, ...tracks.map((tags, index) => trackEntry(index + 1, tags))),
      ...blocks.map(({ at, samples, track = 1 }) =>
        element(
          0x1f43b675,
          element(0xe7, bytesOf(Math.max(0, Math.round(at * 1000)), 8)),
          // What lies before 0 is told by its block.
          element(
            0xa3,
            Uint8Array.of(0x80 | track),
            bytesOf(Math.min(0, Math.round(at * 1000)) & 0xffff, 2),
            Uint8Array.of(0x80),
            s16(samples),
          ),
        ),
      ),
    ),
  ]);
}

/**
 * An Ogg stream whose pages of sound are moved.
 * @param seconds of each page, by what is added to its time
 * @param rate that its positions count
 */
export async function movedOgg(ogg: Uint8Array, seconds: (page: number) => number, rate: number): Promise<Uint8Array> {
  const moved = ogg.slice();
  const view = Buffer.from(moved.buffer);
  let from = 0;
  let sound = 0;
  const source = (async function* bytes() {
    yield ogg;
  })();
  for await (const page of oggPages(new ByteReader(source))) {
    if (page.position !== null && page.position > 0n) {
      view.writeBigUInt64LE(page.position + BigInt(Math.round(seconds(sound) * rate)), from + 6);
      sound += 1;
    }
    from += 27 + page.segments.length + page.body.length;
  }
  return moved;
}

const box = (type: string, ...content: readonly Uint8Array[]): Uint8Array => {
  const body = joined(content);
  return joined([bytesOf(body.length + 8, 4), Buffer.from(type), body]);
};
const full = (type: string, ...content: readonly Uint8Array[]): Uint8Array => box(type, bytesOf(0, 4), ...content);
const u32 = (...values: readonly number[]): Uint8Array => joined(values.map((value) => bytesOf(value, 4)));
const IDENTITY = u32(0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000);

const FTYP = box('ftyp', Buffer.from('qt  '), u32(0), Buffer.from('qt  '));

interface Movie {
  /** Samples of the track, and those that are played of it and the silence before. */
  total: number;
  whole: number;
  edits?: readonly Uint8Array[];
  tables: readonly Uint8Array[];
  fragments?: readonly Uint8Array[];
}

/** The index of one track of 16 kHz PCM. */
function movie({ total, whole, edits = [], tables, fragments = [] }: Movie): Uint8Array {
  const entry = box('sowt', u32(0, 1), u32(0, 0), bytesOf(1, 2), bytesOf(16, 2), u32(0), u32(RATE * 0x1_0000));
  return box(
    'moov',
    full(
      'mvhd',
      u32(0, 0, RATE, whole, 0x1_0000),
      bytesOf(0x100, 2),
      new Uint8Array(10),
      IDENTITY,
      new Uint8Array(24),
      u32(2),
    ),
    box(
      'trak',
      joined([
        bytesOf(92, 4),
        Buffer.from('tkhd'),
        u32(7, 0, 0, 1, 0, whole),
        new Uint8Array(8),
        new Uint8Array(4),
        bytesOf(0x100, 2),
        bytesOf(0, 2),
        IDENTITY,
        u32(0, 0),
      ]),
      ...edits,
      box(
        'mdia',
        full('mdhd', u32(0, 0, RATE, total, 0)),
        full('hdlr', u32(0), Buffer.from('soun'), new Uint8Array(13)),
        box(
          'minf',
          full('smhd', u32(0)),
          box('dinf', full('dref', u32(1), joined([u32(12), Buffer.from('url '), u32(1)]))),
          box('stbl', full('stsd', u32(1), entry), ...tables),
        ),
      ),
    ),
    ...fragments,
  );
}

/**
 * MP4 as {@link mp4}, in fragments of a block each, its time told by each; without what begins it where more of another one is wanted.
 * @param isCounted whether the bytes of a fragment are counted from the start of the file, not from its own
 */
export function fragmentedMp4(blocks: readonly Block[], { isBegun = false, isCounted = false } = {}): Uint8Array {
  const index = movie({
    total: 0,
    whole: 0,
    tables: [full('stts', u32(0)), full('stsc', u32(0)), full('stsz', u32(0, 0)), full('stco', u32(0))],
    fragments: [box('mvex', full('trex', u32(1, 1, 1, 2, 0)))],
  });
  let from = isBegun ? 0 : FTYP.length + index.length;
  const fragments = blocks.map(({ at, samples }) => {
    const head = (dataAt: number): Uint8Array =>
      box(
        'moof',
        full('mfhd', u32(1)),
        box(
          'traf',
          isCounted ? box('tfhd', u32(1, 1), bytesOf(from, 8)) : box('tfhd', u32(0x2_0000, 1)),
          box('tfdt', u32(0x100_0000), bytesOf(Math.round(at * RATE), 8)),
          box('trun', u32(1, samples.length, dataAt)),
        ),
      );
    const fragment = joined([head(head(0).length + 8), box('mdat', s16(samples))]);
    from += fragment.length;
    return fragment;
  });
  return joined([...(isBegun ? [] : [FTYP, index]), ...fragments]);
}

/**
 * MP4 with one track of 16 kHz PCM, a chunk for each block, its time by the lengths of the samples before it.
 * @param edits seconds of nothing before the sound, and from where in it the sound is played; its index is at its end,
 * if not said otherwise
 */
export function mp4(blocks: readonly Block[], { empty = 0, from = 0, isIndexFirst = false } = {}): Uint8Array {
  const lengths = blocks.map(({ samples }) => samples.length);
  // One sample of PCM lasts one tick; the last of a block lasts up to the next block.
  const durations = blocks.flatMap(({ at, samples }, index) => {
    const next = blocks[index + 1];
    const last = next === undefined ? 1 : Math.round((next.at - at) * RATE) - samples.length + 1;
    return [samples.length - 1, 1, 1, last];
  });
  const total = durations.reduce(
    (sum, _, index) => (index % 2 === 0 ? sum + (durations[index] ?? 0) * (durations[index + 1] ?? 0) : sum),
    0,
  );
  const data = joined(blocks.map(({ samples }) => s16(samples)));
  const played = total - Math.round(from * RATE);
  const offsetsFrom = (start: number): number[] =>
    lengths.map((_, index) => lengths.slice(0, index).reduce((at, length) => at + length * 2, start));
  const index = (offsets: readonly number[]): Uint8Array =>
    movie({
      total,
      whole: Math.round(empty * RATE) + played,
      edits: [
        box(
          'edts',
          full(
            'elst',
            u32(empty > 0 ? 2 : 1),
            ...(empty > 0 ? [u32(Math.round(empty * RATE), 0xffff_ffff, 0x1_0000)] : []),
            u32(played, Math.round(from * RATE), 0x1_0000),
          ),
        ),
      ],
      tables: [
        full('stts', u32(durations.length / 2), u32(...durations)),
        full('stsc', u32(lengths.length), ...lengths.map((length, number) => u32(number + 1, length, 1))),
        full(
          'stsz',
          u32(
            2,
            lengths.reduce((sum, length) => sum + length, 0),
          ),
        ),
        full('stco', u32(offsets.length), u32(...offsets)),
      ],
    });
  const dataAt = FTYP.length + 8;
  if (!isIndexFirst) return joined([FTYP, box('mdat', data), index(offsetsFrom(dataAt))]);
  return joined([FTYP, index(offsetsFrom(dataAt + index(offsetsFrom(0)).length)), box('mdat', data)]);
}
