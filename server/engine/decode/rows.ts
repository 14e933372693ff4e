/** Knows recordings without a mark of their own that no decoder of ours reads: by frames or packets in a row, each where the one before says. */
import { ac3FrameAt } from './ac3.ts';
import { joined, textOf, type ByteReader } from './bytes.ts';
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
/** `count` in a row occur in nothing else by chance. */
const KINDS: readonly (readonly [first: number, FrameAt, count: number])[] = [
  [AC3_MARK, ac3FrameAt, IN_A_ROW],
  ...PACKETS.map((size) => [PACKET_MARK, packetAt(size), 8] as const),
];

/** What begins at a place, and how many bytes it takes to tell. */
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
const OWN_BYTES_MIN = 1 << 12;
export const OWN_BYTES_MAX = 1 << 18;
/** More frames, and bytes of them, than a container holds in one block. */
const TAIL_FRAMES = 10;
const TAIL_FRAMES_BYTES = 1 << 12;
/** May stand behind the last frame. */
const TAGS = /^(?:TAG|APETAGEX|LYRICSBEGIN)/;

type Link = { kind: number; bytes: number };
/** A recording that holds `least` in a row is made of such frames. AC-3 and E-AC-3 count as one kind. */
const LINKS: readonly (readonly [least: number, (data: Uint8Array, at: number) => Link | null])[] = [
  [2, frameAt],
  ...KINDS.map(
    ([first, linkAt, least]) =>
      [
        least,
        (data: Uint8Array, at: number) => {
          const link = data[at] === first ? linkAt(data, at) : null;
          return link && { kind: 0, bytes: link.bytes };
        },
      ] as const,
  ),
];

type Row = { kind: string; at: number; count: number; least: number; end: number };

/** All frames, the last one first, each with the length of the row that it begins and the place where that row ends. */
function* rowsIn(data: Uint8Array): Generator<Row> {
  for (const [way, [least, linkAt]] of LINKS.entries()) {
    const rows = new Map<number, Row>();
    for (let at = data.length - 1; at >= 0; at -= 1) {
      const link = linkAt(data, at);
      if (link === null) continue;
      const kind = `${way} ${link.kind}`;
      const next = rows.get(at + link.bytes);
      const row =
        next?.kind === kind
          ? { kind, at, count: next.count + 1, least, end: next.end }
          : { kind, at, count: 1, least, end: at + link.bytes };
      rows.set(at, row);
      yield row;
    }
  }
}

/** The rows of frames without a mark in which the last bytes of a file end, perhaps with a tag behind them: their kinds, and where each begins. */
function rowsAtEnd(tail: Uint8Array): Map<string, number> {
  const rows = new Map<string, number>();
  for (const { kind, at, count, end } of rowsIn(tail)) {
    const isLong = count >= TAIL_FRAMES && end - at >= TAIL_FRAMES_BYTES;
    if (isLong && (end + HEADER_BYTES > tail.length || TAGS.test(textOf(tail, end, end + 16)))) rows.set(kind, at);
  }
  return rows;
}

/** The kinds of frames that a recording is made of. */
function kindsIn(data: Uint8Array): Set<string> {
  const kinds = new Set<string>();
  for (const { kind, count, least } of rowsIn(data)) if (count >= least) kinds.add(kind);
  return kinds;
}

/**
 * Whether the last bytes of a recording are frames without a mark that it is not made of itself: those of another one behind it.
 * @param tail its last bytes, at most {@link TAIL_BYTES}, `tailAt` bytes behind the beginning of its sound
 * @param own reads so many bytes from the beginning of its sound
 */
export async function hidesRecording(
  tail: Uint8Array,
  tailAt: number,
  own: (length: number) => Uint8Array | Promise<Uint8Array>,
): Promise<boolean> {
  for (const [kind, at] of rowsAtEnd(tail)) {
    const first = await own(Math.min(OWN_BYTES_MAX, Math.max(OWN_BYTES_MIN, tailAt + at)));
    if (!kindsIn(first).has(kind)) return true;
  }
  return false;
}

/** The first bytes of a recording's sound, and its last ones, as they pass by. */
export class Ends {
  readonly #isSound: (piece: Uint8Array) => boolean;
  #first: Uint8Array[] = [];
  #last: Uint8Array[] = [];
  /** Of all, since its sound began. */
  #bytes = 0;
  #lastBytes = 0;

  /** @param isSound whether its sound begins with a piece */
  constructor(isSound: (piece: Uint8Array) => boolean = () => true) {
    this.#isSound = isSound;
  }

  async *passing(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      this.#pass(piece);
      yield piece;
    }
  }

  #pass(piece: Uint8Array): void {
    if (this.#bytes === 0 && !this.#isSound(piece)) return;
    if (this.#bytes < OWN_BYTES_MAX) this.#first.push(piece);
    this.#bytes += piece.length;
    this.#last.push(piece);
    this.#lastBytes += piece.length;
    for (let [one] = this.#last; one !== undefined && this.#lastBytes - one.length >= TAIL_BYTES; [one] = this.#last) {
      this.#last.shift();
      this.#lastBytes -= one.length;
    }
  }

  /** Whether another recording hides at its end, as {@link hidesRecording}. */
  async hideRecording(): Promise<boolean> {
    const tail = joined(this.#last).subarray(-TAIL_BYTES);
    const first = joined(this.#first);
    return hidesRecording(tail, this.#bytes - tail.length, (length) => first.subarray(0, length));
  }
}
