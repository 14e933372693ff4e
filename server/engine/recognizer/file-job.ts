import type { TranscriptToken } from '#contract/transcriptions.ts';
import { currentWork } from '../../platform/telemetry/work.ts';
import { EngineError, SAMPLE_RATE } from '../port.ts';
import type { TranscribeOptions } from '../port.ts';
import type { FromWorker, ToWorker } from './protocol.ts';
import { toMs } from './speech-track.ts';

/**
 * The largest number of samples that are sent and not settled. Must exceed the longest segment and the pause that ends
 * it.
 */
const AHEAD_MAX = 60 * SAMPLE_RATE;
/** Longest piece sent at once: the worker takes one in between two turns of its streams. */
const PIECE_MAX = SAMPLE_RATE;

export interface FileResult {
  tokens: TranscriptToken[];
  durationMs: number;
}

/**
 * The transcription of one recording by a worker. Keeps the audio that is not settled yet, so that another process can
 * continue there if the first one dies.
 */
export class FileJob {
  readonly id: number;
  readonly result: Promise<FileResult>;
  /** The request or job that it belongs to, for logs and traces. */
  readonly work = currentWork();
  readonly #options: TranscribeOptions;
  readonly #tokens: TranscriptToken[] = [];
  #post: (message: ToWorker) => void = () => undefined;
  #resolve: (result: FileResult) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #kept: { start: number; samples: Float32Array }[] = [];
  /** Samples sent; samples settled; and the sample at which the current process began. */
  #sent = 0;
  #settled = 0;
  #base = 0;
  #ended = false;
  #closed = false;
  #wake: () => void = () => undefined;

  constructor(id: number, options: TranscribeOptions) {
    this.id = id;
    this.#options = options;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Samples whose tokens have come; another process would continue there. */
  get settled(): number {
    return this.#settled;
  }

  /** Gives the job to a process, which begins at the first sample that is not settled. */
  assign(post: (message: ToWorker) => void): void {
    this.#post = post;
    this.#base = this.#settled;
    const {
      languageIdentification = false,
      diarization = false,
      languageHints = [],
      languageHintsStrict = false,
    } = this.#options;
    const options = {
      languageIdentification,
      diarization,
      languageHints,
      languageHintsStrict,
      continued: this.#tokens.length > 0,
    };
    post({ type: 'file.open', id: this.id, options });
    for (const { start, samples } of this.#kept)
      post({ type: 'file.audio', id: this.id, samples: samples.slice(Math.max(0, this.#base - start)) });
    if (this.#ended) post({ type: 'file.end', id: this.id });
  }

  /** Reads and sends the recording, at most {@link AHEAD_MAX} samples ahead of the settled ones. */
  async feed(pcm: AsyncIterable<Float32Array>): Promise<void> {
    try {
      for await (const piece of pcm) {
        for (let at = 0; at < piece.length && !this.#closed; at += PIECE_MAX)
          await this.#send(piece.slice(at, at + PIECE_MAX));
        if (this.#closed) return;
      }
      this.#ended = true;
      this.#post({ type: 'file.end', id: this.id });
    } catch (error) {
      this.fail(error);
    }
  }

  receive(message: FromWorker): void {
    if (this.#closed) return;
    if (message.type === 'file.step') {
      const offset = Math.round(toMs(this.#base));
      for (const token of message.tokens)
        this.#tokens.push({ ...token, start_ms: (token.start_ms ?? 0) + offset, end_ms: (token.end_ms ?? 0) + offset });
      this.#settle(this.#base + message.settled);
    } else if (message.type === 'file.done') {
      this.#close();
      this.#resolve({ tokens: this.#tokens, durationMs: Math.round(toMs(this.#sent)) });
    } else if (message.type === 'failed') {
      this.fail(new EngineError('worker_crashed', `The recognition of this recording failed: ${message.message}`));
    }
  }

  fail(error: unknown): void {
    if (this.#closed) return;
    this.#post({ type: 'close', id: this.id });
    this.#close();
    this.#reject(error);
  }

  async #send(samples: Float32Array): Promise<void> {
    this.#kept.push({ start: this.#sent, samples });
    this.#sent += samples.length;
    this.#post({ type: 'file.audio', id: this.id, samples });
    while (this.#sent - this.#settled > AHEAD_MAX && !this.#closed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }

  #settle(position: number): void {
    if (position <= this.#settled) return;
    this.#settled = position;
    this.#kept = this.#kept.filter(({ start, samples }) => start + samples.length > position);
    this.#options.onProgress?.(Math.round(toMs(position)));
    this.#wake();
  }

  #close(): void {
    this.#closed = true;
    this.#kept = [];
    this.#wake();
  }
}
