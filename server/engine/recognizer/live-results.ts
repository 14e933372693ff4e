import type { LiveToken } from '#contract/live.ts';
import type { StreamOptions, StreamResult } from '../port.ts';
import type { Closing } from './live-segment.ts';
import type { Piece } from './recognizer.ts';
import { Speakers } from './speakers.ts';
import { toMs, type SpeechTrack } from './speech-track.ts';
import { TokenWriter } from './token-writer.ts';

/** Makes the results of one live stream: tokens from pieces, with their speakers, and the stream's progress. */
export class LiveResults {
  readonly #track: SpeechTrack;
  readonly #writer: TokenWriter;
  readonly #speakers: Speakers | null;
  #finalMs = 0;
  #reportedAt = 0;

  constructor(track: SpeechTrack, options: StreamOptions) {
    this.#track = track;
    this.#writer = new TokenWriter(options);
    this.#speakers = options.diarization === true ? new Speakers() : null;
  }

  /** Audio that is final, milliseconds. */
  get finalMs(): number {
    return this.#finalMs;
  }

  /** The position of the track at the last result. */
  get reportedAt(): number {
    return this.#reportedAt;
  }

  final(pieces: readonly Piece[], at: number): LiveToken[] {
    return this.#writer
      .write(this.#speakers?.label(pieces, this.#track, true) ?? pieces, toMs(at))
      .map((token) => ({ ...token, is_final: true }));
  }

  nonFinal(pieces: readonly Piece[], at: number): LiveToken[] {
    return this.#writer
      .preview(this.#speakers?.label(pieces, this.#track, false) ?? pieces, toMs(at))
      .map((token) => ({ ...token, is_final: false }));
  }

  mark(marker: NonNullable<Closing['marker']>, ms: number): LiveToken {
    return { ...this.#writer.mark(marker, ms), is_final: true };
  }

  make(final: LiveToken[], nonFinal: LiveToken[], finalMs: number, finished: boolean): StreamResult {
    this.#finalMs = Math.max(this.#finalMs, Math.round(finalMs));
    this.#reportedAt = this.#track.position;
    const totalAudioMs = Math.max(this.#finalMs, Math.round(toMs(this.#track.position)));
    return { tokens: [...final, ...nonFinal], finalAudioMs: this.#finalMs, totalAudioMs, finished };
  }
}
