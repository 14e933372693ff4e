import type { SttStream } from '../../engine/port.ts';

/** Asks for more audio when this much is left, milliseconds, so that the stream need not wait for the answer. */
const AHEAD_MS = 10_000;

/** The audio that is reserved for a stream, counted from its start, milliseconds. */
export interface AudioReservation {
  reservedMs: number;
  /** Asks for audio beyond `reservedMs`. @returns all audio reserved so far @throws if there is no more */
  extend(reservedMs: number): Promise<number>;
}

export interface ReservedStreamEvents {
  /** This many bytes are about to go to the engine. If it returns false, the session is over: drop the bytes. */
  giving(bytes: number): boolean;
  /** No more audio can be reserved. Audio beyond the reservation has been dropped. */
  exhausted(reason: unknown): void;
}

/**
 * Passes audio to a stream only as far as it is reserved. Further audio waits until more is reserved, and so do calls
 * that come after it.
 */
export class ReservedStream implements SttStream {
  readonly #stream: SttStream;
  readonly #reserved: AudioReservation;
  readonly #bytesOf: (ms: number) => number;
  readonly #events: ReservedStreamEvents;
  #allowedMs: number;
  #givenBytes = 0;
  /** Audio beyond the reservation, and calls that came after it, in order. */
  #waiting: (Uint8Array | (() => void))[] = [];
  #asking: Promise<void> | undefined;
  /** The reservation at which an extension was last refused. */
  #refusedAtMs: number | undefined;
  #isOver = false;

  /** @param bytesOf converts milliseconds to bytes of PCM */
  constructor(
    stream: SttStream,
    reserved: AudioReservation,
    bytesOf: (ms: number) => number,
    events: ReservedStreamEvents,
  ) {
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
    const room = Math.max(0, this.#bytesOf(this.#allowedMs) - this.#givenBytes);
    if (pcm.length <= room) {
      const takesMore = this.#give(pcm);
      if (room - pcm.length < this.#bytesOf(AHEAD_MS) && this.#refusedAtMs !== this.#allowedMs) void this.#ask();
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
    this.#afterWaiting(() => this.#stream.finalize(trailingSilenceMs));
  }

  end(): void {
    this.#afterWaiting(() => this.#stream.end());
  }

  abort(): void {
    this.#drop();
    this.#stream.abort();
  }

  #afterWaiting(call: () => void): void {
    if (this.#waiting.length > 0) this.#waiting.push(call);
    else call();
  }

  #give(pcm: Uint8Array): boolean {
    if (!this.#events.giving(pcm.length)) return true;
    this.#givenBytes += pcm.length;
    return this.#stream.write(pcm);
  }

  #ask(): Promise<void> {
    this.#asking ??= this.#reserved.extend(this.#allowedMs).then(
      (ms) => {
        this.#asking = undefined;
        this.#allowedMs = Math.max(this.#allowedMs, ms);
        this.#flush();
      },
      (error: unknown) => {
        this.#asking = undefined;
        if (this.#isOver) return;
        const wasRefusedBefore = this.#refusedAtMs === this.#allowedMs;
        this.#refusedAtMs = this.#allowedMs;
        if (this.#waiting.length === 0) return;
        // The first refusal was of a request ahead of time. More may be available now, so it asks once again.
        if (!wasRefusedBefore) return this.#flush();
        this.#drop();
        this.#events.exhausted(error);
      },
    );
    return this.#asking;
  }

  #flush(): void {
    for (const one of this.#waiting.splice(0)) {
      if (one instanceof Uint8Array) this.write(one);
      else this.#afterWaiting(one);
    }
  }

  #drop(): void {
    this.#isOver = true;
    this.#waiting = [];
  }
}
