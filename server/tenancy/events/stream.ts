import { EVENT_HEARTBEAT_MS, type ConsoleEvent } from '#contract/events.ts';

/** Events that wait for a slow reader. Beyond, they are dropped: reading everything again is cheaper. */
const WAITING_MAX = 200;
/** How long a reader may take for what is left when its stream has ended. */
const FAREWELL_MS = 5_000;

const encoder = new TextEncoder();
const frameOf = (event: ConsoleEvent): Uint8Array =>
  encoder.encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
const HEARTBEAT = encoder.encode(': still here\n\n');

/**
 * One reader's stream of server-sent events. It is written as fast as it is read: what waits is bounded, and a reader that
 * falls behind is told to read everything again.
 */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #onGone: () => void;
  readonly #cut: () => void;
  #waiting: ConsoleEvent[] = [];
  #wake: () => void = () => {};
  #isEnding = false;
  #isOver = false;
  #deadline: NodeJS.Timeout | undefined;
  #lastSent = performance.now();

  /** @param onGone called once, when the stream is over for whatever reason @param cut breaks the connection of a reader that does not read on */
  constructor({ onGone, cut }: { onGone: () => void; cut: () => void }) {
    this.#onGone = onGone;
    this.#cut = cut;
    this.body = new ReadableStream<Uint8Array>(
      { pull: (controller) => this.#pull(controller), cancel: () => this.#leave() },
      { highWaterMark: 0 },
    );
  }

  tell(event: ConsoleEvent): void {
    if (this.#isEnding) return;
    if (this.#waiting.length >= WAITING_MAX) this.#waiting = [{ type: 'resync' }];
    else this.#waiting.push(event);
    this.#wake();
  }

  /** Ends it, with a last word if there is one, as soon as the reader has taken what waits. */
  end(last?: ConsoleEvent): void {
    if (this.#isEnding) return;
    if (last) this.#waiting = [last];
    this.#isEnding = true;
    this.#deadline = setTimeout(() => {
      this.#cut();
      this.#leave();
    }, FAREWELL_MS);
    this.#wake();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event) return this.#send(controller, frameOf(event));
      if (this.#isEnding) {
        if (!this.#isOver) controller.close();
        return this.#leave();
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

  #leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isEnding = true;
    clearTimeout(this.#deadline);
    this.#wake();
    this.#onGone();
  }
}
