import type { TranscriptToken } from '#contract/transcriptions.ts';
import type { FileOptions } from './protocol.ts';
import type { Piece, Recognizer } from './recognizer.ts';
import { Segmenter } from './segmenter.ts';
import type { Segment } from './segmenter.ts';
import { Speakers } from './speakers.ts';
import { withSecondChance } from './second-chance.ts';
import { SpeechTrack, toMs } from './speech-track.ts';
import { TokenWriter, isWanted } from './token-writer.ts';
import type { SpeechDetector } from './vad.ts';

/** The result of one step. */
export interface FileStep {
  tokens: TranscriptToken[];
  /** Sample up to which the recording is done: its tokens are out, and its audio is not needed any more. */
  settled: number;
}

/** Transcribes a whole recording, fed piece by piece: cuts it at pauses, and decodes each segment. */
export class FileTranscriber {
  readonly #recognizer: Recognizer;
  readonly #track: SpeechTrack;
  readonly #segmenter = new Segmenter();
  readonly #writer: TokenWriter;
  readonly #segments: Segment[] = [];
  readonly #options: FileOptions;
  readonly #speakers: Speakers | null;
  #ended = false;

  constructor(recognizer: Recognizer, detector: SpeechDetector, options: FileOptions) {
    this.#recognizer = recognizer;
    this.#track = new SpeechTrack(detector);
    this.#options = options;
    this.#speakers = options.diarization ? new Speakers() : null;
    this.#writer = new TokenWriter(options);
  }

  /** Segments waiting to be decoded. */
  get waiting(): number {
    return this.#segments.length;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Takes 16 kHz audio; detects and cuts segments without decoding them. */
  async append(samples: Float32Array): Promise<void> {
    await this.#track.append(samples, (_, probability) => this.#add(this.#segmenter.push(probability)));
  }

  /** The recording is complete. */
  end(): void {
    this.#ended = true;
    this.#add(this.#segmenter.flush());
  }

  /** Decodes the next waiting segment, if any. @param onStep awaited between decoder steps */
  async step(onStep: () => Promise<void>): Promise<FileStep> {
    const segment = this.#segments.shift();
    const tokens = segment === undefined ? [] : await this.#decode(segment, onStep);
    const settled = Math.min(this.#segments[0]?.start ?? this.#segmenter.openFrom, this.#track.position);
    this.#track.forgetBefore(settled);
    return { tokens, settled };
  }

  #add(segment: Segment | undefined): void {
    if (segment !== undefined) this.#segments.push(segment);
  }

  async #decode(segment: Segment, onStep: () => Promise<void>): Promise<TranscriptToken[]> {
    const heard = await withSecondChance((trim) =>
      this.#recognize({ start: segment.start + trim, end: segment.end - trim }, onStep),
    );
    if (!isWanted(heard, this.#options)) return [];
    const spoken = this.#speakers?.label(heard, this.#track, true) ?? heard;
    return this.#writer.write(spoken, toMs(Math.min(segment.end, this.#track.position)));
  }

  async #recognize({ start, end }: Segment, onStep: () => Promise<void>): Promise<Piece[]> {
    const offset = toMs(start);
    const pieces = await this.#recognizer.recognize(this.#track.slice(start, end), { onStep });
    return pieces.map((piece) => {
      const endMs = offset + piece.endMs;
      return { ...piece, endMs, startMs: this.#track.speechStartMs(offset + piece.startMs, endMs) };
    });
  }
}
