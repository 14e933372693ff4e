import type { SttStream } from '../../engine/port.ts';
import type { AudioPath } from './audio-path.ts';

/** What a client sends for the engine. */
export type Input =
  | { kind: 'audio'; bytes: Uint8Array }
  | { kind: 'finalize'; trailingSilenceMs: number | undefined }
  | { kind: 'end' };

/** What an input weighs besides its audio, bytes: so that many small ones count as well. */
const WEIGHT = 64;
/** Finalizes that the engine may owe an answer to before it gets more to do. */
const UNANSWERED_MAX = 8;

export interface InputQueueEvents {
  /** Audio goes to the engine, or to the decoder before it. What it throws ends the session. */
  handing(bytes: Uint8Array): void;
  /** The end goes to the engine, or to the decoder before it. */
  ending(): void;
  /** The engine took something, or answered. */
  moved(): void;
  /** {@link InputQueue.held} or {@link InputQueue.behind} may have changed. */
  changed(): void;
  failed(error: unknown): void;
}

/** Holds inputs until the engine is there, and hands them on in order, as fast as it takes them. */
export class InputQueue {
  readonly #events: InputQueueEvents;
  readonly #inputs: Input[] = [];
  #target: { stream: SttStream; path: AudioPath } | null = null;
  #held = 0;
  #waiting = false;
  #unanswered = 0;

  constructor(events: InputQueueEvents) {
    this.#events = events;
  }

  /** What waits here, in bytes. */
  get held(): number {
    return this.#held;
  }

  /** True while the engine takes nothing. */
  get behind(): boolean {
    return this.#waiting || this.#unanswered >= UNANSWERED_MAX;
  }

  add(input: Input): void {
    this.#held += weight(input);
    this.#inputs.push(input);
    this.#pump();
  }

  connect(stream: SttStream, path: AudioPath): void {
    this.#target = { stream, path };
    this.#pump();
  }

  /** The engine has answered finalizes. */
  answered(count: number): void {
    if (count === 0) return;
    this.#unanswered = Math.max(0, this.#unanswered - count);
    this.#events.moved();
    this.#pump();
  }

  /** Drops everything. */
  stop(): void {
    this.#inputs.length = 0;
    this.#target?.path.close();
    this.#target = null;
  }

  #pump(): void {
    while (this.#target && !this.behind) {
      const input = this.#inputs.shift();
      if (!input) break;
      this.#held -= weight(input);
      this.#events.moved();
      this.#hand(input, this.#target.stream, this.#target.path);
    }
    this.#events.changed();
  }

  #hand(input: Input, stream: SttStream, path: AudioPath): void {
    switch (input.kind) {
      case 'audio':
        this.#events.handing(input.bytes);
        if (!path.write(input.bytes)) this.#after(path.drained(), () => {});
        return;
      case 'finalize':
        this.#unanswered += 1;
        return this.#after(path.settled(), () => stream.finalize(input.trailingSilenceMs));
      case 'end':
        this.#events.ending();
        return this.#after(path.end(), () => stream.end());
    }
  }

  #after(ready: Promise<void> | undefined, run: () => void): void {
    if (!ready) return run();
    this.#waiting = true;
    ready
      .then(() => {
        this.#waiting = false;
        if (!this.#target) return;
        run();
        this.#pump();
      })
      .catch((error: unknown) => this.#events.failed(error));
  }
}

const weight = (input: Input): number => WEIGHT + (input.kind === 'audio' ? input.bytes.byteLength : 0);
