import { Cadence } from './cadence.ts';
import { EngineError } from '../port.ts';
import type { StreamEvents, StreamOptions, SttStream } from '../port.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

/** How much audio may be on its way to the recognizer before the caller has to pause. */
const PENDING_MAX_SECONDS = 2;

/** The caller's end of a live stream that a recognizer process works on. */
export class PoolStream implements SttStream {
  readonly #id: number;
  readonly #events: StreamEvents;
  readonly #post: (message: ToWorker) => void;
  readonly #onClosed: () => void;
  readonly #pendingMax: number;
  readonly #cadence = new Cadence();
  #pending = 0;
  #waiting: (() => void)[] = [];
  #state: 'open' | 'ending' | 'closed' = 'open';

  constructor(
    id: number,
    options: StreamOptions,
    events: StreamEvents,
    post: (message: ToWorker) => void,
    onClosed: () => void,
  ) {
    this.#id = id;
    this.#events = events;
    this.#post = post;
    this.#onClosed = onClosed;
    this.#pendingMax = PENDING_MAX_SECONDS * options.sampleRate * options.channels * 2;
    post({ type: 'stream.open', id, options });
  }

  write(pcm: Uint8Array): boolean {
    if (this.#state !== 'open' || pcm.length === 0) return this.#pending <= this.#pendingMax;
    this.#pending += pcm.length;
    this.#cadence.heard(performance.now());
    // Copy: the message may wait until the process has loaded, and the caller may reuse its buffer.
    this.#post({ type: 'stream.audio', id: this.#id, pcm: Uint8Array.from(pcm) });
    return this.#pending <= this.#pendingMax;
  }

  drained(): Promise<void> {
    if (this.#hasRoom()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  finalize(trailingSilenceMs = 0): void {
    if (this.#state !== 'open') return;
    this.#post({ type: 'stream.finalize', id: this.#id, trailingSilenceMs, quietMs: this.#cadence.quietMs });
  }

  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ending';
    this.#post({ type: 'stream.end', id: this.#id });
  }

  abort(): void {
    if (this.#state === 'closed') return;
    this.#post({ type: 'close', id: this.#id });
    this.#close();
  }

  /** Takes a message of the worker. */
  receive(message: FromWorker): void {
    if (this.#state === 'closed') return;
    if (message.type === 'stream.consumed') {
      this.#pending -= message.bytes;
      if (this.#hasRoom()) this.#release();
    } else if (message.type === 'stream.result') {
      if (message.result.finished) this.#close();
      this.#events.result(message.result);
    } else if (message.type === 'failed') {
      this.fail(new EngineError('worker_crashed', `The recognition of this stream failed: ${message.message}`));
    }
  }

  /** Ends the stream with an error. */
  fail(error: EngineError): void {
    if (this.#state === 'closed') return;
    this.#close();
    this.#events.error(error);
  }

  #hasRoom(): boolean {
    return this.#state === 'closed' || this.#pending <= this.#pendingMax / 2;
  }

  #close(): void {
    this.#state = 'closed';
    this.#release();
    this.#onClosed();
  }

  #release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
