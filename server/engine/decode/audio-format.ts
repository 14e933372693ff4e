import { ac3Format } from './ac3.ts';
import { frameAt } from './mpeg-frames.ts';
import { PACKETS, PACKET_MARK } from './rows.ts';

/**
 * Formats and their names for people. Built-in decoders read those in {@link BUILT_IN} (AAC with the help of ffmpeg);
 * ffmpeg, if installed, decodes the others.
 */
const FORMATS = {
  wav: 'WAV',
  rf64: 'RF64',
  w64: 'Wave64',
  mp3: 'MP3',
  flac: 'FLAC',
  'ogg-vorbis': 'Ogg Vorbis',
  'ogg-opus': 'Ogg Opus',
  'ogg-flac': 'Ogg FLAC',
  matroska: 'WebM or Matroska',
  aiff: 'AIFF',
  amr: 'AMR',
  caf: 'Core Audio (caf)',
  aac: 'AAC',
  mp4: 'MP4 (m4a, mp4, mov)',
  asf: 'Windows Media (wma, asf)',
  au: 'AU (au, snd)',
  ac3: 'AC-3',
  eac3: 'E-AC-3',
  ogg: 'Ogg with another codec',
  /** Videos and unknown bytes: ffmpeg guesses the format. */
  other: 'another format',
} as const;

export type AudioFormat = keyof typeof FORMATS;
export const BUILT_IN = [
  'wav',
  'rf64',
  'w64',
  'mp3',
  'flac',
  'ogg-vorbis',
  'ogg-opus',
  'ogg-flac',
  'matroska',
  'aiff',
  'amr',
  'caf',
  'au',
  'aac',
] as const satisfies readonly AudioFormat[];
export type BuiltInFormat = (typeof BUILT_IN)[number];

export const formatName = (format: AudioFormat): string => FORMATS[format];
export const isBuiltIn = (format: AudioFormat): format is BuiltInFormat => BUILT_IN.some((known) => known === format);

/** Bytes that `sniffFormat` needs to recognize every format; with fewer than the minimum it may miss any. */
export const SNIFF_BYTES = 4096;
export const SNIFF_BYTES_MIN = 64;

const MAGIC: readonly (readonly [AudioFormat, offset: number, text: string])[] = [
  ['flac', 0, 'fLaC'],
  ['mp4', 4, 'ftyp'],
  ['mp4', 4, 'moov'],
  ['matroska', 0, '\x1A\x45\xDF\xA3'],
  ['amr', 0, '#!AMR'],
  ['asf', 0, '\x30\x26\xB2\x75\x8E\x66\xCF\x11'],
  ['caf', 0, 'caff'],
  ['au', 0, '.snd'],
  ['w64', 0, 'riff\x2E\x91\xCF\x11'],
];

/** Flag of the first page of an Ogg stream. */
const OGG_BEGINS = 2;
const OGG_CODECS: readonly (readonly [AudioFormat, text: string])[] = [
  ['ogg-vorbis', '\x01vorbis'],
  ['ogg-opus', 'OpusHead'],
  ['ogg-flac', '\x7FFLAC'],
];

export const WAVPACK = 'wvpk';

type Look = readonly [name: string, offset: number, text: string];

/** Files whose sound only ffmpeg can decode. Like {@link NOT_AUDIO}: name for people, offset, first bytes. */
const VIDEOS: readonly Look[] = [
  ['an AVI video', 8, 'AVI LIST'],
  ['a Flash video', 0, 'FLV\x01'],
  ['an MPEG video', 0, '\0\0\x01\xBA'],
  ['a WavPack recording', 0, WAVPACK],
  ['a TTA recording', 0, 'TTA1'],
];

/** Files that are often sent in place of audio. */
const NOT_AUDIO: readonly Look[] = [
  ['a PNG image', 0, '\x89PNG'],
  ['a JPEG image', 0, '\xFF\xD8\xFF'],
  ['a GIF image', 0, 'GIF8'],
  ['a WebP image', 8, 'WEBPVP8'],
  ['a TIFF image', 0, 'II*\0'],
  ['a TIFF image', 0, 'MM\0*'],
  ['a PDF document', 0, '%PDF-'],
  ['a ZIP archive', 0, 'PK\x03\x04'],
  ['a gzip archive', 0, '\x1F\x8B\x08'],
  ['a 7-Zip archive', 0, '7z\xBC\xAF\x27\x1C'],
  ['a RAR archive', 0, 'Rar!\x1A\x07'],
  ['an MPEG video', 0, '\0\0\x01\xB3'],
  ['a MIDI file', 0, 'MThd'],
  ['a program', 0, '\x7FELF'],
  ['a program', 0, 'MZ'],
];

/** The answer of `looksLike` for text of no known kind. */
export const TEXT = 'text';
const TEXTS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['an HTML page', /^\s*<(?:!doctype html|html|head|body)/i],
  ['an XML document', /^\s*<\?xml/i],
  ['JSON', /^\s*[{[]\s*(?:["{[\]}]|-?\d|true|false|null)/],
];

/** The audio format of a file by its first bytes; null if unknown. */
export function sniffFormat(head: Uint8Array): AudioFormat | null {
  // The byte order mark of UTF-16 looks like a header of MPEG audio.
  if (head[0] === 0xff && head[1] === 0xfe && writtenIn(head) !== null) return null;
  const text = Buffer.from(head).toString('latin1');
  if (text.slice(8, 12) === 'WAVE') {
    if (text.startsWith('RIFF')) return 'wav';
    if (text.startsWith('RF64') || text.startsWith('BW64')) return 'rf64';
  }
  if (text.startsWith('FORM') && /^AIF[FC]/.test(text.slice(8, 12))) return 'aiff';
  if (text.startsWith('OggS')) {
    const segments = head[26] ?? 0;
    const codec = OGG_CODECS.find(([, magic]) => text.startsWith(magic, 27 + segments))?.[0];
    return codec ?? ((head[5] ?? 0) & OGG_BEGINS ? 'ogg' : null);
  }
  const known = MAGIC.find(([, offset, magic]) => text.startsWith(magic, offset))?.[0];
  return known ?? ac3Format(head) ?? frameAt(head, afterZeros(head))?.format ?? null;
}

/** Offset of the first byte that is not 0; 0 if there is none. Some encoders put zeros before the first frame. */
export const afterZeros = (bytes: Uint8Array): number =>
  Math.max(
    0,
    bytes.findIndex((byte) => byte !== 0),
  );

const PACKETS_SEEN = 5;

function isTransportStream(head: Uint8Array): boolean {
  return PACKETS.some((size) =>
    head
      .subarray(0, size)
      .some(
        (mark, from) =>
          mark === PACKET_MARK &&
          from + PACKETS_SEEN * size <= head.length &&
          Array.from({ length: PACKETS_SEEN }, (_, packet) => head[from + packet * size]).every(
            (next) => next === PACKET_MARK,
          ),
      ),
  );
}

/** Whether these bytes may be the first packets of a transport stream, which may hold whole AAC frames. */
export const mayBecomeTransportStream = (head: Uint8Array): boolean =>
  PACKETS.some((size) => {
    const from = size - Math.min(...PACKETS);
    const marks = head.subarray(from).filter((_, at) => at % size === 0);
    return marks.length > 0 && marks.length < PACKETS_SEEN && marks.every((mark) => mark === PACKET_MARK);
  });

const first = (looks: readonly Look[], text: string): string | null =>
  looks.find(([, offset, magic]) => text.startsWith(magic, offset))?.[0] ?? null;

/** Names a video or recording whose sound only ffmpeg can decode; null if it is neither. */
export const videoOf = (head: Uint8Array): string | null =>
  first(VIDEOS, Buffer.from(head).toString('latin1')) ??
  (isTransportStream(head) && writtenIn(head) === null ? 'an MPEG transport stream' : null);

/** The format of a recording that begins behind another one; `other` for a video, null if none begins. */
export const sniffFormatOrVideo = (head: Uint8Array): AudioFormat | null =>
  sniffFormat(head) ?? (videoOf(head) === null ? null : 'other');

/** Names what bytes of no audio format look like, for an error message; null if like nothing known. */
export function looksLike(head: Uint8Array): string | null {
  const text = Buffer.from(head).toString('latin1');
  const known = videoOf(head) ?? first(NOT_AUDIO, text);
  if (known !== null) return known;
  const written = writtenIn(head);
  return written === null ? null : (TEXTS.find(([, pattern]) => pattern.test(written))?.[0] ?? TEXT);
}

/** Control characters that no text has: not line ends, not tabs. */
const CONTROL = /(?!\s)\p{Cc}/u;
/** Begins the codes that colour text in a terminal, so text may have it. */
const ESCAPE = '\u001B';
/** Largest share of accented letters in a Western text. */
const ACCENTED_MAX = 0.5;

/** Fewest bytes to judge by: this much sound surely holds a control character. */
const WESTERN_BYTES_MIN = 256;

/** Reads bytes as UTF-8, UTF-16 or, if they have blanks, as windows-1252; null if they are not text. */
function writtenIn(head: Uint8Array): string | null {
  const isWide = (head[0] ?? 0) >= 0xfe || head.subarray(0, 64).includes(0);
  const text = isWide ? wideText(head) : (decodedAs('utf-8', head) ?? westernText(head));
  return text === null || text === '' || CONTROL.test(text.replaceAll(ESCAPE, '')) ? null : text;
}

function decodedAs(label: 'utf-8' | 'utf-16le' | 'utf-16be', head: Uint8Array): string | null {
  try {
    // `stream` ignores a cut last character.
    return new TextDecoder(label, { fatal: true }).decode(head, { stream: true });
  } catch {
    return null;
  }
}

/** Any two bytes make some East Asian character, so only European scripts count as UTF-16 text. */
const OF_EUROPE = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{P}\p{Z}\p{S}\p{N}\s]*$/u;

function wideText(head: Uint8Array): string | null {
  const text = decodedAs(head[0] === 0 || head[0] === 0xfe ? 'utf-16be' : 'utf-16le', head);
  return text !== null && OF_EUROPE.test(text) ? text : null;
}

function westernText(head: Uint8Array): string | null {
  const accented = head.filter((byte) => byte >= 0x80).length;
  const text = new TextDecoder('windows-1252').decode(head);
  const isText = head.length >= WESTERN_BYTES_MIN && /\s/.test(text) && accented <= ACCENTED_MAX * head.length;
  return isText ? text : null;
}

export const ID3_HEADER_BYTES = 10;
/** Size of an ID3v1 tag, which stands at the end of a file. */
export const ID3V1_BYTES = 128;

/**
 * Size of the ID3v2 tag at the start, header and footer included; 0 if there is none. MP3, AAC and FLAC may have one.
 */
export function id3Bytes(head: Uint8Array): number {
  const [i, d, three, , , flags = 0, ...size] = head.subarray(0, ID3_HEADER_BYTES);
  if (i !== 0x49 || d !== 0x44 || three !== 0x33) return 0;
  const footer = flags & 0x10 ? ID3_HEADER_BYTES : 0;
  return size.reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0) + ID3_HEADER_BYTES + footer;
}
