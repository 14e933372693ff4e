import type { SttStream } from '../../engine/port.ts';
import type { AudioPath } from './audio-path.ts';

/** An input of the client for the engine. */
export type Input =
  | { kind: 'audio'; bytes: Uint8Array }
  | { kind: 'finalize'; trailingSilenceMs: number | undefined }
  | { kind: 'end' };

/** Bytes that each input counts besides its audio, so that many small inputs fill the queue, too. */
const INPUT_OVERHEAD = 64;
/** With this many unanswered finalizes the engine gets no further input. */
const UNANSWERED_MAX = 8;

export interface InputQueueEvents {
  /** Audio leaves the queue for the decoder or the engine. An error thrown here ends the session. */
  audioLeaving(bytes: Uint8Array): void;
  /** The end of the audio leaves the queue. */
  endLeaving(): void;
  /** The engine took an input, or answered a finalize. */
  engineMoved(): void;
  /** {@link InputQueue.heldBytes} or {@link InputQueue.isEngineBehind} may have changed. */
  changed(): void;
  failed(error: unknown): void;
}

/** Holds inputs until the engine is connected, then hands them on in order, as fast as the engine takes them. */
export class InputQueue {
  readonly #events: InputQueueEvents;
  readonly #inputs: Input[] = [];
  #target: { stream: SttStream; path: AudioPath } | null = null;
  #heldBytes = 0;
  #isWaiting = false;
  #unanswered = 0;

  constructor(events: InputQueueEvents) {
    this.#events = events;
  }

  /** Size of the queued inputs, bytes. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** True while the queue waits for the engine before it hands on the next input. */
  get isEngineBehind(): boolean {
    return this.#isWaiting || this.#unanswered >= UNANSWERED_MAX;
  }

  add(input: Input): void {
    this.#heldBytes += sizeOf(input);
    this.#inputs.push(input);
    this.#pump();
  }

  connect(stream: SttStream, path: AudioPath): void {
    this.#target = { stream, path };
    this.#pump();
  }

  /** The engine has answered this many finalizes. */
  answered(count: number): void {
    if (count === 0) return;
    this.#unanswered = Math.max(0, this.#unanswered - count);
    this.#events.engineMoved();
    this.#pump();
  }

  /** Drops all queued inputs and closes the audio path. */
  stop(): void {
    this.#inputs.length = 0;
    this.#target?.path.close();
    this.#target = null;
  }

  #pump(): void {
    while (this.#target && !this.isEngineBehind) {
      const input = this.#inputs.shift();
      if (!input) break;
      this.#heldBytes -= sizeOf(input);
      this.#events.engineMoved();
      this.#hand(input, this.#target.stream, this.#target.path);
    }
    this.#events.changed();
  }

  #hand(input: Input, stream: SttStream, path: AudioPath): void {
    switch (input.kind) {
      case 'audio':
        this.#events.audioLeaving(input.bytes);
        if (!path.write(input.bytes)) this.#runAfter(path.drained(), () => {});
        return;
      case 'finalize':
        this.#unanswered += 1;
        return this.#runAfter(path.settled(), () => stream.finalize(input.trailingSilenceMs));
      case 'end':
        this.#events.endLeaving();
        return this.#runAfter(path.end(), () => stream.end());
    }
  }

  #runAfter(ready: Promise<void> | undefined, run: () => void): void {
    if (!ready) return run();
    this.#isWaiting = true;
    ready
      .then(() => {
        this.#isWaiting = false;
        if (!this.#target) return;
        run();
        this.#pump();
      })
      .catch((error: unknown) => this.#events.failed(error));
  }
}

const sizeOf = (input: Input): number => INPUT_OVERHEAD + (input.kind === 'audio' ? input.bytes.byteLength : 0);
