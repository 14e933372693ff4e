import type { SttStream } from '../../engine/port.ts';

/** Sound that is left when more is asked for, milliseconds: who speaks does not wait for the answer. */
const AHEAD_MS = 10_000;

/** Sound that may be heard, counted from the beginning of the session, milliseconds. */
export interface Reserved {
  reservedMs: number;
  /** Asks for more of it. @returns what may be heard from now on @throws where there is no more */
  extend(reservedMs: number): Promise<number>;
}

export interface ReservedStreamEvents {
  /** So many bytes are about to go to the engine. False where the session is over and they must not. */
  given(bytes: number): boolean;
  /** There is no more: what the engine was given is all that it hears. What came beyond it is dropped. */
  exhausted(reason: unknown): void;
}

/**
 * A stream that hears no more than is reserved for it: what comes beyond that waits until more of it is. In the order of calls; a call that
 * comes while sound waits is made after it.
 */
export class ReservedStream implements SttStream {
  readonly #stream: SttStream;
  readonly #reserved: Reserved;
  readonly #bytesOf: (ms: number) => number;
  readonly #events: ReservedStreamEvents;
  #allowedMs: number;
  #given = 0;
  /** Sound, and calls after it. */
  #waiting: (Uint8Array | (() => void))[] = [];
  #asking: Promise<void> | undefined;
  /** The length that could not be extended as it was asked for ahead of time. */
  #refusedMs: number | undefined;
  #isOver = false;

  /** @param bytesOf the bytes of PCM of so much sound */
  constructor(stream: SttStream, reserved: Reserved, bytesOf: (ms: number) => number, events: ReservedStreamEvents) {
    this.#stream = stream;
    this.#reserved = reserved;
    this.#bytesOf = bytesOf;
    this.#events = events;
    this.#allowedMs = reserved.reservedMs;
  }

  write(pcm: Uint8Array): boolean {
    if (this.#isOver) return true;
    if (this.#waiting.length > 0) {
      this.#waiting.push(pcm);
      return false;
    }
    const room = Math.max(0, this.#bytesOf(this.#allowedMs) - this.#given);
    if (pcm.length <= room) {
      const takesMore = this.#give(pcm);
      if (room - pcm.length < this.#bytesOf(AHEAD_MS) && this.#refusedMs !== this.#allowedMs) void this.#ask();
      return takesMore;
    }
    if (room > 0) this.#give(pcm.subarray(0, room));
    this.#waiting.push(pcm.subarray(room));
    void this.#ask();
    return false;
  }

  async drained(): Promise<void> {
    while (this.#waiting.length > 0 && this.#asking !== undefined) await this.#asking;
    await this.#stream.drained();
  }

  finalize(trailingSilenceMs?: number): void {
    this.#afterwards(() => this.#stream.finalize(trailingSilenceMs));
  }

  end(): void {
    this.#afterwards(() => this.#stream.end());
  }

  abort(): void {
    this.#drop();
    this.#stream.abort();
  }

  #afterwards(call: () => void): void {
    if (this.#waiting.length > 0) this.#waiting.push(call);
    else call();
  }

  #give(pcm: Uint8Array): boolean {
    if (!this.#events.given(pcm.length)) return true;
    this.#given += pcm.length;
    return this.#stream.write(pcm);
  }

  #ask(): Promise<void> {
    this.#asking ??= this.#reserved.extend(this.#allowedMs).then(
      (ms) => {
        this.#asking = undefined;
        this.#allowedMs = Math.max(this.#allowedMs, ms);
        this.#goOn();
      },
      (error: unknown) => {
        this.#asking = undefined;
        if (this.#isOver) return;
        const isSecond = this.#refusedMs === this.#allowedMs;
        this.#refusedMs = this.#allowedMs;
        if (this.#waiting.length === 0) return;
        // What was refused ahead of time may be there by now.
        if (!isSecond) return this.#goOn();
        this.#drop();
        this.#events.exhausted(error);
      },
    );
    return this.#asking;
  }

  #goOn(): void {
    for (const one of this.#waiting.splice(0)) {
      if (one instanceof Uint8Array) this.write(one);
      else this.#afterwards(one);
    }
  }

  #drop(): void {
    this.#isOver = true;
    this.#waiting = [];
  }
}
