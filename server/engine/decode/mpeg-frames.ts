import { textOf, viewOf } from './bytes.ts';

/** A header of MPEG audio, or of AAC in ADTS. */
export interface Frame {
  format: 'mp3' | 'aac';
  /** The same for all frames of one stream: version, layer or profile, sample rate, channels of ADTS. */
  kind: number;
  /** Of the whole frame: the next one begins there. */
  bytes: number;
  /** MPEG 1, 2 or 2.5; 0 for ADTS. */
  version: number;
  /** Of MPEG audio; 0 for ADTS. */
  layer: number;
  /** Hz. */
  sampleRate: number;
  isMono: boolean;
}

/** With so many bytes, a header of either tells the length of its frame. */
export const FRAME_HEADER_BYTES = 8;
const ADTS_HEADER_BYTES = 7;
const ADTS_RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350];
const MPEG_RATES = [44_100, 48_000, 32_000];
/** MPEG 2.5, one that is reserved, 2 and 1. */
const VERSIONS = [2.5, 0, 2, 1];
/** kbit/s from the second code on; the first one leaves the length of a frame open, and the last one is forbidden. */
const LOW_RATES = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const BITRATES: Readonly<Record<'first' | 'later', readonly (readonly number[])[]>> = {
  first: [
    [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  ],
  later: [[32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256], LOW_RATES, LOW_RATES],
};

/** The frame whose header stands at a place, null when none does, when it is cut, or when it does not tell its length. */
export function frameAt(bytes: Uint8Array, at: number): Frame | null {
  const [first = 0, second = 0, third, fourth] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
  if (first !== 0xff || second < 0xe0 || third === undefined || fourth === undefined) return null;
  const header = ((first << 24) | (second << 16) | (third << 8) | fourth) >>> 0;
  return ((header >>> 17) & 3) === 0 ? adtsFrame(bytes, at, header) : mpegFrame(header);
}

function mpegFrame(header: number): Frame | null {
  const version = VERSIONS[(header >>> 19) & 3] ?? 0;
  const layer = 4 - ((header >>> 17) & 3);
  const kilobits = BITRATES[version === 1 ? 'first' : 'later'][layer - 1]?.[((header >>> 12) & 15) - 1];
  const rate = MPEG_RATES[(header >>> 10) & 3];
  if (version === 0 || kilobits === undefined || rate === undefined) return null;
  // MPEG 2.5 has the third layer only; one emphasis is reserved.
  if ((version === 2.5 && layer !== 3) || (header & 3) === 2) return null;
  const sampleRate = rate / (version === 1 ? 1 : version === 2 ? 2 : 4);
  // A slot has four bytes in layer I, one in the others.
  const slot = layer === 1 ? 4 : 1;
  const samples = layer === 1 ? 384 : layer === 3 && version !== 1 ? 576 : 1152;
  const slots = Math.floor((samples * kilobits * 125) / (sampleRate * slot)) + ((header >>> 9) & 1);
  return {
    format: 'mp3',
    kind: header & 0x001e_0c00,
    bytes: slots * slot,
    version,
    layer,
    sampleRate,
    isMono: ((header >>> 6) & 3) === 3,
  };
}

function adtsFrame(bytes: Uint8Array, at: number, header: number): Frame | null {
  const sampleRate = ADTS_RATES[(header >>> 10) & 15];
  if (header >>> 20 !== 0xfff || sampleRate === undefined || at + ADTS_HEADER_BYTES > bytes.length) return null;
  const length = ((header & 3) << 11) | (viewOf(bytes).getUint16(at + 4) >>> 5);
  if (length < ADTS_HEADER_BYTES) return null;
  return {
    format: 'aac',
    kind: header & 0x0008_fdc0,
    bytes: length,
    version: 0,
    layer: 0,
    sampleRate,
    isMono: ((header >>> 6) & 7) === 1,
  };
}

/** Where, behind their first byte, the next header stands in bytes, or may stand at their end; their length where none does. */
export function nextHeader(bytes: Uint8Array): number {
  let at = bytes.indexOf(0xff, 1);
  while (at > 0 && at + FRAME_HEADER_BYTES <= bytes.length && frameAt(bytes, at) === null)
    at = bytes.indexOf(0xff, at + 1);
  return at > 0 ? at : bytes.length;
}

/** Names in a frame that describes the stream after it and holds no sound, of Xing, LAME and Fraunhofer. */
const DESCRIPTIONS = new Set(['Xing', 'Info', 'VBRI']);

/** Whether a whole frame of layer III describes a stream: its length, its delay and its padding. */
export function describesStream(piece: Uint8Array): boolean {
  const frame = frameAt(piece, 0);
  if (frame?.layer !== 3) return false;
  const sideBytes = frame.version === 1 ? (frame.isMono ? 17 : 32) : frame.isMono ? 9 : 17;
  return [4 + sideBytes, 6 + sideBytes, 36].some((at) => DESCRIPTIONS.has(textOf(piece, at, at + 4)));
}

/** How much of a stream, and of a file, is searched for its first frame. */
export const FRAMES_WITHIN_BYTES = 1 << 16;
export const FRAMES_WITHIN_FILE_BYTES = 1 << 20;
/** Headers of one kind in a row, each where the one before says, that nothing but audio has. */
export const IN_A_ROW = 3;
/** Numbers below zero look like headers of layer I, in which nothing is recorded. */
const isSearched = (frame: Frame): boolean => frame.layer !== 1;

/**
 * The first of three frames of one kind in a row, as audio has that begins with padding, a broken tag or the end of a cut frame; null when
 * there is none. Looks at each byte once, and at no more than three headers from it.
 */
export function findFrames(bytes: Uint8Array): { format: Frame['format']; at: number } | null {
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const first = frameAt(bytes, at);
    if (first === null || !isSearched(first)) continue;
    let last: Frame | null = first;
    for (let next = at, count = 1; last !== null && count < IN_A_ROW; count += 1) {
      next += last.bytes;
      const frame = frameAt(bytes, next);
      last = frame?.kind === first.kind && frame.format === first.format ? frame : null;
    }
    if (last !== null) return { format: first.format, at };
  }
  return null;
}
