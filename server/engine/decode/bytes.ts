const NOTHING = new Uint8Array(0);

/**
 * Reads a byte stream in pieces of any size, however the source cut it. Waits for bytes that have not come yet, and
 * buffers no more than the requested piece needs.
 */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = NOTHING;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Returns some bytes, at most `max`, as soon as there are any; null at the end. */
  async upTo(max: number): Promise<Uint8Array | null> {
    while (this.#rest.length === 0) {
      const next = await this.#source.next();
      if (next.done === true) return null;
      // A plain Uint8Array: decoders call methods, such as `slice`, that differ in Buffer.
      this.#rest = new Uint8Array(next.value.buffer, next.value.byteOffset, next.value.length);
    }
    const piece = this.#rest.subarray(0, max);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }

  /** Returns all bytes at hand without consuming them: at least `least`, fewer only at the end. */
  async peek(least: number): Promise<Uint8Array> {
    const pieces = [this.#rest];
    for (let length = this.#rest.length; length < least;) {
      const next = await this.#source.next();
      if (next.done === true) break;
      pieces.push(new Uint8Array(next.value.buffer, next.value.byteOffset, next.value.length));
      length += next.value.length;
    }
    if (pieces.length > 1) this.#rest = joined(pieces);
    return this.#rest;
  }

  /** Puts bytes back; they are read next. */
  unread(bytes: Uint8Array): void {
    this.#rest = this.#rest.length === 0 ? bytes : joined([bytes, this.#rest]);
  }

  /** Takes the buffered bytes that were not read. */
  rest(): Uint8Array {
    const rest = this.#rest;
    this.#rest = NOTHING;
    return rest;
  }

  /** Takes exactly `length` bytes; null if the stream ends before. */
  async take(length: number): Promise<Uint8Array | null> {
    if (this.#rest.length >= length) {
      const piece = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      return piece;
    }
    const pieces: Uint8Array[] = [];
    for (let missing = length; missing > 0;) {
      const piece = await this.upTo(missing);
      if (piece === null) return null;
      pieces.push(piece);
      missing -= piece.length;
    }
    return joined(pieces);
  }

  /** Skips bytes; false if the stream ends before. */
  async skip(length: number): Promise<boolean> {
    for (let missing = length; missing > 0;) {
      const piece = await this.upTo(missing);
      if (piece === null) return false;
      missing -= piece.length;
    }
    return true;
  }
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

export function textOf(bytes: Uint8Array, from: number, to: number): string {
  const { buffer, byteOffset, length } = bytes.subarray(from, to);
  return Buffer.from(buffer, byteOffset, length).toString('latin1');
}
