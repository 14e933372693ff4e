/** Finds where an MP4 in fragments goes on behind bytes that were lost or stuffed in. */
import { joined, type ByteReader } from './bytes.ts';
import { markAhead } from './joins.ts';
import { findBeginning } from './marks.ts';

/** The bytes that follow the size of a fragment. */
const FRAGMENT = 'moof\0\0\0\x10mfhd';
/** Bytes that show whether a fragment begins, with its size. */
const MARK_BYTES = 16;
/** Bytes of a box in which the next recording may have begun. */
const TAIL_BYTES = 63;
/** How far another recording is looked for where no box follows, bytes. */
const SEARCHED_BYTES = 1 << 26;
/** The most zeros that are filled into one MP4, bytes. */
const FILLED_MAX = 1 << 28;
/** How often bytes are left out of one MP4: more is made to waste time. */
const SKIPS_MAX = 10_000;
const ZEROS = new Uint8Array(1 << 16);
const NOTHING = new Uint8Array(0);

/** The first place where a fragment begins; the length of the bytes where none does. */
function fragmentIn(data: Uint8Array): number {
  const found = Buffer.from(data.buffer, data.byteOffset, data.length).indexOf(FRAGMENT, 4, 'latin1');
  return found < 0 ? data.length : found - 4;
}

/** The first place where a fragment or another recording begins, or may begin; the length of the bytes where none does. */
function beginningIn(data: Uint8Array): { at: number; isSure: boolean } {
  const fragment = fragmentIn(data);
  const { at, format } = findBeginning(data.subarray(0, fragment));
  if (format !== null) return { at, isSure: true };
  return fragment < data.length ? { at: fragment, isSure: true } : { at, isSure: false };
}

/** Repairs a damaged MP4 in fragments, so that ffmpeg reads on behind the damage. It keeps no box in memory. */
export class Mending {
  /** Bytes given so far. */
  given = 0;
  /** Whether bytes were missing or stuffed in. */
  isAny = false;
  /** The last bytes of the box before: the next one may have begun in them. */
  #tail: Uint8Array = NOTHING;
  /** Bytes that the box before lacks. */
  #owed = 0;
  #filled = 0;
  #searched = 0;
  #skips = 0;

  whole(box: Uint8Array): Uint8Array {
    this.given += box.length;
    this.#tail = NOTHING;
    return box;
  }

  /** The bytes of a box as they come. A searched box ends early where a fragment or another recording begins inside it: bytes of it were lost. @returns how many were given */
  async *passing(bytes: ByteReader, size: number, isSearched: boolean): AsyncGenerator<Uint8Array, number> {
    this.#tail = NOTHING;
    let least = 1;
    for (let left = size; left > 0;) {
      const data = (await bytes.peek(least)).subarray(0, left);
      if (data.length === 0) return size - left;
      // The box may be the beginning of one itself.
      const from = left === size ? 1 : 0;
      const found = isSearched ? beginningIn(data.subarray(from)) : null;
      if (found?.isSure === true && from + found.at === 0) {
        this.#owed = left;
        this.isAny = true;
        return size - left;
      }
      // A mark may be cut where the bytes at hand end.
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

  /** Whether there is more damage than is mended. */
  get isTooMuch(): boolean {
    return this.#owed + this.#filled > FILLED_MAX || this.#skips > SKIPS_MAX;
  }

  /** Zeros that make the box before as long as it says. */
  *rest(): Generator<Uint8Array> {
    while (this.#owed > 0) {
      const zeros = ZEROS.subarray(0, this.#owed);
      this.#owed -= zeros.length;
      this.#filled += zeros.length;
      this.given += zeros.length;
      yield zeros;
    }
  }

  /** Skips at least so many bytes, up to the next fragment, the next recording with a mark, or the end. */
  async skip(bytes: ByteReader, least = 0): Promise<void> {
    this.isAny = true;
    this.#skips += 1;
    if (this.#tail.length > 0 && least === 0) bytes.unread(this.#tail);
    else await bytes.skip(Math.max(1, least));
    this.#tail = NOTHING;
    for (;;) {
      const data = await bytes.peek(64);
      if (data.length === 0) return;
      const fragment = fragmentIn(data);
      const at = this.#searched > SEARCHED_BYTES ? fragment : findBeginning(data.subarray(0, fragment)).at;
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
