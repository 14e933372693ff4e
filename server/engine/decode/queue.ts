/** A queue of bytes: the sender pushes, the decoder pulls. */
export class ByteQueue implements AsyncIterableIterator<Uint8Array> {
  readonly #bytesMax: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #ended = false;
  #arrived = (): void => undefined;
  #drained: (() => void)[] = [];
  #hungry = false;
  #settled: (() => void)[] = [];

  /** @param bytesMax from this many waiting bytes on the sender should pause */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Returns false if the sender should wait for `drained()`. After the end it drops the bytes. */
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

  /** Resolves when the reader has taken everything and waits for more, or after the end. */
  settled(): Promise<void> {
    if (this.#ended || (this.#hungry && this.#pieces.length === 0)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#settled.push(resolve);
    });
  }

  /** No more bytes come; the reader still gets the waiting ones. */
  end(): void {
    this.#ended = true;
    this.#arrived();
  }

  /** Ends the queue and drops the waiting bytes. */
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
