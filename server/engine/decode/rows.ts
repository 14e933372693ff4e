/**
 * Recognizes bare frames without a built-in decoder (AC-3, transport streams) by a row of them: each frame or packet
 * begins where the last one ends.
 */
import { ac3FrameAt } from './ac3.ts';
import type { ByteReader } from './bytes.ts';
import { IN_A_ROW } from './mpeg-frames.ts';

/** A transport stream is `other`. */
type Format = 'ac3' | 'eac3' | 'other';
type FrameAt = (data: Uint8Array, at: number) => { format: Format; bytes: number } | null;

export const HEADER_BYTES = 6;
export const PACKET_MARK = 0x47;
/** Sizes of transport stream packets, without and with a time stamp. */
export const PACKETS = [188, 192];

/** Recognizes a packet that has no error flag and is not empty. */
const packetAt =
  (size: number): FrameAt =>
  (data, at) => {
    const [mark, second = 0, , fourth = 0] = data.subarray(at, at + 4);
    return mark === PACKET_MARK && (second & 0x80) === 0 && (fourth & 0x30) !== 0
      ? { format: 'other', bytes: size }
      : null;
  };

const AC3_MARK = 0x0b;
/** The first byte of a frame, its reader, and how many frames in a row do not occur by chance. */
export const KINDS: readonly (readonly [first: number, FrameAt, count: number])[] = [
  [AC3_MARK, ac3FrameAt, IN_A_ROW],
  ...PACKETS.map((size) => [PACKET_MARK, packetAt(size), 8] as const),
];

/** The format of the row that begins at `from`, or null; `needs` is how many bytes it takes to tell. */
function rowAt(data: Uint8Array, from: number): { format: Format | null; needs: number } {
  let needs = 0;
  for (const [first, frameAt, least] of KINDS) {
    let at = from;
    for (let count = 0, format: Format | null = null; data[at] === first; count += 1) {
      const frame = frameAt(data, at);
      if (frame === null || (format !== null && frame.format !== format)) break;
      ({ format } = frame);
      if (count + 1 === least) return { format, needs: 0 };
      at += frame.bytes;
    }
    needs = Math.max(needs, at + HEADER_BYTES);
  }
  return { format: null, needs };
}

/** The format of the row that begins with the next byte; null if none does. Reads no more bytes than it needs. */
export async function ac3OrTsAhead(bytes: ByteReader): Promise<Format | null> {
  for (let least = HEADER_BYTES; ;) {
    const data = await bytes.peek(least);
    const { format, needs } = rowAt(data, 0);
    if (format !== null || needs <= data.length || data.length < least) return format;
    least = needs;
  }
}

/** Whether a row may begin with this byte. */
export const mayBeRow = (byte: number | undefined): boolean => byte === AC3_MARK || byte === PACKET_MARK;

/** Where the first row begins; null if there is none. */
export function findRow(data: Uint8Array): { format: Format; at: number } | null {
  for (let at = 0; at < data.length; at += 1) {
    const { format } = mayBeRow(data[at]) ? rowAt(data, at) : { format: null };
    if (format !== null) return { format, at };
  }
  return null;
}
