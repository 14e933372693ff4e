import type { LiveLimits } from './limits.ts';
import { audioMsOf } from './pcm-formats.ts';
import { refusal } from './refusal.ts';
import type { StartRequest } from './start-request.ts';

/** Counts the audio of one session on its way from the client to the engine, and refuses too much of it. */
export class AudioCount {
  readonly #limits: LiveLimits;
  /** The checked start request, for the formats of the client's audio and the engine's; null before. */
  #request: StartRequest | null = null;
  /** Audio received, bytes as sent. */
  #received = 0;
  /** Audio that has left the queue, bytes as sent. */
  #dequeued = 0;
  /** Audio that has reached the engine, bytes of s16le. */
  #heard = 0;
  /** {@link heardMs} when the last check for too slow audio began. */
  #slowCheckFromMs = 0;
  /** Audio that the engine's results cover, milliseconds. */
  resultsMs = 0;

  constructor(limits: LiveLimits) {
    this.#limits = limits;
  }

  /** Whether the client has sent any audio. */
  get hasAudio(): boolean {
    return this.#received > 0;
  }

  /** Audio that has reached the engine, milliseconds. */
  get heardMs(): number {
    return this.#heardMsAfter(0);
  }

  /** Audio that has reached the engine since the last check for too slow audio began, milliseconds. */
  get sinceSlowCheckMs(): number {
    return this.heardMs - this.#slowCheckFromMs;
  }

  /** Takes the formats from the checked start request. */
  takeFormats(request: StartRequest): void {
    this.#request = request;
  }

  startSlowCheck(): void {
    this.#slowCheckFromMs = this.heardMs;
  }

  /** Counts received bytes. @throws LiveRefusal if they are too many */
  receive(bytes: number): void {
    this.#received += bytes;
    if (this.#received > this.#limits.totalBytes) throw refusal.tooMuchAudio();
  }

  /**
   * Counts bytes that leave the queue. A container must yield its first sound within a limit of bytes, and of time.
   * @returns whether the wait for the first sound goes on
   * @throws LiveRefusal if too many bytes have come without a sound
   */
  dequeue(bytes: number): boolean {
    this.#dequeued += bytes;
    if (this.#heard > 0 || this.#request?.sound.kind !== 'container') return false;
    // The protocol has one message for the limit of bytes and that of time.
    if (this.#dequeued > this.#limits.undecodedBytes) throw refusal.decodeTimeout();
    return true;
  }

  /** Counts bytes that are about to reach the engine. @returns false, and counts nothing, if they are too many */
  hear(bytes: number): boolean {
    if (this.#heardMsAfter(bytes) > this.#limits.maxDurationMs) return false;
    this.#heard += bytes;
    return true;
  }

  #heardMsAfter(bytes: number): number {
    return this.#request === null ? 0 : audioMsOf(this.#heard + bytes, this.#request.stream);
  }
}
