import type { LiveToken } from '#contract/live.ts';
import { EngineError, type StreamEvents, type StreamResult, type SttStream } from '../port.ts';
import { SENTENCE_PAUSE_MS, withStatus, type Direction, type Interleaver } from './interleave.ts';

/** A live stream that puts a translation behind each final sentence. Results stay in order. */
export class TranslatedStream implements SttStream {
  readonly #inner: SttStream;
  readonly #events: StreamEvents;
  readonly #interleaver: Interleaver;
  readonly #direction: Direction;
  #lastWork: Promise<void> = Promise.resolve();
  #closed = false;

  /** @param open opens the stream to translate, which reports to these events */
  constructor(
    open: (events: StreamEvents) => SttStream,
    events: StreamEvents,
    interleaver: Interleaver,
    direction: Direction,
  ) {
    this.#events = events;
    this.#interleaver = interleaver;
    this.#direction = direction;
    this.#inner = open({
      result: (result) => this.#inOrder(() => this.#result(result)),
      error: (error) => this.#inOrder(() => this.#fail(error)),
    });
  }

  write(pcm: Uint8Array): boolean {
    return this.#inner.write(pcm);
  }

  drained(): Promise<void> {
    return this.#inner.drained();
  }

  finalize(trailingSilenceMs?: number): void {
    this.#inner.finalize(trailingSilenceMs);
  }

  end(): void {
    this.#inner.end();
  }

  abort(): void {
    this.#closed = true;
    this.#inner.abort();
  }

  #inOrder(work: () => Promise<void> | void): void {
    this.#lastWork = this.#lastWork
      .then(() => (this.#closed ? undefined : work()))
      .catch((error: unknown) => {
        this.#inner.abort();
        this.#fail(error);
      });
  }

  async #result(result: StreamResult): Promise<void> {
    const firm = result.tokens.filter(({ is_final }) => is_final);
    const open = result.tokens.filter(({ is_final }) => !is_final);
    const output = await this.#interleaver.push(firm, open[0]);
    const since = this.#interleaver.waitingSinceMs;
    const silent = since !== undefined && open.length === 0 && result.totalAudioMs - since >= SENTENCE_PAUSE_MS;
    if (result.finished || silent) output.push(...(await this.#interleaver.flush()));
    if (this.#closed) return;
    this.#closed = result.finished;
    const final = output.map((token): LiveToken => ({ ...token, is_final: true }));
    this.#events.result({ ...result, tokens: [...final, ...open.map((token) => withStatus(token, this.#direction))] });
  }

  #fail(error: unknown): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#events.error(
      error instanceof EngineError
        ? error
        : new EngineError('worker_crashed', 'The translation failed.', { cause: error }),
    );
  }
}
