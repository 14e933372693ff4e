import { MARKERS, type LiveToken } from '#contract/live.ts';
import type { SttEngine } from '../../engine/port.ts';

/** What one stream used, as the usage log tells it. */
export interface StreamUsage {
  /** Final tokens, markers aside. */
  outputTokens: number;
  /** From the first audio that arrived to the first token; null when either never came. */
  latencyMs: number | null;
  /** From the end of the audio to the last final word after it; null where there was no such end, or no such word. */
  finalsMs: number | null;
}

/** Watches one stream between the socket and the engine, and counts. It changes nothing that passes. */
export class StreamMeter {
  readonly #clock: { now(): number };
  #firstAudioAt: number | null = null;
  #latencyMs: number | null = null;
  #endedAt: number | null = null;
  #finalsMs: number | null = null;
  #outputTokens = 0;

  /** @param clock milliseconds, from any fixed point */
  constructor(clock: { now(): number }) {
    this.#clock = clock;
  }

  get usage(): StreamUsage {
    return { outputTokens: this.#outputTokens, latencyMs: this.#latencyMs, finalsMs: this.#finalsMs };
  }

  /** Audio came in; it may wait for the engine from here on. Audio that nobody told of counts when the engine gets it. */
  heard(): void {
    this.#firstAudioAt ??= this.#clock.now();
  }

  /** The same engine, with the streams that it opens being watched. */
  watching(engine: SttEngine): SttEngine {
    return {
      info: () => engine.info(),
      ready: () => engine.ready(),
      transcribe: (pcm, options) => engine.transcribe(pcm, options),
      close: () => engine.close(),
      openStream: (options, events) => {
        const stream = engine.openStream(options, {
          result: (result) => {
            this.#said(result.tokens);
            events.result(result);
          },
          error: (error) => events.error(error),
        });
        return {
          write: (pcm) => {
            this.heard();
            return stream.write(pcm);
          },
          drained: () => stream.drained(),
          finalize: (trailingSilenceMs) => stream.finalize(trailingSilenceMs),
          end: () => {
            this.#endedAt ??= this.#clock.now();
            return stream.end();
          },
          abort: () => stream.abort(),
        };
      },
    };
  }

  #said(tokens: readonly LiveToken[]): void {
    const words = tokens.filter(({ text }) => !MARKERS.has(text));
    if (words.length === 0) return;
    const finals = words.filter((token) => token.is_final).length;
    this.#outputTokens += finals;
    if (finals > 0 && this.#endedAt !== null) this.#finalsMs = Math.round(this.#clock.now() - this.#endedAt);
    if (this.#latencyMs === null && this.#firstAudioAt !== null)
      this.#latencyMs = Math.round(this.#clock.now() - this.#firstAudioAt);
  }
}
