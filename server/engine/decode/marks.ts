/**
 * Finds marks: the signatures (magic bytes) with which recordings begin. MP3, ADTS AAC, AC-3 and transport streams have
 * no mark; they are bare frames, one after the other.
 */
import { WAVPACK, type AudioFormat } from './audio-format.ts';
import { textOf, viewOf } from './bytes.ts';

interface Beginning {
  format: AudioFormat;
  /** The mark: enough bytes that no sound has them by chance; a question mark stands for any byte. */
  magic: string;
  /** Checks the header, from the mark on. It takes `bytes` bytes. */
  isSane?: (head: Uint8Array) => boolean;
  bytes?: number;
}

const CHUNK_MAX = 1 << 24;

/** Whether a WAV begins with a plausible format chunk, or with another chunk that has a printable name. */
function beginsWithChunk(head: Uint8Array): boolean {
  const view = viewOf(head);
  const name = textOf(head, 12, 16);
  const size = view.getUint32(16, true);
  if (name !== 'fmt ') return /^[ -~]{4}$/.test(name) && size < CHUNK_MAX;
  const [channels, rate] = [view.getUint16(22, true), view.getUint32(24, true)];
  return size >= 16 && size <= 4096 && channels >= 1 && channels <= 32 && rate >= 1000 && rate <= 768_000;
}

/** Whether an AU has a plausible encoding, rate and number of channels. */
function isSaneAu(head: Uint8Array): boolean {
  const view = viewOf(head);
  const [encoding, rate, channels] = [view.getUint32(12), view.getUint32(16), view.getUint32(20)];
  return encoding >= 1 && encoding <= 27 && channels >= 1 && channels <= 32 && rate >= 1000 && rate <= 768_000;
}

const isMatroska = (head: Uint8Array): boolean => /webm|matroska/.test(textOf(head, 4, head.length));
/** Whether an MP4, from the size of its `ftyp` box on, names a known brand. */
const isBrand = (head: Uint8Array): boolean =>
  /^(?:isom|iso\d|M4[ABV] |mp4\d|qt {2}|dash|cmfc|3g[p2].|MSNV|avc1)$/.test(textOf(head, 8, 12));

/** WavPack's flag for the first of the blocks that hold the same moment. */
const IS_INITIAL = 0x800;

/** Whether a WavPack block has a known version and is the first of its recording. */
function isFirstBlock(head: Uint8Array): boolean {
  const view = viewOf(head);
  const version = view.getUint16(8, true);
  const isInitial = (view.getUint32(24, true) & IS_INITIAL) !== 0;
  return version >= 0x402 && version <= 0x410 && view.getUint32(16, true) === 0 && isInitial;
}

/** Whether a TTA has a plausible format, number of channels, bits and rate. */
function isSaneTta(head: Uint8Array): boolean {
  const view = viewOf(head);
  const [format, channels, bits] = [view.getUint16(4, true), view.getUint16(6, true), view.getUint16(8, true)];
  const rate = view.getUint32(10, true);
  return format >= 1 && format <= 3 && channels >= 1 && channels <= 32 && bits <= 32 && rate >= 1000 && rate <= 768_000;
}

const BEGINNINGS: readonly Beginning[] = [
  { format: 'wav', magic: 'RIFF????WAVE', isSane: beginsWithChunk, bytes: 28 },
  { format: 'rf64', magic: 'RF64????WAVE', isSane: beginsWithChunk, bytes: 28 },
  { format: 'rf64', magic: 'BW64????WAVE', isSane: beginsWithChunk, bytes: 28 },
  { format: 'w64', magic: 'riff\x2E\x91\xCF\x11' },
  { format: 'aiff', magic: 'FORM????AIFF' },
  { format: 'aiff', magic: 'FORM????AIFC' },
  { format: 'caf', magic: 'caff\0\x01\0\0desc' },
  { format: 'au', magic: '.snd\0\0', isSane: isSaneAu, bytes: 24 },
  { format: 'flac', magic: 'fLaC\0\0\0\x22' },
  { format: 'flac', magic: 'fLaC\x80\0\0\x22' },
  { format: 'ogg', magic: `OggS\0\x02${'\0'.repeat(8)}????${'\0'.repeat(4)}` },
  { format: 'amr', magic: '#!AMR\n' },
  { format: 'amr', magic: '#!AMR-WB\n' },
  { format: 'matroska', magic: '\x1A\x45\xDF\xA3', isSane: isMatroska, bytes: 40 },
  { format: 'asf', magic: '\x30\x26\xB2\x75\x8E\x66\xCF\x11' },
  { format: 'other', magic: 'RIFF????AVI LIST' },
  { format: 'other', magic: 'FLV\x01?\0\0\0' },
  { format: 'other', magic: 'TTA1', isSane: isSaneTta, bytes: 14 },
  { format: 'other', magic: `${WAVPACK}????`, isSane: isFirstBlock, bytes: 28 },
  { format: 'mp4', magic: '\0\0\0?ftyp', isSane: isBrand, bytes: 12 },
];

const ANY = -1;
const KEY_LETTERS = 3;
/** Each mark with its key (its first few fixed bytes in a row, of the longest such row) and the key's offset in it. */
const MARKS = BEGINNINGS.map((one) => {
  const longest = one.magic.split('?').reduce((most, letters) => (letters.length < most.length ? most : letters));
  const codes = Int16Array.from(Array.from(one.magic, (letter) => (letter === '?' ? ANY : letter.charCodeAt(0))));
  return { ...one, codes, key: longest.slice(0, KEY_LETTERS), keyAt: one.magic.indexOf(longest) };
});
type Mark = (typeof MARKS)[number];
const BY_KEY = new Map(MARKS.map(({ key }) => [key, MARKS.filter((mark) => mark.key === key)]));
/** Finds keys several times as fast as a loop over the bytes. A key with a 0 would make it slow in silence. */
const KEYS = new RegExp([...BY_KEY.keys()].map((key) => key.replaceAll(/\W/g, String.raw`\$&`)).join('|'), 'g');
/** A mark whose key is cut at the end of the data begins within so many last bytes. */
const CUT_BYTES = Math.max(...MARKS.map(({ keyAt }) => keyAt)) + KEY_LETTERS;

/** Whether the mark begins at `at`; null if more bytes are needed to tell. */
function begins(data: Uint8Array, at: number, { codes, isSane, bytes }: Mark): boolean | null {
  for (let index = 0; index < codes.length && at + index < data.length; index += 1)
    if (codes[index] !== ANY && codes[index] !== data[at + index]) return false;
  if (at + Math.max(codes.length, bytes ?? 0) > data.length) return null;
  return isSane?.(data.subarray(at, at + (bytes ?? 0))) ?? true;
}

interface FoundMark {
  at: number;
  /** Null if more bytes are needed to tell, or if no recording begins. */
  format: AudioFormat | null;
}

/** The first of `marks` that begins, or may begin, at its offset `placeOf(mark)`; null if none does. */
function markAt(data: Uint8Array, placeOf: (mark: Mark) => number, marks: readonly Mark[]): FoundMark | null {
  for (const mark of marks) {
    const at = placeOf(mark);
    const isHere = at >= 0 && begins(data, at, mark);
    if (isHere !== false) return { at, format: isHere === null ? null : mark.format };
  }
  return null;
}

/**
 * Where the first mark begins, or may begin (its format is null then); `at` is the length of the data if there is none.
 */
export function findMark(data: Uint8Array): FoundMark {
  const text = textOf(data, 0, data.length);
  let found: FoundMark | null = null;
  KEYS.lastIndex = 0;
  for (let key = KEYS.exec(text); key !== null && found === null; key = KEYS.exec(text)) {
    const { 0: letters, index } = key;
    found = markAt(data, ({ keyAt }) => index - keyAt, BY_KEY.get(letters) ?? []);
    KEYS.lastIndex = index + 1;
  }
  for (let at = Math.max(0, data.length - CUT_BYTES); at < (found?.at ?? data.length); at += 1)
    found = markAt(data, () => at, MARKS) ?? found;
  return found ?? { at: data.length, format: null };
}
