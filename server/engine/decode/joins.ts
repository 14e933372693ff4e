/** Finds where another recording begins in the bytes behind, or inside, the one before. */
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
import { findBeginning } from './marks.ts';
import { FRAME_HEADER_BYTES, IN_A_ROW, findFrames, frameAt, nextHeader, type Frame } from './mpeg-frames.ts';
import { findRow, rowAhead } from './rows.ts';

/** The format of a recording with a mark of its own that begins with the next byte; null when none does. */
export async function markAhead(bytes: ByteReader): Promise<AudioFormat | null> {
  for (let least = 1; ;) {
    const data = await bytes.peek(least);
    const { at, format } = findBeginning(data.subarray(0, 64));
    if (at > 0 || format !== null || data.length < least) return at === 0 ? format : null;
    least = data.length + 1;
  }
}

/**
 * The first of three frames in a row, from the next byte on, or of two of a known kind; null when there are none. Waits for no more than
 * these.
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

/** Goes to the next frames in a row, as {@link framesAhead}; null where there are none within so many bytes, or to the end. */
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

/** Bytes of a tag that stands between frames; 0 where none does. */
export async function tagAhead(bytes: ByteReader): Promise<number> {
  const head = await bytes.peek(10);
  return textOf(head, 0, 3) === 'TAG' ? ID3V1_BYTES : id3Bytes(head);
}

/** Whether a recording without a mark, or a tag in front of such, is next. */
export const hasFramesAhead = async (bytes: ByteReader): Promise<boolean> =>
  id3Bytes(await bytes.peek(10)) > 0 || (await framesAhead(bytes)) !== null || (await rowAhead(bytes)) !== null;

/** The bytes up to where another recording with a mark begins, at most `size`; and how many these were. */
export async function* untilJoined(bytes: ByteReader, size = Infinity): AsyncGenerator<Uint8Array, number> {
  let least = 1;
  let given = 0;
  while (given < size) {
    const data = await bytes.peek(least);
    const { at, format } = findBeginning(data);
    if (data.length === 0 || (at === 0 && format !== null)) break;
    const isEnd = data.length < least;
    const piece = await bytes.upTo(Math.min(size - given, isEnd && format === null ? data.length : at));
    least = at === 0 ? data.length + 1 : 1;
    given += piece?.length ?? 0;
    if (piece !== null && piece.length > 0) yield piece;
  }
  return given;
}

/** Formats that hold no mark of another recording behind their head. Videos hold none either. */
const SEARCHED = new Set<AudioFormat>(['matroska', 'asf', 'ac3', 'eac3', 'caf', 'ogg', 'wav', 'rf64', 'w64', 'aiff']);
async function isSearched(bytes: ByteReader, format: AudioFormat): Promise<boolean> {
  if (format !== 'other') return SEARCHED.has(format);
  const head = (await bytes.peek(SNIFF_BYTES)).subarray(0, SNIFF_BYTES);
  return videoOf(head) !== null;
}
/** Begins the sound of a format whose head may hold marks: of FLAC in the tracks of a Matroska, of several streams in Ogg. */
const SOUND: Partial<Record<AudioFormat, string>> = { matroska: '\x1F\x43\xB6\x75', ogg: 'OggS\0\0' };

/** The bytes of a recording that is not decoded here, up to where another one begins, or to the end where that is not looked for. */
export async function* ownBytes(bytes: ByteReader, format: AudioFormat): AsyncGenerator<Uint8Array> {
  const isOpen = await isSearched(bytes, format);
  const sound = SOUND[format];
  const isEndKnown = sound === undefined ? yield* headOf(bytes) : yield* upTo(bytes, sound);
  if (isEndKnown) yield* untilNext(bytes, true);
  else if (isOpen) yield* untilJoined(bytes);
  else for (let piece = await bytes.upTo(Infinity); piece !== null; piece = await bytes.upTo(Infinity)) yield piece;
}

/** The bytes up to a mark and the first one of it. @returns that no end is known */
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

/** Decodes up to where another recording begins, at most `size` bytes, and gives back what the decoder has left. */
export async function* withinPart<Block>(
  bytes: ByteReader,
  decode: (bytes: ByteReader) => AsyncIterable<Block>,
  size = Infinity,
): AsyncGenerator<Block> {
  const inside = new ByteReader(untilJoined(bytes, size));
  try {
    yield* decode(inside);
  } finally {
    bytes.unread(inside.rest());
  }
}

/** Frames without a mark that tell a recording, at their longest, take fewer bytes. */
const ROW_BYTES = 1 << 15;

/** The first recording without a mark. */
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

/** Blocks of WavPack: hours have fewer. */
const BLOCKS_MAX = 1 << 17;
const BLOCK_HEADER_BYTES = 32;
/** In which the first block may hold the head of a WAV. */
const BLOCK_HEAD_BYTES = 1 << 10;

/** The bytes with which a recording begins that is not decoded here: all blocks of WavPack, up to where another recording begins in them. @returns whether its end is known */
async function* headOf(bytes: ByteReader): AsyncGenerator<Uint8Array, boolean> {
  for (let blocks = 0; blocks < BLOCKS_MAX; blocks += 1) {
    const head = (await bytes.peek(BLOCK_HEADER_BYTES)).subarray(0, BLOCK_HEADER_BYTES);
    const size = head.length < 8 || textOf(head, 0, 4) !== WAVPACK ? 0 : 8 + viewOf(head).getUint32(4, true);
    if (blocks > 0 && (size < BLOCK_HEADER_BYTES || findBeginning(head).format !== null)) return blocks > 1;
    const headBytes = blocks > 0 ? 1 : Math.max(1, Math.min(size, BLOCK_HEAD_BYTES));
    yield* pieces(bytes, headBytes);
    if (size > headBytes) yield* untilJoined(bytes, size - headBytes);
  }
  return true;
}

/** Tags in a row. */
const TAGS_MAX = 8;

/**
 * The bytes up to the next recording behind one, and its format: null at the end.
 * @param isRead whether the one before was read, so that there may be frames without a mark
 */
export async function* untilNext(bytes: ByteReader, isRead: boolean): AsyncGenerator<Uint8Array, AudioFormat | null> {
  const isKnown = isRead || (yield* headOf(bytes));
  let tags = isKnown ? 0 : TAGS_MAX;
  /** Bytes ahead that hold no mark, and how many are needed before frames are looked for again. */
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
    const found = findBeginning(data.subarray(clear));
    const at = clear + found.at;
    const isLooked = isKnown && (isEnd || found.format !== null || data.length >= enough);
    const row = isLooked ? rowIn(found.format === null ? data : data.subarray(0, at)) : null;
    if (row !== null) {
      yield* pieces(bytes, row.at);
      return row.format;
    }
    if (found.format !== null) {
      yield* pieces(bytes, at);
      return found.format === 'ogg' ? sniffFormat(await bytes.peek(64)) : found.format;
    }
    const held = isKnown ? Math.min(data.length, isLooked ? ROW_BYTES : Infinity) : 0;
    // What may begin at the end of all begins no more.
    const passed = isEnd ? at + 1 : Math.min(at, data.length - held);
    yield* pieces(bytes, passed);
    clear = Math.max(0, at - passed);
    if (isLooked) enough = 2 * (data.length - passed);
    least = isEnd ? 1 : data.length - passed + 1;
  }
}

/** Goes to the next recording behind one, as {@link untilNext}. */
export async function nextRecording(bytes: ByteReader, isRead: boolean): Promise<AudioFormat | null> {
  const passed = untilNext(bytes, isRead);
  for (;;) {
    const step = await passed.next();
    if (step.done === true) return step.value;
  }
}
