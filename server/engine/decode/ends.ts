/**
 * Detects a hidden recording: one that was joined to another, begins with no mark (see `marks.ts`), and was not found.
 * It is a row of bare frames at the very end.
 */
import { ID3V1_BYTES, type AudioFormat } from './audio-format.ts';
import { textOf, viewOf } from './bytes.ts';
import { frameAt } from './mpeg-frames.ts';
import { HEADER_BYTES, KINDS, PACKET_MARK } from './rows.ts';

/** How many last bytes of a recording are searched. */
export const TAIL_BYTES = 1 << 16;
/** Formats whose own sound may be bare frames, one after the other. */
export const MAY_HOLD_BARE_FRAMES: ReadonlySet<AudioFormat> = new Set([
  'wav',
  'rf64',
  'w64',
  'aiff',
  'caf',
  'au',
  'other',
]);
/** A hidden recording has at least so many frames and bytes: more than a container holds in one block. */
const TAIL_FRAMES = 10;
const TAIL_FRAMES_BYTES = 1 << 12;

/** Keeps the kinds of different `LINKS` apart. */
const KIND = 2 ** 32;
/**
 * Finds one frame of each bare format. `least` frames in a row do not occur by chance. AC-3 and E-AC-3 are one kind.
 */
const LINKS: readonly (readonly [least: number, (data: Uint8Array, at: number) => Link | null])[] = [
  [2, frameAt],
  ...KINDS.map(
    ([first, linkAt, least]) =>
      [
        first === PACKET_MARK ? least : 2,
        (data: Uint8Array, at: number) => (data[at] === first ? linkAt(data, at) : null),
      ] as const,
  ),
];
interface Link {
  format: AudioFormat;
  kind?: number;
  bytes: number;
}

interface Row {
  kind: number;
  format: AudioFormat;
  at: number;
  end: number;
}

/**
 * Yields each frame that begins a row of `count` or more frames (default: `least` of its format), from the last back.
 */
function* rowsIn(data: Uint8Array, count?: number): Generator<Row> {
  for (const [way, [least, linkAt]] of LINKS.entries()) {
    const [kinds, counts, ends] = [
      new Float64Array(data.length),
      new Int32Array(data.length),
      new Int32Array(data.length),
    ];
    for (let at = data.length - 1; at >= 0; at -= 1) {
      const link = linkAt(data, at);
      if (link === null) continue;
      const next = at + link.bytes;
      const kind = (way + 1) * KIND + (link.kind ?? 0);
      const isInRow = kinds[next] === kind;
      kinds[at] = kind;
      counts[at] = isInRow ? (counts[next] ?? 0) + 1 : 1;
      ends[at] = isInRow ? (ends[next] ?? next) : next;
      if ((counts[at] ?? 0) >= (count ?? least)) yield { kind, format: link.format, at, end: ends[at] ?? next };
    }
  }
}

/** Whether only tags, or less than a header, follow at `at`. */
function isEnd(tail: Uint8Array, at: number): boolean {
  if (at + HEADER_BYTES > tail.length) return true;
  const name = textOf(tail, at, at + 8);
  if (name.startsWith('TAG')) return isEnd(tail, at + ID3V1_BYTES);
  // The size of an APE tag counts its items and footer, not its header.
  if (name === 'APETAGEX' && at + 32 <= tail.length)
    return isEnd(tail, at + 32 + viewOf(tail).getUint32(at + 12, true));
  return name === 'LYRICSBE';
}

/** The longest row of bare frames at the end of `tail`, in a format that none of the recordings has; null if none. */
function rowAtEnd(tail: Uint8Array, ownFormats: ReadonlySet<AudioFormat>): Row | null {
  let longest: Row | null = null;
  for (const row of rowsIn(tail, TAIL_FRAMES)) {
    const bytes = row.end - row.at;
    if (bytes < TAIL_FRAMES_BYTES || ownFormats.has(row.format) || !isEnd(tail, row.end)) continue;
    if (longest === null || bytes > longest.end - longest.at) longest = row;
  }
  return longest;
}

/**
 * Where, in the last bytes of known recordings, a hidden recording begins; null if there is none.
 * @param ownFormats the formats of the known recordings
 * @returns `occursIn` tells whether frames of its kind also occur in other bytes
 */
export function hiddenAt(
  ownFormats: ReadonlySet<AudioFormat>,
  tail: Uint8Array,
): { at: number; occursIn: (own: Uint8Array) => boolean } | null {
  const row = rowAtEnd(tail, ownFormats);
  if (row === null) return null;
  const occursIn = (own: Uint8Array): boolean => Array.from(rowsIn(own)).some(({ kind }) => kind === row.kind);
  return { at: row.at, occursIn };
}

/** Keeps the last bytes of the recordings in a byte stream. */
export class Tail {
  readonly #ownFormats = new Set<AudioFormat>();
  readonly #last = new Uint8Array(2 * TAIL_BYTES);
  #bytes = 0;

  /** Yields the bytes of the source unchanged, and keeps the last ones. */
  async *watch(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      const kept = piece.subarray(-TAIL_BYTES);
      if (this.#bytes + kept.length > this.#last.length) {
        this.#last.copyWithin(0, this.#bytes - TAIL_BYTES, this.#bytes);
        this.#bytes = TAIL_BYTES;
      }
      this.#last.set(kept, this.#bytes);
      this.#bytes += kept.length;
      yield piece;
    }
  }

  /** Call it for the format of each known recording. */
  addFormat(format: AudioFormat): void {
    this.#ownFormats.add(format);
  }

  /** Whether a hidden recording ends the bytes so far. */
  get hidesRecording(): boolean {
    return hiddenAt(this.#ownFormats, this.#last.subarray(Math.max(0, this.#bytes - TAIL_BYTES), this.#bytes)) !== null;
  }
}
