/** Bytes on their way from a sender that is pushed at to a decoder that pulls. */
export class ByteQueue implements AsyncIterableIterator<Uint8Array> {
  readonly #bytesMax: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #ended = false;
  #arrived = (): void => undefined;
  #drained: (() => void)[] = [];
  #hungry = false;
  #settled: (() => void)[] = [];

  /** @param bytesMax bytes from which on the sender is asked to pause */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** False when the sender should wait for `drained()`; true after the end, when nothing is kept any more. */
  push(bytes: Uint8Array): boolean {
    if (this.#ended || bytes.length === 0) return this.#bytes < this.#bytesMax;
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    this.#arrived();
    return this.#bytes < this.#bytesMax;
  }

  drained(): Promise<void> {
    if (this.#bytes < this.#bytesMax) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drained.push(resolve);
    });
  }

  /** Resolves when everything is read and the reader waits for more, or after the end. */
  settled(): Promise<void> {
    if (this.#ended || (this.#hungry && this.#pieces.length === 0)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#settled.push(resolve);
    });
  }

  /** No more bytes; those that wait are still read. */
  end(): void {
    this.#ended = true;
    this.#arrived();
  }

  /** Drops what waits, too. */
  close(): void {
    this.#pieces = [];
    this.#bytes = 0;
    this.end();
    release(this.#drained);
    release(this.#settled);
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) {
        this.#bytes -= piece.length;
        if (this.#bytes < this.#bytesMax) release(this.#drained);
        return { done: false, value: piece };
      }
      if (this.#ended) return { done: true, value: undefined };
      this.#hungry = true;
      release(this.#settled);
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
      this.#hungry = false;
    }
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

function release(waiting: (() => void)[]): void {
  for (const resolve of waiting.splice(0)) resolve();
}
