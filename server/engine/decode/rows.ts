/** Knows recordings without a mark of their own that no decoder of ours reads: by frames or packets in a row, each where the one before says. */
import { ac3FrameAt } from './ac3.ts';
import { textOf, type ByteReader } from './bytes.ts';
import { IN_A_ROW, frameAt } from './mpeg-frames.ts';

/** A transport stream has no name: `other`. */
type Format = 'ac3' | 'eac3' | 'other';
type FrameAt = (data: Uint8Array, at: number) => { format: Format; bytes: number } | null;

const HEADER_BYTES = 6;
export const PACKET_MARK = 0x47;
/** The packets of a transport stream, bare or with their time in front. */
export const PACKETS = [188, 192];

/** A packet without an error that holds something. */
const packetAt =
  (size: number): FrameAt =>
  (data, at) => {
    const [mark, second = 0, , fourth = 0] = data.subarray(at, at + 4);
    return mark === PACKET_MARK && (second & 0x80) === 0 && (fourth & 0x30) !== 0
      ? { format: 'other', bytes: size }
      : null;
  };

const AC3_MARK = 0x0b;
/** With how many of them nothing has by chance. */
const KINDS: readonly (readonly [first: number, FrameAt, count: number])[] = [
  [AC3_MARK, ac3FrameAt, IN_A_ROW],
  ...PACKETS.map((size) => [PACKET_MARK, packetAt(size), 8] as const),
];

/** What begins at a place, and how many bytes tell it: more than there are where these are too few. */
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

/** The format of what begins with the next byte; null when none does. Waits for no more than it takes to tell. */
export async function rowAhead(bytes: ByteReader): Promise<Format | null> {
  for (let least = HEADER_BYTES; ;) {
    const data = await bytes.peek(least);
    const { format, needs } = rowAt(data, 0);
    if (format !== null || needs <= data.length || data.length < least) return format;
    least = needs;
  }
}

/** Whether such may begin with a byte. */
export const mayBeRow = (byte: number | undefined): boolean => byte === AC3_MARK || byte === PACKET_MARK;

/** The first place where such begins; null when there is none. */
export function findRow(data: Uint8Array): { format: Format; at: number } | null {
  for (let at = 0; at < data.length; at += 1) {
    const { format } = mayBeRow(data[at]) ? rowAt(data, at) : { format: null };
    if (format !== null) return { format, at };
  }
  return null;
}

/** How much of the end of a file is looked at, and of the beginning of the recording, which may be made of such frames itself. */
export const TAIL_BYTES = 1 << 16;
export const OWN_BYTES = 1 << 12;
/** More frames, and bytes of them, than a container holds in one block. */
const TAIL_FRAMES = 10;
const TAIL_FRAMES_BYTES = 1 << 12;
/** May stand behind the last frame. */
const TAGS = /^(?:TAG|APETAGEX|LYRICSBEGIN)/;

/** AC-3 and E-AC-3 are decoded as one. */
const LINKS: readonly ((data: Uint8Array, at: number) => { kind: number; bytes: number } | null)[] = [
  frameAt,
  ...KINDS.map(([, linkAt]) => (data: Uint8Array, at: number) => {
    const link = linkAt(data, at);
    return link && { kind: 0, bytes: link.bytes };
  }),
];

/** The rows of so many frames in bytes: their kind, their first frame, and the place behind the last. */
function* rowsIn(data: Uint8Array, least: number): Generator<{ kind: string; at: number; end: number }> {
  for (let at = 0; at < data.length; at += 1)
    for (const [way, linkAt] of LINKS.entries()) {
      const first = linkAt(data, at);
      let [count, end] = [0, at];
      for (let link = first; link !== null && link.kind === first?.kind; link = linkAt(data, end)) {
        count += 1;
        end += link.bytes;
      }
      if (first !== null && count >= least) yield { kind: `${way} ${first.kind}`, at, end };
    }
}

/**
 * Whether a file ends in frames without a mark, perhaps with a tag behind them, other than the recording begins with.
 * @param own the first {@link OWN_BYTES} of the recording @param tail the last {@link TAIL_BYTES} of the file
 */
export function endsInRow(own: Uint8Array, tail: Uint8Array): boolean {
  const ownKinds = new Set(Array.from(rowsIn(own, 2), ({ kind }) => kind));
  for (const { kind, at, end } of rowsIn(tail, TAIL_FRAMES)) {
    const isLast = end + HEADER_BYTES > tail.length || TAGS.test(textOf(tail, end, end + 16));
    if (isLast && end - at >= TAIL_FRAMES_BYTES && !ownKinds.has(kind)) return true;
  }
  return false;
}
