/** Tells whether a recording without a mark, which was not found, stands at the end of another one. */
import { ID3V1_BYTES, type AudioFormat } from './audio-format.ts';
import { textOf, viewOf } from './bytes.ts';
import { frameAt } from './mpeg-frames.ts';
import { HEADER_BYTES, KINDS, PACKET_MARK } from './rows.ts';

/** How much of the end of recordings is looked at. */
export const TAIL_BYTES = 1 << 16;
/** Formats whose sound may be frames without a mark itself, one after the other. */
export const BARE: ReadonlySet<AudioFormat> = new Set(['wav', 'rf64', 'w64', 'aiff', 'caf', 'au', 'other']);
/** More frames, and bytes of them, than a container holds in one block. */
const TAIL_FRAMES = 10;
const TAIL_FRAMES_BYTES = 1 << 12;

/** Numbers of two that are never alike. */
const KIND = 2 ** 32;
/** A recording that holds `least` in a row is made of such frames. AC-3 and E-AC-3 count as one kind. */
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

/** Each frame with so many behind it, or more, that it is the first of a row; the last one first. */
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

/** Whether what stands behind the last frame is nothing, half a header, or tags up to the end. */
function isEnd(tail: Uint8Array, at: number): boolean {
  if (at + HEADER_BYTES > tail.length) return true;
  const name = textOf(tail, at, at + 8);
  if (name.startsWith('TAG')) return isEnd(tail, at + ID3V1_BYTES);
  // Its size counts the items and a footer.
  if (name === 'APETAGEX' && at + 32 <= tail.length)
    return isEnd(tail, at + 32 + viewOf(tail).getUint32(at + 12, true));
  return name === 'LYRICSBE';
}

/** The longest row of frames without a mark in which the last bytes of recordings end; null where there is none. */
function rowAtEnd(tail: Uint8Array, met: ReadonlySet<AudioFormat>): Row | null {
  let longest: Row | null = null;
  for (const row of rowsIn(tail, TAIL_FRAMES)) {
    const bytes = row.end - row.at;
    if (bytes < TAIL_FRAMES_BYTES || met.has(row.format) || !isEnd(tail, row.end)) continue;
    if (longest === null || bytes > longest.end - longest.at) longest = row;
  }
  return longest;
}

/**
 * Where, in the last bytes of recordings, the frames without a mark of another recording begin; null where there are none.
 * @param met the formats of the recordings
 */
export function hiddenAt(
  met: ReadonlySet<AudioFormat>,
  tail: Uint8Array,
): { at: number; isIn: (own: Uint8Array) => boolean } | null {
  const row = rowAtEnd(tail, met);
  if (row === null) return null;
  const isIn = (own: Uint8Array): boolean => Array.from(rowsIn(own)).some(({ kind }) => kind === row.kind);
  return { at: row.at, isIn };
}

/** Holds the last bytes of recordings that pass by. */
export class Ends {
  readonly #met = new Set<AudioFormat>();
  readonly #last = new Uint8Array(2 * TAIL_BYTES);
  #bytes = 0;

  /** Passes on all bytes there are. */
  async *passing(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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

  /** A recording of a format has begun. */
  meet(format: AudioFormat): void {
    this.#met.add(format);
  }

  /** Whether they end in frames without a mark that none of them is made of: those of another one. */
  get hideRecording(): boolean {
    return hiddenAt(this.#met, this.#last.subarray(Math.max(0, this.#bytes - TAIL_BYTES), this.#bytes)) !== null;
  }
}
