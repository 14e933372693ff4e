/** Finds where the next recording begins in a byte stream of joined recordings. */
import {
  ID3V1_BYTES,
  ID3_HEADER_BYTES,
  SNIFF_BYTES,
  WAVPACK,
  id3Bytes,
  sniffFormat,
  videoOf,
  type AudioFormat,
} from './audio-format.ts';
import { ByteReader, textOf, viewOf } from './bytes.ts';
import { findMark } from './marks.ts';
import { FRAME_HEADER_BYTES, IN_A_ROW, findFrames, frameAt, nextHeader, type Frame } from './mpeg-frames.ts';
import { findRow, ac3OrTsAhead } from './rows.ts';

/** The format of the recording whose mark begins with the next byte; null if there is no mark. */
export async function markAhead(bytes: ByteReader): Promise<AudioFormat | null> {
  for (let least = 1; ;) {
    const data = await bytes.peek(least);
    const { at, format } = findMark(data.subarray(0, 64));
    if (at > 0 || format !== null || data.length < least) return at === 0 ? format : null;
    least = data.length + 1;
  }
}

/**
 * Whether MPEG or ADTS frames begin with the next byte: returns the first of three in a row, or of two if it is of the
 * `known` kind; else null. Reads no further than these frames.
 */
export async function framesAhead(bytes: ByteReader, known: number | null = null): Promise<Frame | null> {
  let first: Frame | null = null;
  for (let at = 0, count = 0; count < (first?.kind === known ? IN_A_ROW - 1 : IN_A_ROW); count += 1) {
    const frame = frameAt(await bytes.peek(at + FRAME_HEADER_BYTES), at);
    if (frame === null || (frame.layer === 1 && frame.kind !== known)) return null;
    first ??= frame;
    if (frame.kind !== first.kind || frame.format !== first.format) return null;
    at += frame.bytes;
  }
  return first;
}

/** Skips to where {@link framesAhead} finds frames; null if there are none in the next `within` bytes. */
export async function seekFrames(
  bytes: ByteReader,
  { within = Infinity, known = null }: { within?: number; known?: number | null } = {},
): Promise<Frame | null> {
  for (let left = within; left > 0;) {
    const frame = await framesAhead(bytes, known);
    if (frame !== null) return frame;
    const data = await bytes.peek(1);
    if (data.length === 0) return null;
    const skipped = nextHeader(data);
    await bytes.skip(skipped);
    left -= skipped;
  }
  return null;
}

/** Size of the ID3 tag that begins with the next byte; 0 if there is none. */
export async function tagAhead(bytes: ByteReader): Promise<number> {
  const head = await bytes.peek(10);
  return textOf(head, 0, 3) === 'TAG' ? ID3V1_BYTES : id3Bytes(head);
}

/** Whether bare frames, or an ID3 tag, begin with the next byte. */
export const hasFramesAhead = async (bytes: ByteReader): Promise<boolean> =>
  id3Bytes(await bytes.peek(10)) > 0 || (await framesAhead(bytes)) !== null || (await ac3OrTsAhead(bytes)) !== null;

/** Yields the bytes up to the next mark of a recording, at most `size`. @returns how many bytes it yielded */
export async function* untilNextMark(bytes: ByteReader, size = Infinity): AsyncGenerator<Uint8Array, number> {
  let least = 1;
  let given = 0;
  while (given < size) {
    const data = await bytes.peek(least);
    const { at, format } = findMark(data);
    if (data.length === 0 || (at === 0 && format !== null)) break;
    const isEnd = data.length < least;
    const piece = await bytes.upTo(Math.min(size - given, isEnd && format === null ? data.length : at));
    least = at === 0 ? data.length + 1 : 1;
    given += piece?.length ?? 0;
    if (piece !== null && piece.length > 0) yield piece;
  }
  return given;
}

/**
 * Formats whose own bytes hold no mark behind their header, so that a mark there begins a joined recording. Videos hold
 * none either.
 */
const SEARCHED = new Set<AudioFormat>(['matroska', 'asf', 'ac3', 'eac3', 'caf', 'ogg', 'wav', 'rf64', 'w64', 'aiff']);
async function isSearched(bytes: ByteReader, format: AudioFormat): Promise<boolean> {
  if (format !== 'other') return SEARCHED.has(format);
  const head = (await bytes.peek(SNIFF_BYTES)).subarray(0, SNIFF_BYTES);
  return videoOf(head) !== null;
}
/**
 * Where the sound begins, if the header may hold marks: a Matroska track's FLAC header, Ogg's first page of each
 * stream.
 */
const SOUND: Partial<Record<AudioFormat, string>> = { matroska: '\x1F\x43\xB6\x75', ogg: 'OggS\0\0' };

/**
 * Yields the bytes of a recording without a built-in decoder, up to the next recording if this can be found in its
 * format, else to the end.
 */
export async function* ownBytes(bytes: ByteReader, format: AudioFormat): AsyncGenerator<Uint8Array> {
  const canFindNext = await isSearched(bytes, format);
  const sound = SOUND[format];
  const isEndFound = sound === undefined ? yield* ownBeginning(bytes) : yield* upTo(bytes, sound);
  if (isEndFound) yield* untilNextRecording(bytes, true);
  else if (canFindNext) yield* untilNextMark(bytes);
  else for (let piece = await bytes.upTo(Infinity); piece !== null; piece = await bytes.upTo(Infinity)) yield piece;
}

/** Yields the bytes up to `mark`, and the mark's first byte. @returns false: the recording's end was not found */
async function* upTo(bytes: ByteReader, mark: string): AsyncGenerator<Uint8Array, false> {
  const least = Math.max(1, mark.length);
  for (;;) {
    const data = await bytes.peek(least);
    const found = Buffer.from(data.buffer, data.byteOffset, data.length).indexOf(mark, 0, 'latin1');
    const isEnd = data.length < least;
    const piece = await bytes.upTo(found >= 0 ? found + 1 : isEnd ? data.length : data.length - mark.length + 1);
    if (piece === null) return false;
    yield piece;
    if (found >= 0 || isEnd) return false;
  }
}

/** Decodes the bytes up to the next mark, at most `size`. Puts back the bytes that the decoder left. */
export async function* withinPart<Block>(
  bytes: ByteReader,
  decode: (bytes: ByteReader) => AsyncIterable<Block>,
  size = Infinity,
): AsyncGenerator<Block> {
  const inside = new ByteReader(untilNextMark(bytes, size));
  try {
    yield* decode(inside);
  } finally {
    bytes.unread(inside.rest());
  }
}

/** The frames that identify a recording of bare frames take fewer bytes than this. */
const ROW_BYTES = 1 << 15;

/** Where the first recording of bare frames begins; null if there is none. */
function rowIn(data: Uint8Array): { format: AudioFormat; at: number } | null {
  const frames = findFrames(data);
  return findRow(data.subarray(0, frames?.at)) ?? frames;
}

async function* pieces(bytes: ByteReader, size: number): AsyncGenerator<Uint8Array> {
  for (let left = size; left > 0;) {
    const piece = await bytes.upTo(left);
    if (piece === null) return;
    left -= piece.length;
    yield piece;
  }
}

/** The largest number of blocks of one WavPack recording; hours have fewer. */
const BLOCKS_MAX = 1 << 17;
const BLOCK_HEADER_BYTES = 32;
/** The first WavPack block may hold a WAV header, whose mark does not count, in so many bytes. */
const BLOCK_HEAD_BYTES = 1 << 10;

/**
 * Yields the beginning of a recording without a built-in decoder. Of WavPack this is all blocks up to the next mark; of
 * another format the first byte, so that its own mark is not found again.
 * @returns whether the recording's end was found: for WavPack of several blocks
 */
async function* ownBeginning(bytes: ByteReader): AsyncGenerator<Uint8Array, boolean> {
  for (let blocks = 0; blocks < BLOCKS_MAX; blocks += 1) {
    const head = (await bytes.peek(BLOCK_HEADER_BYTES)).subarray(0, BLOCK_HEADER_BYTES);
    const size = head.length < 8 || textOf(head, 0, 4) !== WAVPACK ? 0 : 8 + viewOf(head).getUint32(4, true);
    if (blocks > 0 && (size < BLOCK_HEADER_BYTES || findMark(head).format !== null)) return blocks > 1;
    const headBytes = blocks > 0 ? 1 : Math.max(1, Math.min(size, BLOCK_HEAD_BYTES));
    yield* pieces(bytes, headBytes);
    if (size > headBytes) yield* untilNextMark(bytes, size - headBytes);
  }
  return true;
}

/** The largest number of tags in a row. */
const TAGS_MAX = 8;

/**
 * Yields the bytes up to the next recording. @returns its format; null at the end
 * @param isRead whether a decoder has read the last recording to its end. If so, bare frames are searched for as well.
 */
export async function* untilNextRecording(
  bytes: ByteReader,
  isRead: boolean,
): AsyncGenerator<Uint8Array, AudioFormat | null> {
  const isEndFound = isRead || (yield* ownBeginning(bytes));
  let tags = isEndFound ? 0 : TAGS_MAX;
  /** How many of the next bytes hold no mark, and how many there must be before the next search for frames. */
  let clear = 0;
  let enough = 0;
  for (let least = 1; ;) {
    const data = await bytes.peek(Math.max(least, tags < TAGS_MAX ? ID3_HEADER_BYTES : 0));
    const isEnd = data.length < least;
    if (data.length === 0) return null;
    const tag = tags < TAGS_MAX ? id3Bytes(data) : 0;
    if (tag > 0) {
      yield* pieces(bytes, tag);
      [tags, clear, enough, least] = [tags + 1, 0, 0, 1];
      continue;
    }
    const found = findMark(data.subarray(clear));
    const at = clear + found.at;
    const isLooked = isEndFound && (isEnd || found.format !== null || data.length >= enough);
    const row = isLooked ? rowIn(found.format === null ? data : data.subarray(0, at)) : null;
    if (row !== null) {
      yield* pieces(bytes, row.at);
      return row.format;
    }
    if (found.format !== null) {
      yield* pieces(bytes, at);
      return found.format === 'ogg' ? sniffFormat(await bytes.peek(64)) : found.format;
    }
    const held = isEndFound ? Math.min(data.length, isLooked ? ROW_BYTES : Infinity) : 0;
    // At the end of the stream, a mark that is cut is no mark.
    const passed = isEnd ? at + 1 : Math.min(at, data.length - held);
    yield* pieces(bytes, passed);
    clear = Math.max(0, at - passed);
    if (isLooked) enough = 2 * (data.length - passed);
    least = isEnd ? 1 : data.length - passed + 1;
  }
}

/** Skips to the next recording, as {@link untilNextRecording}. @returns its format; null at the end */
export async function nextRecording(bytes: ByteReader, isRead: boolean): Promise<AudioFormat | null> {
  const passed = untilNextRecording(bytes, isRead);
  for (;;) {
    const step = await passed.next();
    if (step.done === true) return step.value;
  }
}
