/** Tells whether a recording without a mark, which was not found, stands at the end of another one. */
import type { AudioFormat } from './audio-format.ts';
import { textOf } from './bytes.ts';
import { frameAt } from './mpeg-frames.ts';
import { HEADER_BYTES, KINDS } from './rows.ts';

/** How much of the end of a recording is looked at, and of the beginning of its sound, which may be made of such frames itself. */
export const TAIL_BYTES = 1 << 16;
const OWN_BYTES_MIN = 1 << 12;
export const OWN_BYTES_MAX = 1 << 14;
/** Formats whose sound may be frames without a mark, one after the other. */
export const BARE: ReadonlySet<AudioFormat> = new Set(['wav', 'rf64', 'w64', 'aiff', 'caf', 'au', 'mp4', 'other']);
/** More frames, and bytes of them, than a container holds in one block. */
const TAIL_FRAMES = 10;
const TAIL_FRAMES_BYTES = 1 << 12;
/** May stand behind the last frame. */
const TAGS = /^(?:TAG|APETAGEX|LYRICSBEGIN)/;

type Link = { format: AudioFormat; kind: number; bytes: number };
/** A recording that holds `least` in a row is made of such frames. AC-3 and E-AC-3 count as one kind. */
const LINKS: readonly (readonly [least: number, (data: Uint8Array, at: number) => Link | null])[] = [
  [2, frameAt],
  ...KINDS.map(
    ([first, linkAt, least]) =>
      [
        least,
        (data: Uint8Array, at: number) => {
          const link = data[at] === first ? linkAt(data, at) : null;
          return link && { ...link, kind: 0 };
        },
      ] as const,
  ),
];

type Row = { kind: string; format: AudioFormat; at: number; count: number; least: number; end: number };

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
          ? { ...next, at, count: next.count + 1 }
          : { kind, format: link.format, at, count: 1, least, end: at + link.bytes };
      rows.set(at, row);
      yield row;
    }
  }
}

/** The longest row of frames without a mark in which the last bytes of a file end, perhaps with a tag behind them; null where there is none. */
function rowAtEnd(tail: Uint8Array, met: ReadonlySet<AudioFormat>): Row | null {
  let longest: Row | null = null;
  for (const row of rowsIn(tail)) {
    const { at, count, end, format } = row;
    const isLong = count >= TAIL_FRAMES && end - at >= TAIL_FRAMES_BYTES && !met.has(format);
    const isLast = isLong && (end + HEADER_BYTES > tail.length || TAGS.test(textOf(tail, end, end + 16)));
    if (isLast && end - at > (longest === null ? 0 : longest.end - longest.at)) longest = row;
  }
  return longest;
}

/** The kinds of frames that a recording is made of, by the first bytes of its sound; a chunk of an MP4 may be a single one. */
function kindsIn(data: Uint8Array): Set<string> {
  const kinds = new Set<string>();
  for (const { kind, at, count, least } of rowsIn(data)) if (at === 0 || count >= least) kinds.add(kind);
  return kinds;
}

/**
 * Whether recordings end in frames without a mark that they are not made of: those of another one.
 * @param met the formats of the recordings
 * @param tail their last bytes, {@link TAIL_BYTES} or fewer; `tailAt` bytes before it, the sound of the last recording begins
 * @param own reads that sound, so many bytes, at most {@link OWN_BYTES_MAX}: none of it where it cannot be made of frames
 */
export async function hidesRecording(
  met: ReadonlySet<AudioFormat>,
  tail: Uint8Array,
  tailAt: number,
  own: (length: number) => Uint8Array | Promise<Uint8Array>,
): Promise<boolean> {
  const row = rowAtEnd(tail, met);
  if (row === null) return false;
  const length = Math.min(OWN_BYTES_MAX, Math.max(OWN_BYTES_MIN, tailAt + row.at));
  return !kindsIn(await own(length)).has(row.kind);
}

/** Holds the last bytes of recordings that pass by, and the first bytes of the last one's sound. */
export class Ends {
  readonly #met = new Set<AudioFormat>();
  readonly #first = new Uint8Array(OWN_BYTES_MAX);
  #firstBytes = 0;
  #firstAt = 0;
  readonly #last = new Uint8Array(2 * TAIL_BYTES);
  #lastBytes = 0;
  #bytes = 0;

  /** Passes on all bytes there are. */
  async *all(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      const kept = piece.subarray(-TAIL_BYTES);
      if (this.#lastBytes + kept.length > this.#last.length) {
        this.#last.copyWithin(0, this.#lastBytes - TAIL_BYTES, this.#lastBytes);
        this.#lastBytes = TAIL_BYTES;
      }
      this.#last.set(kept, this.#lastBytes);
      this.#lastBytes += kept.length;
      this.#bytes += piece.length;
      yield piece;
    }
  }

  /** Another recording begins. */
  begin(format: AudioFormat): void {
    this.#met.add(format);
    this.#firstBytes = 0;
    this.#firstAt = this.#bytes;
  }

  /** Passes on the bytes of a recording. @param soundAt where its sound begins, as far as that is known */
  async *own(
    source: AsyncIterable<Uint8Array>,
    format: AudioFormat,
    soundAt: () => number = () => 0,
  ): AsyncGenerator<Uint8Array> {
    this.begin(format);
    let passed = 0;
    for await (const piece of source) {
      const sound = piece.subarray(Math.max(0, soundAt() - passed), Infinity);
      const kept = sound.subarray(0, OWN_BYTES_MAX - this.#firstBytes);
      this.#first.set(kept, this.#firstBytes);
      this.#firstBytes += kept.length;
      passed += piece.length;
      yield piece;
    }
  }

  /** As {@link hidesRecording}. */
  hideRecording(): Promise<boolean> {
    const tail = this.#last.subarray(Math.max(0, this.#lastBytes - TAIL_BYTES), this.#lastBytes);
    const tailAt = Math.max(0, this.#bytes - tail.length - this.#firstAt);
    const isBare = [...this.#met].some((format) => BARE.has(format));
    const own = this.#first.subarray(0, isBare ? this.#firstBytes : 0);
    return hidesRecording(this.#met, tail, tailAt, (length) => own.subarray(0, length));
  }
}
