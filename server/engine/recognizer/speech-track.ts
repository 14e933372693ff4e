import { SAMPLE_RATE } from '../port.ts';
import { SPEECH_OFF, VAD_FRAME } from './vad.ts';
import type { SpeechDetector } from './vad.ts';

export const toMs = (samples: number): number => (samples * 1000) / SAMPLE_RATE;
export const toSamples = (ms: number): number => Math.round((ms * SAMPLE_RATE) / 1000);

/**
 * The recent audio of one recording, and the speech probability of every frame. Positions count samples from its start.
 */
export class SpeechTrack {
  readonly #detector: SpeechDetector;
  /** A buffer that doubles when full: `#audio[0]` is the sample at `#start`, and `#length` samples are valid. */
  #audio = new Float32Array(SAMPLE_RATE);
  #start = 0;
  #length = 0;
  #probabilities: number[] = [];

  constructor(detector: SpeechDetector) {
    this.#detector = detector;
  }

  /** Samples taken so far. */
  get position(): number {
    return this.#start + this.#length;
  }

  /** Frames with a probability so far. */
  get frames(): number {
    return this.#probabilities.length;
  }

  /** Adds audio, and calls `onFrame` for each frame that it completes. */
  async append(samples: Float32Array, onFrame: (frame: number, probability: number) => void): Promise<void> {
    this.#reserve(samples.length);
    this.#audio.set(samples, this.#length);
    this.#length += samples.length;
    for (;;) {
      const frame = this.#probabilities.length;
      if ((frame + 1) * VAD_FRAME > this.position) return;
      const probability = await this.#detector.probability(this.slice(frame * VAD_FRAME, (frame + 1) * VAD_FRAME));
      this.#probabilities.push(probability);
      onFrame(frame, probability);
    }
  }

  /** Copies the audio between two positions, as far as it is still held. */
  slice(from: number, to: number): Float32Array {
    return this.#audio.slice(Math.max(0, from - this.#start), Math.max(0, Math.min(to - this.#start, this.#length)));
  }

  /** Drops audio before a position, except frames without a probability. */
  forgetBefore(position: number): void {
    const from = Math.min(position, this.#probabilities.length * VAD_FRAME) - this.#start;
    if (from < SAMPLE_RATE) return;
    this.#audio.copyWithin(0, from, this.#length);
    this.#start += from;
    this.#length -= from;
  }

  /** Speech probability of a frame; 1 while unknown. */
  probability(frame: number): number {
    return this.#probabilities[frame] ?? 1;
  }

  /** Moves a token's start forward to where speech begins: aligned tokens tend to include the pause before the word. */
  speechStartMs(startMs: number, endMs: number): number {
    const first = Math.floor(toSamples(startMs) / VAD_FRAME);
    const last = Math.floor(toSamples(endMs) / VAD_FRAME);
    for (let frame = first; frame < last; frame += 1) {
      if (this.probability(frame) >= SPEECH_OFF) return frame === first ? startMs : toMs(frame * VAD_FRAME);
    }
    return startMs;
  }

  #reserve(extra: number): void {
    if (this.#length + extra <= this.#audio.length) return;
    const larger = new Float32Array(Math.max(2 * this.#audio.length, this.#length + extra));
    larger.set(this.#audio.subarray(0, this.#length));
    this.#audio = larger;
  }
}
