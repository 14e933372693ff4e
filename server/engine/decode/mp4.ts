/** Reads the boxes of an MP4, and what its index tells of its sound. */
import { ByteReader, joined, textOf, viewOf } from './bytes.ts';
import { TRACKS_MAX } from './codec.ts';
import { KeptBytes } from './kept-bytes.ts';
import { EngineError } from '../port.ts';

/** The index of hours of video stays below this. */
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
/** Sample entries of plain samples. */
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
/** What a live stream holds before its sound is heard: an index of hours. */
const LIVE_INDEX_MAX = 1 << 24;
/** Of several tracks, ffmpeg gives none before each has sounded: live, a track that begins later than this, in seconds, is not waited for. */
const LATE_SECONDS = 2;
/** Sample entries of protected audio: common encryption, and the older kind of music shops. */
const PROTECTED = new Set(['enca', 'drms', 'drma']);

const invalid = (why: string): EngineError => new EngineError('invalid_audio', `The MP4 file ${why}.`);

export const indexMissing = (): EngineError => invalid('is cut short or damaged: its index is missing');

/** Size of the box whose head this is, with the head, and the length of that; size 0 goes to the end. */
export function sizeOf(head: Uint8Array): { size: number; headBytes: number } {
  const view = viewOf(head);
  const size = view.getUint32(0);
  if (size === 1 && head.length >= 16) return { size: Number(view.getBigUint64(8)), headBytes: 16 };
  return { size: size === 0 ? Infinity : size, headBytes: 8 };
}

export function* boxes(bytes: Uint8Array): Generator<{ type: string; content: Uint8Array }> {
  for (let at = 0; at + 8 <= bytes.length;) {
    const { size, headBytes } = sizeOf(bytes.subarray(at));
    if (size < headBytes) return;
    yield { type: textOf(bytes, at + 4, at + 8), content: bytes.subarray(at + headBytes, at + size) };
    at += size;
  }
}

export const inside = (bytes: Uint8Array, type: string): Uint8Array =>
  Array.from(boxes(bytes)).find((box) => box.type === type)?.content ?? new Uint8Array(0);

/** The sound tracks. */
export const tracksOf = (index: Uint8Array): Uint8Array[] =>
  Array.from(boxes(index))
    .filter(({ type, content }) => type === 'trak' && textOf(inside(inside(content, 'mdia'), 'hdlr'), 8, 12) === 'soun')
    .map(({ content }) => content);

/** The media boxes of the sound tracks. */
const soundsOf = (index: Uint8Array): Uint8Array[] => tracksOf(index).map((track) => inside(track, 'mdia'));

const samplesOf = (media: Uint8Array): Uint8Array => inside(inside(media, 'minf'), 'stbl');
const codecOf = (media: Uint8Array): string => textOf(inside(samplesOf(media), 'stsd'), 12, 16);

/** Time scale and duration of a header box (`mvhd`, `mdhd`); a duration of all bits set is unknown. */
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

/** Seconds of sound that an index declares, null where it does not. A file in fragments has its length in a box of its own, if at all. */
export function secondsIn(index: Uint8Array): number | null {
  const [sound] = soundsOf(index);
  const media = sound && timesOf(inside(sound, 'mdhd'));
  const movie = timesOf(inside(index, 'mvhd'));
  const fragments = inside(inside(index, 'mvex'), 'mehd');
  const { duration, scale } =
    media && media.duration > 0
      ? media
      : { scale: movie?.scale ?? 0, duration: fragments.length < 8 ? 0 : ticksOf(fragments) };
  return duration > 0 && scale > 0 ? duration / scale : null;
}

const ticksOf = (header: Uint8Array): number =>
  header[0] === 1 && header.length >= 12 ? Number(viewOf(header).getBigUint64(4)) : viewOf(header).getUint32(4);

/** Whether a box may begin with these bytes. */
export const isBox = (head: Uint8Array): boolean => /^[ -~\xA9][ -~]{3}$/.test(textOf(head, 4, 8));

/** How far ahead boxes are read to know whether an MP4 goes on with them, bytes. */
export const GOES_ON_MAX = 1 << 20;
/** Boxes of an unknown type in a row. */
export const UNKNOWN_MAX = 16;

/** Bytes from a place behind the next one on; fewer only at the end. */
export type Ahead = (at: number, length: number) => Promise<Uint8Array>;

export interface Box {
  type: string;
  /** With its head; infinite where it goes to the end. */
  size: number;
  headBytes: number;
}

/** The box at a place; null where there is none, or one that makes no sense. */
export async function boxAt(ahead: Ahead, at = 0): Promise<Box | null> {
  const short = await ahead(at, 8);
  if (!isBox(short)) return null;
  const head = short[3] === 1 ? await ahead(at, 16) : short;
  const { size, headBytes } = sizeOf(head);
  return size < headBytes ? null : { type: textOf(head, 4, 8), size, headBytes };
}

/** How many sound tracks an index has, and the name of the codec of the first. @throws EngineError when there is no sound, or protected sound */
export function soundIn(index: Uint8Array): { codec: string; tracks: number } {
  const sounds = soundsOf(index);
  const [sound] = sounds;
  if (sound === undefined) throw invalid('has no audio track');
  const codec = codecOf(sound);
  if (PROTECTED.has(codec)) throw invalid('is encrypted (DRM) and cannot be read');
  return { codec: CODECS[codec] ?? codec.trim(), tracks: sounds.length };
}

/** An MP4 on its way: all its bytes, and which of its audio tracks are heard, counted from 0. */
export interface LiveMp4 {
  bytes: AsyncIterable<Uint8Array>;
  tracks: readonly number[];
  /** Tracks that are not heard. */
  leftOut: number;
}

/**
 * Reads an MP4 that comes live up to its index.
 * @throws EngineError when the index comes after the sound, or when it has no sound, or protected sound
 */
export async function openLiveMp4(source: AsyncIterable<Uint8Array>): Promise<LiveMp4> {
  const kept = new KeptBytes(source);
  const index = await comingIndex(new ByteReader(kept));
  const { tracks: count } = index === null ? { tracks: 1 } : soundIn(index);
  const heard = index === null ? [] : heardLive(index);
  const tracks = heard.length === 0 ? [0] : heard.slice(0, TRACKS_MAX);
  return { bytes: kept.again() ?? source, tracks, leftOut: count - tracks.length };
}

/** The content of the index; null where it is left to ffmpeg to complain. @throws EngineError when the sound comes first */
async function comingIndex(bytes: ByteReader): Promise<Uint8Array | null> {
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

/** The tracks that ffmpeg can decode and that begin to sound at once. */
function heardLive(index: Uint8Array): number[] {
  const isInFragments = inside(index, 'mvex').length > 0;
  const scale = timesOf(inside(index, 'mvhd'))?.scale ?? 1;
  return tracksOf(index).flatMap((track, number) => {
    const media = inside(track, 'mdia');
    const codec = codecOf(media);
    const isKnown = codec in CODECS || SAMPLES.has(codec);
    const hasSound = isInFragments || countIn(samplesOf(media)) > 0;
    return isKnown && hasSound && silenceBefore(track) <= LATE_SECONDS * scale ? [number] : [];
  });
}

/** How many samples a table has. */
function countIn(table: Uint8Array): number {
  const sizes = ['stsz', 'stz2'].map((type) => inside(table, type)).find(({ length }) => length >= 12);
  return sizes === undefined ? 0 : viewOf(sizes).getUint32(8);
}

/** Where the last chunk of sound begins that an index lists, bytes from the start of the file; -1 where it lists none. */
export function lastChunk(index: Uint8Array): number {
  const ends = soundsOf(index).map((media) => {
    const [short, long] = ['stco', 'co64'].map((type) => inside(samplesOf(media), type));
    if (short !== undefined && short.length >= 12) return viewOf(short).getUint32(short.length - 4);
    return long !== undefined && long.length >= 16 ? Number(viewOf(long).getBigUint64(long.length - 8)) : -1;
  });
  return Math.max(-1, ...ends);
}

/** Codecs whose frames have no mark, and stand in an MP4 as in a file of their own; of `mp4a`, MP3 is one. */
const BARE_CODECS = new Set(['.mp1', '.mp2', '.mp3', 'ac-3', 'ec-3', 'ms\0\x50', 'ms\0\x55', 'mp4a']);
/** Numbers of AAC in an `esds`. */
const AAC_KINDS = new Set([0x40, 0x66, 0x67, 0x68]);

/** Whether a sample entry of `mp4a` is AAC: by its `esds`, a version and two descriptors, each with a length of up to four bytes. */
function isAac(entry: Uint8Array): boolean {
  const found = textOf(entry, 0, entry.length).indexOf('esds');
  let at = found + 9;
  while (entry[at] === 0x80) at += 1;
  // Length, number and flags of the stream, and the next descriptor.
  at += 5;
  while (entry[at] === 0x80) at += 1;
  return found < 0 || AAC_KINDS.has(entry[at + 1] ?? 0);
}

/** Whether the sound of one of its tracks is such frames, as far as the index tells. */
export const hasBareFrames = (index: Uint8Array): boolean =>
  soundsOf(index).some((media) => {
    const codec = codecOf(media);
    return BARE_CODECS.has(codec) && !(codec === 'mp4a' && isAac(inside(samplesOf(media), 'stsd')));
  });

/** For how long an edit list puts nothing before a track, in units of the whole file. */
function silenceBefore(track: Uint8Array): number {
  const list = inside(inside(track, 'edts'), 'elst');
  const isLong = list[0] === 1;
  if (list.length < (isLong ? 28 : 20)) return 0;
  const view = viewOf(list);
  const [duration, from] = isLong
    ? [Number(view.getBigUint64(8)), Number(view.getBigInt64(16))]
    : [view.getUint32(8), view.getInt32(12)];
  return from === -1 ? duration : 0;
}
