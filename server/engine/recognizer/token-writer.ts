import type { TranscriptToken } from '#contract/transcriptions.ts';
import type { RecognitionHints } from '../port.ts';
import type { FileOptions } from './protocol.ts';
import type { Piece } from './recognizer.ts';

/** The recognizer's only language; it is the language of every token, even a doubtful one (REC-10). */
export const LANGUAGE = 'en';
/**
 * Below this mean probability the audio is most likely not English (measured: 92 % of other languages, 1 % of English).
 */
const ENGLISH_MIN = 0.5;

/** Geometric mean of the pieces' probabilities, 0..1. */
export function meanConfidence(pieces: readonly Piece[]): number {
  if (pieces.length === 0) return 0;
  return Math.exp(pieces.reduce((sum, piece) => sum + Math.log(Math.max(piece.confidence, 1e-9)), 0) / pieces.length);
}

/** Whether to report these pieces. With strict language hints, only speech that surely is of a hinted language. */
export function isWanted(
  pieces: readonly Piece[],
  { languageHints = [], languageHintsStrict = false }: RecognitionHints,
): boolean {
  if (!languageHintsStrict || languageHints.length === 0) return true;
  const isHinted = languageHints.some((hint) => hint.toLowerCase().split('-')[0] === LANGUAGE);
  return isHinted && meanConfidence(pieces) >= ENGLISH_MIN;
}

/**
 * Turns the pieces of one recording into tokens. Times are integer milliseconds within the audio. Each token begins
 * after the last one, as far as the audio's length allows.
 */
export class TokenWriter {
  #lastMs = 0;
  #lastStartMs = -1;
  #started: boolean;
  readonly #labels: Pick<TranscriptToken, 'language'>;

  /**
   * @param options.continued whether the transcript began in another process; else the first token loses its leading
   * space
   * @param options.languageIdentification puts the language on every token but the markers
   */
  constructor({ continued = false, languageIdentification = false }: Partial<FileOptions>) {
    this.#started = continued;
    this.#labels = languageIdentification ? { language: LANGUAGE } : {};
  }

  /** Writes tokens that will not change any more. */
  write(pieces: readonly Piece[], audioMs: number): TranscriptToken[] {
    const tokens = this.preview(pieces, audioMs);
    this.#lastMs = tokens.at(-1)?.end_ms ?? this.#lastMs;
    this.#lastStartMs = tokens.at(-1)?.start_ms ?? this.#lastStartMs;
    this.#started ||= tokens.length > 0;
    return tokens;
  }

  /** Like `write`, for tokens that may still change. */
  preview(pieces: readonly Piece[], audioMs: number): TranscriptToken[] {
    const end = Math.round(audioMs);
    const starts = this.#starts(pieces, end);
    return pieces.map((piece, index) => {
      const start_ms = starts[index] ?? end;
      const end_ms = Math.min(Math.max(Math.round(piece.endMs), start_ms + 1), starts[index + 1] ?? end);
      const text = !this.#started && index === 0 ? piece.text.trimStart() : piece.text;
      return {
        text,
        start_ms,
        end_ms,
        confidence: Math.round(piece.confidence * 1000) / 1000,
        ...this.#labels,
        ...(piece.speaker !== undefined && { speaker: piece.speaker }),
      };
    });
  }

  #starts(pieces: readonly Piece[], end: number): number[] {
    let next = Math.max(this.#lastMs, this.#lastStartMs + 1);
    const starts = pieces.map(({ startMs, endMs }) => {
      const start = Math.max(Math.round(startMs), next);
      next = Math.max(Math.round(endMs), start + 1);
      return start;
    });
    // Move tokens that crowd at the end of the audio back, as far as the written ones allow.
    for (let index = starts.length - 1, before = end; index >= 0; index -= 1) {
      before = Math.min(starts[index] ?? end, before - 1);
      starts[index] = Math.min(Math.max(before, this.#lastStartMs + 1 + index), end);
    }
    return starts;
  }

  /** Writes a marker such as `<end>`, at the end of the processed audio. */
  mark(text: string, audioMs: number): TranscriptToken {
    this.#lastMs = Math.max(this.#lastMs, Math.round(audioMs));
    this.#lastStartMs = this.#lastMs;
    return { text, start_ms: this.#lastMs, end_ms: this.#lastMs, confidence: 1 };
  }
}
