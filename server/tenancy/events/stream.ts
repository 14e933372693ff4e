import { EVENT_HEARTBEAT_MS, type ConsoleEvent } from '#contract/events.ts';

/**
 * The largest number of events that may wait for a slow reader. One more replaces all by `resync`, because reading
 * again is cheaper.
 */
const WAITING_MAX = 200;
/** Time that a reader has to take the last events after its stream has ended. */
const DRAIN_MS = 5_000;

const encoder = new TextEncoder();
const frameOf = (event: ConsoleEvent): Uint8Array =>
  encoder.encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
const HEARTBEAT = encoder.encode(': still here\n\n');

/**
 * One page's stream of server-sent events, written as fast as the page reads. At most {@link WAITING_MAX} events wait;
 * a page that falls further behind gets a `resync` instead.
 */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  /** The page that reads it; undefined for other clients. */
  readonly page: string | undefined;
  readonly #onGone: () => void;
  readonly #cut: () => void;
  #waiting: ConsoleEvent[] = [];
  #wake: () => void = () => {};
  #isEnding = false;
  #isOver = false;
  #deadline: NodeJS.Timeout | undefined;
  #lastSent = performance.now();

  /** @param onGone called once, at the end @param cut breaks the connection of a reader that stopped reading */
  constructor({ page, onGone, cut }: { page?: string | undefined; onGone: () => void; cut: () => void }) {
    this.page = page;
    this.#onGone = onGone;
    this.#cut = cut;
    this.body = new ReadableStream<Uint8Array>(
      { pull: (controller) => this.#pull(controller), cancel: () => this.#finish() },
      { highWaterMark: 0 },
    );
  }

  push(event: ConsoleEvent): void {
    if (this.#isEnding) return;
    if (this.#waiting.length >= WAITING_MAX) this.#waiting = [{ type: 'resync' }];
    else this.#waiting.push(event);
    this.#wake();
  }

  /** Ends the stream once the reader has taken the waiting events, or only `last` if given. */
  end(last?: ConsoleEvent): void {
    if (this.#isEnding) return;
    if (last) this.#waiting = [last];
    this.#isEnding = true;
    this.#deadline = setTimeout(() => {
      this.#cut();
      this.#finish();
    }, DRAIN_MS);
    this.#wake();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event) return this.#send(controller, frameOf(event));
      if (this.#isEnding) {
        if (!this.#isOver) controller.close();
        return this.#finish();
      }
      const silence = performance.now() - this.#lastSent;
      if (silence >= EVENT_HEARTBEAT_MS) return this.#send(controller, HEARTBEAT);
      await this.#sleep(EVENT_HEARTBEAT_MS - silence);
    }
  }

  #send(controller: ReadableStreamDefaultController<Uint8Array>, frame: Uint8Array): void {
    this.#lastSent = performance.now();
    if (!this.#isOver) controller.enqueue(frame);
  }

  #sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isEnding = true;
    clearTimeout(this.#deadline);
    this.#wake();
    this.#onGone();
  }
}
