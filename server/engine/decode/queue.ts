/** A queue of bytes: the sender pushes, the decoder pulls. */
export class ByteQueue implements AsyncIterableIterator<Uint8Array> {
  readonly #bytesMax: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #ended = false;
  #wakeReader = (): void => undefined;
  #drainWaiters: (() => void)[] = [];
  #hungry = false;
  #settleWaiters: (() => void)[] = [];

  /** @param bytesMax the sender should pause once this many bytes wait */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Returns false if the sender should wait for `drained()`. After the end it drops the bytes. */
  push(bytes: Uint8Array): boolean {
    if (this.#ended || bytes.length === 0) return this.#bytes < this.#bytesMax;
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    this.#wakeReader();
    return this.#bytes < this.#bytesMax;
  }

  drained(): Promise<void> {
    if (this.#bytes < this.#bytesMax) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drainWaiters.push(resolve);
    });
  }

  /** Resolves when the reader has taken everything and waits for more, or after the end. */
  settled(): Promise<void> {
    if (this.#ended || (this.#hungry && this.#pieces.length === 0)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#settleWaiters.push(resolve);
    });
  }

  /** No more bytes come; the reader still gets the waiting ones. */
  end(): void {
    this.#ended = true;
    this.#wakeReader();
  }

  /** Ends the queue and drops the waiting bytes. */
  close(): void {
    this.#pieces = [];
    this.#bytes = 0;
    this.end();
    release(this.#drainWaiters);
    release(this.#settleWaiters);
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) {
        this.#bytes -= piece.length;
        if (this.#bytes < this.#bytesMax) release(this.#drainWaiters);
        return { done: false, value: piece };
      }
      if (this.#ended) return { done: true, value: undefined };
      this.#hungry = true;
      release(this.#settleWaiters);
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve;
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
