import type { InputQueue } from './input-queue.ts';
import type { Slowness } from './life.ts';
import type { LiveLimits } from './limits.ts';
import type { LiveConnection } from './ports.ts';

interface FlowParts {
  connection: Pick<LiveConnection, 'pendingBytes'>;
  inputs: Pick<InputQueue, 'isEngineBehind' | 'heldBytes'>;
  limits: LiveLimits;
}

/** Decides whether the connection of one session is read, so that neither results nor inputs pile up. */
export class Flow implements Slowness {
  readonly #parts: FlowParts;
  #isReaderBehind = false;
  #isEngineBehind = false;
  #isPaused = false;
  /** Frames received in the current second. */
  #frames = 0;

  constructor(parts: FlowParts) {
    this.#parts = parts;
  }

  get isReaderBehind(): boolean {
    return this.#isReaderBehind;
  }

  get isEngineBehind(): boolean {
    return this.#isEngineBehind;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  countFrame(): void {
    this.#frames += 1;
  }

  startSecond(): void {
    this.#frames = 0;
  }

  /** Looks again at who is behind and at what is full. @returns whether any of it has changed */
  update(): boolean {
    const { connection, inputs, limits } = this.#parts;
    const isReaderBehind = connection.pendingBytes() >= limits.outgoingBytes;
    const { isEngineBehind } = inputs;
    const isPaused =
      isReaderBehind ||
      isEngineBehind ||
      inputs.heldBytes >= limits.incomingBytes ||
      this.#frames >= limits.framesPerSecond;
    const isSame =
      isReaderBehind === this.#isReaderBehind && isEngineBehind === this.#isEngineBehind && isPaused === this.#isPaused;
    this.#isReaderBehind = isReaderBehind;
    this.#isEngineBehind = isEngineBehind;
    this.#isPaused = isPaused;
    return !isSame;
  }
}
