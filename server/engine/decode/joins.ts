/** Finds where another recording begins in the bytes behind, or inside, the one before. */
import { ID3V1_BYTES, SNIFF_BYTES, WAVPACK, id3Bytes, sniffFormat, videoOf, type AudioFormat } from './audio-format.ts';
import { ByteReader, textOf, viewOf } from './bytes.ts';
import { FRAME_HEADER_BYTES, IN_A_ROW, findFrames, frameAt, nextHeader, type Frame } from './mpeg-frames.ts';
import { findRow, rowAhead } from './rows.ts';

interface Beginning {
  format: AudioFormat;
  /** At least six bytes that no sound has by chance; a question mark is any byte. */
  magic: string;
  /** Of the `bytes` from the beginning on. */
  isSane?: (head: Uint8Array) => boolean;
  bytes?: number;
}

const CHUNK_MAX = 1 << 24;

/** The first chunk of a WAV: its format, which must be one that a recording has, or another chunk with a name. */
function beginsWithChunk(head: Uint8Array): boolean {
  const view = viewOf(head);
  const name = textOf(head, 12, 16);
  const size = view.getUint32(16, true);
  if (name !== 'fmt ') return /^[ -~]{4}$/.test(name) && size < CHUNK_MAX;
  const [channels, rate] = [view.getUint16(22, true), view.getUint32(24, true)];
  return size >= 16 && size <= 4096 && channels >= 1 && channels <= 32 && rate >= 1000 && rate <= 768_000;
}

/** Encoding, rate and channels that a recording has. */
function isSampled(head: Uint8Array): boolean {
  const view = viewOf(head);
  const [encoding, rate, channels] = [view.getUint32(12), view.getUint32(16), view.getUint32(20)];
  return encoding >= 1 && encoding <= 27 && channels >= 1 && channels <= 32 && rate >= 1000 && rate <= 768_000;
}

const isMatroska = (head: Uint8Array): boolean => /webm|matroska/.test(textOf(head, 4, head.length));
/** Whether an MP4 of a known kind begins with the bytes that begin with its size. */
export const isBrand = (head: Uint8Array): boolean =>
  /^(?:isom|iso\d|M4[ABV] |mp4\d|qt {2}|dash|cmfc|3g[p2].|MSNV|avc1)$/.test(textOf(head, 8, 12));

const BEGINNINGS: readonly Beginning[] = [
  { format: 'wav', magic: 'RIFF????WAVE', isSane: beginsWithChunk, bytes: 28 },
  { format: 'rf64', magic: 'RF64????WAVE', isSane: beginsWithChunk, bytes: 28 },
  { format: 'rf64', magic: 'BW64????WAVE', isSane: beginsWithChunk, bytes: 28 },
  { format: 'w64', magic: 'riff\x2E\x91\xCF\x11' },
  { format: 'aiff', magic: 'FORM????AIFF' },
  { format: 'aiff', magic: 'FORM????AIFC' },
  { format: 'caf', magic: 'caff\0\x01\0\0desc' },
  { format: 'au', magic: '.snd\0\0', isSane: isSampled, bytes: 24 },
  { format: 'flac', magic: 'fLaC\0\0\0\x22' },
  { format: 'flac', magic: 'fLaC\x80\0\0\x22' },
  { format: 'ogg', magic: `OggS\0\x02${'\0'.repeat(8)}????${'\0'.repeat(4)}` },
  { format: 'amr', magic: '#!AMR\n' },
  { format: 'amr', magic: '#!AMR-WB\n' },
  { format: 'matroska', magic: '\x1A\x45\xDF\xA3', isSane: isMatroska, bytes: 40 },
  { format: 'asf', magic: '\x30\x26\xB2\x75\x8E\x66\xCF\x11' },
  { format: 'mp4', magic: '\0\0\0?ftyp', isSane: isBrand, bytes: 12 },
];

const ANY = -1;
const KEY_LETTERS = 3;
/** Each with a few of its letters and where they stand in it. */
const MARKS = BEGINNINGS.map((one) => {
  const longest = one.magic.split('?').reduce((most, letters) => (letters.length < most.length ? most : letters));
  const codes = Int16Array.from(Array.from(one.magic, (letter) => (letter === '?' ? ANY : letter.charCodeAt(0))));
  return { ...one, codes, key: longest.slice(0, KEY_LETTERS), keyAt: one.magic.indexOf(longest) };
});
type Mark = (typeof MARKS)[number];
const BY_KEY = new Map(MARKS.map(({ key }) => [key, MARKS.filter((mark) => mark.key === key)]));
/** Finds keys several times as fast as a loop over the bytes; with a 0 among their letters it would be slow in silence. */
const KEYS = new RegExp([...BY_KEY.keys()].map((key) => key.replaceAll(/\W/g, String.raw`\$&`)).join('|'), 'g');
/** A mark whose key is cut at the end of bytes has fewer. */
const CUT_BYTES = Math.max(...MARKS.map(({ keyAt }) => keyAt)) + KEY_LETTERS;

/** Whether one begins here: null when that takes more bytes to tell. */
function begins(data: Uint8Array, at: number, { codes, isSane, bytes }: Mark): boolean | null {
  for (let index = 0; index < codes.length && at + index < data.length; index += 1)
    if (codes[index] !== ANY && codes[index] !== data[at + index]) return false;
  if (at + Math.max(codes.length, bytes ?? 0) > data.length) return null;
  return isSane?.(data.subarray(at, at + (bytes ?? 0))) ?? true;
}

interface Found {
  at: number;
  /** Null where more bytes are needed to tell, and where none begins. */
  format: AudioFormat | null;
}

/** What begins, or may begin, where a mark would have its first letter; null where none does. */
function beginningAt(data: Uint8Array, placeOf: (mark: Mark) => number, marks: readonly Mark[]): Found | null {
  for (const mark of marks) {
    const at = placeOf(mark);
    const isHere = at >= 0 && begins(data, at, mark);
    if (isHere !== false) return { at, format: isHere === null ? null : mark.format };
  }
  return null;
}

/** The first place where a recording begins, or may begin. */
function findBeginning(data: Uint8Array): Found {
  const text = textOf(data, 0, data.length);
  let found: Found | null = null;
  KEYS.lastIndex = 0;
  for (let key = KEYS.exec(text); key !== null && found === null; key = KEYS.exec(text)) {
    const { 0: letters, index } = key;
    found = beginningAt(data, ({ keyAt }) => index - keyAt, BY_KEY.get(letters) ?? []);
    KEYS.lastIndex = index + 1;
  }
  for (let at = Math.max(0, data.length - CUT_BYTES); at < (found?.at ?? data.length); at += 1)
    found = beginningAt(data, () => at, MARKS) ?? found;
  return found ?? { at: data.length, format: null };
}

/** The first place where a recording with a mark of its own begins, or may begin; the length of the bytes where none does. */
export const markIn = (data: Uint8Array): number => findBeginning(data).at;

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

/** How far behind an MP4 another recording is looked for, bytes. */
export const SEARCHED_BYTES = 1 << 26;

/** The bytes up to where another recording begins, at most `size`. */
export async function* untilJoined(bytes: ByteReader, size = Infinity): AsyncGenerator<Uint8Array> {
  let least = 1;
  for (let left = size; left > 0;) {
    const data = await bytes.peek(least);
    const { at, format } = findBeginning(data);
    if (data.length === 0 || (at === 0 && format !== null)) return;
    const isEnd = data.length < least;
    const piece = await bytes.upTo(Math.min(left, isEnd && format === null ? data.length : at));
    least = at === 0 ? data.length + 1 : 1;
    left -= piece?.length ?? 0;
    if (piece !== null && piece.length > 0) yield piece;
  }
}

/** Formats that hold no mark of another recording behind their head. Videos hold none either; WavPack does: it keeps the head of the WAV. */
const SEARCHED = new Set<AudioFormat>(['matroska', 'asf', 'ac3', 'eac3', 'caf', 'ogg', 'wav', 'rf64', 'w64', 'aiff']);
async function isSearched(bytes: ByteReader, format: AudioFormat): Promise<boolean> {
  if (format !== 'other') return SEARCHED.has(format);
  const head = (await bytes.peek(SNIFF_BYTES)).subarray(0, SNIFF_BYTES);
  return videoOf(head) !== null && textOf(head, 0, 4) !== WAVPACK;
}
/** Begins the sound of a format whose head may hold marks: of FLAC in the tracks of a Matroska, of several streams in Ogg. */
const SOUND: Partial<Record<AudioFormat, string>> = { matroska: '\x1F\x43\xB6\x75', ogg: 'OggS\0\0' };

/** The bytes of a recording that is not decoded here, up to where another one begins, or to the end where that is not looked for. */
export async function* ownBytes(bytes: ByteReader, format: AudioFormat): AsyncGenerator<Uint8Array> {
  const isOpen = await isSearched(bytes, format);
  yield* upTo(bytes, SOUND[format] ?? '');
  if (isOpen) yield* untilJoined(bytes);
  else for (let piece = await bytes.upTo(Infinity); piece !== null; piece = await bytes.upTo(Infinity)) yield piece;
}

/** The bytes up to a mark and the first one of it. */
async function* upTo(bytes: ByteReader, mark: string): AsyncGenerator<Uint8Array> {
  const least = Math.max(1, mark.length);
  for (;;) {
    const data = await bytes.peek(least);
    const found = Buffer.from(data.buffer, data.byteOffset, data.length).indexOf(mark, 0, 'latin1');
    const isEnd = data.length < least;
    const piece = await bytes.upTo(found >= 0 ? found + 1 : isEnd ? data.length : data.length - mark.length + 1);
    if (piece === null) return;
    yield piece;
    if (found >= 0 || isEnd) return;
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

/** How far behind a recording frames without any other mark are looked for. */
const FRAMES_WITHIN = 1 << 16;

/** Goes to the next recording behind one, past what is none; null at the end. @param isKnown whether there may be frames without a mark */
export async function nextRecording(bytes: ByteReader, isKnown: boolean): Promise<AudioFormat | null> {
  let hasFrames = isKnown;
  if (!isKnown) await bytes.skip(1);
  for (let least = 64; ;) {
    const data = await bytes.peek(least);
    const isEnd = data.length < least;
    if (data.length === 0) return null;
    const tag = id3Bytes(data);
    if (hasFrames && tag > 0) {
      await bytes.skip(tag);
      least = 64;
      continue;
    }
    const found = findBeginning(data);
    const looked = data.subarray(0, hasFrames ? Math.min(FRAMES_WITHIN, found.at) : 0);
    const frames = findFrames(looked);
    const row = findRow(looked.subarray(0, frames?.at)) ?? frames;
    if (row !== null) {
      await bytes.skip(row.at);
      return row.format;
    }
    if (found.format !== null) {
      await bytes.skip(found.at);
      return found.format === 'ogg' ? sniffFormat(await bytes.peek(64)) : found.format;
    }
    if (isEnd && found.at === data.length) return null;
    if (!isEnd && hasFrames && data.length < FRAMES_WITHIN) least = data.length * 2;
    else {
      hasFrames = false;
      // What may begin at the end of all begins no more.
      await bytes.skip(isEnd ? found.at + 1 : found.at);
      least = isEnd ? 1 : data.length - found.at + 1;
    }
  }
}
