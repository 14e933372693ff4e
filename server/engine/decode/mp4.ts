/** Reads the boxes of an MP4 (ISO 14496-12), and the sound tracks in its index, the `moov` box. */
import { ByteReader, joined, textOf, viewOf } from './bytes.ts';
import { TRACKS_MAX } from './codec.ts';
import { ReplayableBytes } from './kept-bytes.ts';
import { EngineError } from '../port.ts';

/** Largest index, bytes; hours of video stay below this. */
export const INDEX_MAX = 1 << 26;

const CODECS: Readonly<Record<string, string>> = {
  mp4a: 'AAC',
  alac: 'Apple Lossless',
  Opus: 'Opus',
  fLaC: 'FLAC',
  '.mp3': 'MP3',
  'ac-3': 'AC-3',
  'ec-3': 'E-AC-3',
  samr: 'AMR',
  sawb: 'AMR',
};
/** Sample entries of PCM and G.711. */
const SAMPLES = new Set([
  'sowt',
  'twos',
  'lpcm',
  'ipcm',
  'fpcm',
  'raw ',
  'in24',
  'in32',
  'fl32',
  'fl64',
  'ulaw',
  'alaw',
]);
/** The largest number of bytes of a live stream before its sound; enough for the index of hours. */
const LIVE_INDEX_MAX = 1 << 24;
/** Live, leave out tracks that begin later than this, in seconds: ffmpeg gives no sound until each track has begun. */
const LATE_SECONDS = 2;
/** Sample entries of protected audio: common encryption, and the older kind of music shops. */
const PROTECTED = new Set(['enca', 'drms', 'drma']);

const invalid = (why: string): EngineError => new EngineError('invalid_audio', `The MP4 file ${why}.`);

export const indexMissing = (): EngineError => invalid('is cut short or damaged: its index is missing');

/** Size of a box, header included, and of its header. The size is Infinity if the box goes to the end of the file. */
export function sizeOf(head: Uint8Array): { size: number; headBytes: number } {
  const view = viewOf(head);
  const size = view.getUint32(0);
  if (size === 1 && head.length >= 16) return { size: Number(view.getBigUint64(8)), headBytes: 16 };
  return { size: size === 0 ? Infinity : size, headBytes: 8 };
}

/** Yields the boxes in the content of a box; stops at an invalid one. */
export function* boxes(bytes: Uint8Array): Generator<{ type: string; content: Uint8Array }> {
  for (let at = 0; at + 8 <= bytes.length;) {
    const { size, headBytes } = sizeOf(bytes.subarray(at));
    if (size < headBytes) return;
    yield { type: textOf(bytes, at + 4, at + 8), content: bytes.subarray(at + headBytes, at + size) };
    at += size;
  }
}

/** Content of the first box of a type; empty if there is none. */
export const contentOf = (bytes: Uint8Array, type: string): Uint8Array =>
  Array.from(boxes(bytes)).find((box) => box.type === type)?.content ?? new Uint8Array(0);

/** Contents of the sound tracks' `trak` boxes. */
export const tracksOf = (index: Uint8Array): Uint8Array[] =>
  Array.from(boxes(index))
    .filter(
      ({ type, content }) => type === 'trak' && textOf(contentOf(contentOf(content, 'mdia'), 'hdlr'), 8, 12) === 'soun',
    )
    .map(({ content }) => content);

/** Contents of the sound tracks' `mdia` boxes. */
const soundsOf = (index: Uint8Array): Uint8Array[] => tracksOf(index).map((track) => contentOf(track, 'mdia'));

const samplesOf = (media: Uint8Array): Uint8Array => contentOf(contentOf(media, 'minf'), 'stbl');
const codecOf = (media: Uint8Array): string => textOf(contentOf(samplesOf(media), 'stsd'), 12, 16);

/** Time scale (ticks per second) and duration (ticks) of an `mvhd` or `mdhd` box; a duration of 0 is unknown. */
export function timesOf(header: Uint8Array): { scale: number; duration: number } | null {
  const view = viewOf(header);
  if (header[0] === 1 && header.length >= 32) {
    const duration = view.getBigUint64(24);
    return { scale: view.getUint32(20), duration: duration === 0xffff_ffff_ffff_ffffn ? 0 : Number(duration) };
  }
  if (header.length < 20) return null;
  const duration = view.getUint32(16);
  return { scale: view.getUint32(12), duration: duration === 0xffff_ffff ? 0 : duration };
}

/**
 * Seconds of sound that an index declares; null if it declares none. A file in fragments may declare them in `mehd`.
 */
export function secondsIn(index: Uint8Array): number | null {
  const [sound] = soundsOf(index);
  const media = sound && timesOf(contentOf(sound, 'mdhd'));
  const movie = timesOf(contentOf(index, 'mvhd'));
  const fragments = contentOf(contentOf(index, 'mvex'), 'mehd');
  const { duration, scale } =
    media && media.duration > 0
      ? media
      : { scale: movie?.scale ?? 0, duration: fragments.length < 8 ? 0 : ticksOf(fragments) };
  return duration > 0 && scale > 0 ? duration / scale : null;
}

const ticksOf = (header: Uint8Array): number =>
  header[0] === 1 && header.length >= 12 ? Number(viewOf(header).getBigUint64(4)) : viewOf(header).getUint32(4);

/** Whether these bytes may begin a box: its type is printable. */
export const isBox = (head: Uint8Array): boolean => /^[ -~\xA9][ -~]{3}$/.test(textOf(head, 4, 8));

/** How many bytes to peek to find out whether an MP4 goes on. */
export const GOES_ON_MAX = 1 << 20;
/** The largest number of boxes of an unknown type in a row. */
export const UNKNOWN_MAX = 16;

/** Peeks `length` bytes, from `at` bytes behind the current position on; returns fewer only at the end. */
export type PeekAt = (at: number, length: number) => Promise<Uint8Array>;

export interface Box {
  type: string;
  /** Bytes, header included; Infinity if it goes to the end of the file. */
  size: number;
  headBytes: number;
}

/** The header of the box at `at`; null if it is cut or invalid. */
export async function boxAt(peekAt: PeekAt, at = 0): Promise<Box | null> {
  const short = await peekAt(at, 8);
  if (!isBox(short)) return null;
  const head = short[3] === 1 ? await peekAt(at, 16) : short;
  const { size, headBytes } = sizeOf(head);
  return size < headBytes ? null : { type: textOf(head, 4, 8), size, headBytes };
}

/**
 * Number of sound tracks, and the first one's codec name.
 * @throws EngineError if there is no sound, or protected sound
 */
export function soundIn(index: Uint8Array): { codec: string; tracks: number } {
  const sounds = soundsOf(index);
  const [sound] = sounds;
  if (sound === undefined) throw invalid('has no audio track');
  const codec = codecOf(sound);
  if (PROTECTED.has(codec)) throw invalid('is encrypted (DRM) and cannot be read');
  return { codec: CODECS[codec] ?? codec.trim(), tracks: sounds.length };
}

/** An MP4 that comes live. */
export interface LiveMp4 {
  /** All its bytes, index included. */
  bytes: AsyncIterable<Uint8Array>;
  /** The audio tracks to decode, counted from 0. */
  tracks: readonly number[];
  /** How many audio tracks are not decoded. */
  leftOut: number;
}

/**
 * Reads a live MP4 up to its index, and chooses the tracks.
 * @throws EngineError if the index comes after the sound, or if there is no sound, or protected sound
 */
export async function openLiveMp4(source: AsyncIterable<Uint8Array>): Promise<LiveMp4> {
  const kept = new ReplayableBytes(source);
  const index = await readIndex(new ByteReader(kept));
  const { tracks: count } = index === null ? { tracks: 1 } : soundIn(index);
  const heard = index === null ? [] : tracksHeardLive(index);
  const tracks = heard.length === 0 ? [0] : heard.slice(0, TRACKS_MAX);
  return { bytes: kept.replay() ?? source, tracks, leftOut: count - tracks.length };
}

/**
 * Content of the index; null if it is missing or damaged, so that ffmpeg reports it.
 * @throws EngineError if sound comes first
 */
async function readIndex(bytes: ByteReader): Promise<Uint8Array | null> {
  for (let position = 0; ;) {
    const short = await bytes.take(8);
    const long = short && viewOf(short).getUint32(0) === 1 ? await bytes.take(8) : new Uint8Array(0);
    if (short === null || long === null) return null;
    const { size, headBytes } = sizeOf(joined([short, long]));
    const type = textOf(short, 4, 8);
    if (type === 'mdat' && size > headBytes)
      throw new EngineError(
        'invalid_audio',
        'The index of the MP4 is at its end, so that it cannot be decoded while it comes: send it as a file, or write it with its index first (faststart).',
      );
    position += size;
    if (size < headBytes || position > LIVE_INDEX_MAX) return null;
    const content = await bytes.take(size - headBytes);
    if (content === null || type === 'moov') return content;
  }
}

/** Numbers of the tracks that ffmpeg can decode and whose sound begins within {@link LATE_SECONDS}. */
function tracksHeardLive(index: Uint8Array): number[] {
  const isInFragments = contentOf(index, 'mvex').length > 0;
  const scale = timesOf(contentOf(index, 'mvhd'))?.scale ?? 1;
  return tracksOf(index).flatMap((track, number) => {
    const media = contentOf(track, 'mdia');
    const codec = codecOf(media);
    const isKnown = codec in CODECS || SAMPLES.has(codec);
    const hasSound = isInFragments || countIn(samplesOf(media)) > 0;
    return isKnown && hasSound && initialSilence(track) <= LATE_SECONDS * scale ? [number] : [];
  });
}

/** Number of samples in a sample table (`stbl`). */
function countIn(table: Uint8Array): number {
  const sizes = ['stsz', 'stz2'].map((type) => contentOf(table, type)).find(({ length }) => length >= 12);
  return sizes === undefined ? 0 : viewOf(sizes).getUint32(8);
}

/** Offset in the file of the last chunk of sound that an index lists; -1 if it lists none. */
export function lastChunkOffset(index: Uint8Array): number {
  const ends = soundsOf(index).map((media) => {
    const [short, long] = ['stco', 'co64'].map((type) => contentOf(samplesOf(media), type));
    if (short !== undefined && short.length >= 12) return viewOf(short).getUint32(short.length - 4);
    return long !== undefined && long.length >= 16 ? Number(viewOf(long).getBigUint64(long.length - 8)) : -1;
  });
  return Math.max(-1, ...ends);
}

/** Codecs whose frames in an MP4 look like bare frames. `mp4a` may be MP3. */
const BARE_CODECS = new Set(['.mp1', '.mp2', '.mp3', 'ac-3', 'ec-3', 'ms\0\x50', 'ms\0\x55', 'mp4a']);
/** Object types of AAC in an `esds` box. */
const AAC_KINDS = new Set([0x40, 0x66, 0x67, 0x68]);

/**
 * Whether an `mp4a` sample entry is AAC, by its `esds`: a version, and two descriptors with lengths of up to four
 * bytes.
 */
function isAac(entry: Uint8Array): boolean {
  const found = textOf(entry, 0, entry.length).indexOf('esds');
  let at = found + 9;
  while (entry[at] === 0x80) at += 1;
  // Skip the last byte of the length, the stream's id (2) and flags, and the tag of the next descriptor.
  at += 5;
  while (entry[at] === 0x80) at += 1;
  return found < 0 || AAC_KINDS.has(entry[at + 1] ?? 0);
}

/** Whether the sound of any track may be bare frames. */
export const hasBareFrames = (index: Uint8Array): boolean =>
  soundsOf(index).some((media) => {
    const codec = codecOf(media);
    return BARE_CODECS.has(codec) && !(codec === 'mp4a' && isAac(contentOf(samplesOf(media), 'stsd')));
  });

/** Length of the silence that an edit list puts before a track, in ticks of the movie. */
function initialSilence(track: Uint8Array): number {
  const list = contentOf(contentOf(track, 'edts'), 'elst');
  const isLong = list[0] === 1;
  if (list.length < (isLong ? 28 : 20)) return 0;
  const view = viewOf(list);
  const [duration, from] = isLong
    ? [Number(view.getBigUint64(8)), Number(view.getBigInt64(16))]
    : [view.getUint32(8), view.getInt32(12)];
  return from === -1 ? duration : 0;
}
