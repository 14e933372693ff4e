/** Gives what comes of a source, and keeps it, so that it can be given again from its start. */
export class KeptBytes implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #bytesMax: number;
  #kept: Uint8Array[] | null = [];
  #bytes = 0;

  /** @param bytesMax once more than this has come, nothing is kept */
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

  /** All from the start, and what comes; null where not all was kept. */
  again(): AsyncIterable<Uint8Array> | null {
    const kept = this.#kept;
    this.forget();
    return kept && joinedTo(kept, this);
  }
}

async function* joinedTo(first: Iterable<Uint8Array>, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* first;
  yield* rest;
}
