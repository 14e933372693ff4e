/** Yields the bytes of a source and keeps them, so that they can be read again from the start. */
export class ReplayableBytes implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #bytesMax: number;
  #kept: Uint8Array[] | null = [];
  #bytes = 0;

  /** @param bytesMax past this many bytes it drops the kept ones, and `replay` returns null */
  constructor(source: AsyncIterable<Uint8Array>, bytesMax = Infinity) {
    this.#source = source[Symbol.asyncIterator]();
    this.#bytesMax = bytesMax;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = await this.#source.next();
      if (next.done === true) return;
      this.#bytes += next.value.length;
      if (this.#bytes > this.#bytesMax) this.forget();
      this.#kept?.push(next.value);
      yield next.value;
    }
  }

  forget(): void {
    this.#kept = null;
  }

  /** Yields all bytes from the start on; null if some were dropped. */
  replay(): AsyncIterable<Uint8Array> | null {
    const kept = this.#kept;
    this.forget();
    return kept && joinedTo(kept, this);
  }
}

async function* joinedTo(first: Iterable<Uint8Array>, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* first;
  yield* rest;
}
