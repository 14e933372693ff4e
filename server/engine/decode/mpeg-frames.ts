import { textOf, viewOf } from './bytes.ts';

/** A header of MPEG audio, or of AAC in ADTS. */
export interface Frame {
  format: 'mp3' | 'aac';
  /** The header bits that all frames of a stream share: version, layer or profile, sample rate, channels (ADTS). */
  kind: number;
  /** Length of the frame, header included. */
  bytes: number;
  /** MPEG 1, 2 or 2.5; 0 for ADTS. */
  version: number;
  /** 1 to 3 for MPEG audio; 0 for ADTS. */
  layer: number;
  /** Hz. */
  sampleRate: number;
  isMono: boolean;
}

/** Enough bytes to read the frame's length from either kind of header. */
export const FRAME_HEADER_BYTES = 8;
const ADTS_HEADER_BYTES = 7;
const ADTS_RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350];
const MPEG_RATES = [44_100, 48_000, 32_000];
/** By the code in the header: MPEG 2.5, reserved, 2, 1. */
const VERSIONS = [2.5, 0, 2, 1];
/** kbit/s by the code in the header, from code 1 on. Code 0 leaves the frame's length open; code 15 is forbidden. */
const LOW_RATES = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const BITRATES: Readonly<Record<'first' | 'later', readonly (readonly number[])[]>> = {
  first: [
    [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  ],
  later: [[32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256], LOW_RATES, LOW_RATES],
};

/** The frame whose header is at `at`; null if there is none, if it is cut, or if it does not tell its length. */
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
  // MPEG 2.5 has layer III only; emphasis 2 is reserved.
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

/**
 * Offset, from 1 on, of the next frame header, or of a cut one at the end; the length of the bytes if there is none.
 */
export function nextHeader(bytes: Uint8Array): number {
  let at = bytes.indexOf(0xff, 1);
  while (at > 0 && at + FRAME_HEADER_BYTES <= bytes.length && frameAt(bytes, at) === null)
    at = bytes.indexOf(0xff, at + 1);
  return at > 0 ? at : bytes.length;
}

/** Names in a frame that describes the stream and holds no sound, as Xing, LAME and Fraunhofer write it. */
const DESCRIPTIONS = new Set(['Xing', 'Info', 'VBRI']);

/** Whether a whole layer III frame describes the stream (its length, delay and padding) instead of holding sound. */
export function describesStream(piece: Uint8Array): boolean {
  const frame = frameAt(piece, 0);
  if (frame?.layer !== 3) return false;
  const sideBytes = frame.version === 1 ? (frame.isMono ? 17 : 32) : frame.isMono ? 9 : 17;
  return [4 + sideBytes, 6 + sideBytes, 36].some((at) => DESCRIPTIONS.has(textOf(piece, at, at + 4)));
}

/** How many bytes of a stream, and of a file, are searched for the first frame. */
export const FRAMES_WITHIN_BYTES = 1 << 16;
export const FRAMES_WITHIN_FILE_BYTES = 1 << 20;
/** So many frames of one kind in a row, each beginning where the last one ends, do not occur by chance. */
export const IN_A_ROW = 3;
/** Excludes layer I: nobody records in it, and negative numbers look like its headers. */
const isCredible = (frame: Frame): boolean => frame.layer !== 1;

/**
 * Finds the first of {@link IN_A_ROW} frames of one kind in a row, for audio that begins with padding, a broken tag or
 * the rest of a cut frame; null if there is none. Looks at each byte once, and at no more than three headers from it.
 */
export function findFrames(bytes: Uint8Array): { format: Frame['format']; at: number } | null {
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const first = frameAt(bytes, at);
    if (first === null || !isCredible(first)) continue;
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
