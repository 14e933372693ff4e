/** Repairs an MP4 in fragments where bytes were lost or inserted. */
import { joined, type ByteReader } from './bytes.ts';
import { markAhead } from './joins.ts';
import { findMark } from './marks.ts';

/** The bytes that follow a fragment's size. */
const FRAGMENT = 'moof\0\0\0\x10mfhd';
/** Bytes needed to recognize a fragment, its size included. */
const MARK_BYTES = 16;
/** Last bytes of a box that are searched again, because the next recording's mark may begin in them. */
const TAIL_BYTES = 63;
/** How many bytes of damage are searched for another recording. */
const SEARCHED_BYTES = 1 << 26;
/** The largest number of zeros filled into one MP4. */
const FILLED_MAX = 1 << 28;
/** The largest number of skips in one MP4. More are an attempt to waste time. */
const SKIPS_MAX = 10_000;
const ZEROS = new Uint8Array(1 << 16);
const NOTHING = new Uint8Array(0);

/** Offset of the first fragment; the length of the data if there is none. */
function fragmentOffset(data: Uint8Array): number {
  const found = Buffer.from(data.buffer, data.byteOffset, data.length).indexOf(FRAGMENT, 4, 'latin1');
  return found < 0 ? data.length : found - 4;
}

/**
 * Where the first fragment or recording begins, or may begin (`isSure` is false then); the data's length if none does.
 */
function nextBeginning(data: Uint8Array): { at: number; isSure: boolean } {
  const fragment = fragmentOffset(data);
  const { at, format } = findMark(data.subarray(0, fragment));
  if (format !== null) return { at, isSure: true };
  return fragment < data.length ? { at: fragment, isSure: true } : { at, isSure: false };
}

/** Repairs a damaged MP4 in fragments, so that ffmpeg reads on behind the damage. Buffers no box. */
export class Mp4Repair {
  /** Bytes given so far. */
  given = 0;
  /** Whether bytes were lost or inserted. */
  hasDamage = false;
  /** The last bytes of the last box: the next one may have begun in them. */
  #tail: Uint8Array = NOTHING;
  /** Bytes that the last box lacks. */
  #missing = 0;
  #filled = 0;
  #searched = 0;
  #skips = 0;

  /** Counts a box that is given as it is. */
  whole(box: Uint8Array): Uint8Array {
    this.given += box.length;
    this.#tail = NOTHING;
    return box;
  }

  /**
   * Yields the bytes of a box as they come. A searched box lost bytes if a fragment or another recording begins inside
   * it, and ends there. @returns how many bytes it yielded
   */
  async *copy(bytes: ByteReader, size: number, isSearched: boolean): AsyncGenerator<Uint8Array, number> {
    this.#tail = NOTHING;
    let least = 1;
    for (let left = size; left > 0;) {
      const data = (await bytes.peek(least)).subarray(0, left);
      if (data.length === 0) return size - left;
      // The box itself may be a beginning, so skip its first byte.
      const from = left === size ? 1 : 0;
      const found = isSearched ? nextBeginning(data.subarray(from)) : null;
      if (found?.isSure === true && from + found.at === 0) {
        this.#missing = left;
        this.hasDamage = true;
        return size - left;
      }
      // A mark may be cut at the end of the bytes at hand: keep those bytes for the next look.
      const isAll = found === null || data.length === left || data.length < least;
      const at = found === null ? data.length : from + found.at;
      const known = found?.isSure === true ? at : Math.max(0, Math.min(at, data.length - MARK_BYTES + 1));
      const piece = await bytes.upTo(isAll && found?.isSure !== true ? data.length : known);
      if (piece === null) return size - left;
      least = piece.length === 0 ? data.length + 1 : 1;
      left -= piece.length;
      this.given += piece.length;
      this.#tail = joined([this.#tail, piece.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
      if (piece.length > 0) yield piece;
    }
    return size;
  }

  /** Whether the damage exceeds the limits of repair. */
  get isTooMuch(): boolean {
    return this.#missing + this.#filled > FILLED_MAX || this.#skips > SKIPS_MAX;
  }

  /** Yields the zeros that fill the last box up to its declared size. */
  *rest(): Generator<Uint8Array> {
    while (this.#missing > 0) {
      const zeros = ZEROS.subarray(0, this.#missing);
      this.#missing -= zeros.length;
      this.#filled += zeros.length;
      this.given += zeros.length;
      yield zeros;
    }
  }

  /** Skips at least `least` bytes, up to the next fragment, the next mark of a recording, or the end. */
  async skip(bytes: ByteReader, least = 0): Promise<void> {
    this.hasDamage = true;
    this.#skips += 1;
    if (this.#tail.length > 0 && least === 0) bytes.unread(this.#tail);
    else await bytes.skip(Math.max(1, least));
    this.#tail = NOTHING;
    for (;;) {
      const data = await bytes.peek(64);
      if (data.length === 0) return;
      const fragment = fragmentOffset(data);
      const at = this.#searched > SEARCHED_BYTES ? fragment : findMark(data.subarray(0, fragment)).at;
      if (at === fragment && at < data.length) return void (await bytes.skip(at));
      const skipped = at < data.length ? at : Math.max(1, at - MARK_BYTES + 1);
      this.#searched += skipped;
      await bytes.skip(skipped);
      if (at === data.length) continue;
      if ((await markAhead(bytes)) !== null) return;
      await bytes.skip(1);
    }
  }
}
