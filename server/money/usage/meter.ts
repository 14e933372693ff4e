import { MARKERS, type LiveToken } from '#contract/live.ts';
import type { SttEngine } from '../../engine/port.ts';

/** Use of one stream, for the usage log. */
export interface StreamUsage {
  /** Final tokens, markers aside. */
  outputTokens: number;
  /** From the first received audio to the first token; null if either never came. */
  latencyMs: number | null;
  /** From the end of the audio to the last final token after it; null if either never came. */
  finalsMs: number | null;
}

/** Measures one stream between the socket and the engine. Passes everything on unchanged. */
export class StreamMeter {
  readonly #clock: { now(): number };
  #firstAudioAt: number | null = null;
  #latencyMs: number | null = null;
  #endedAt: number | null = null;
  #finalsMs: number | null = null;
  #outputTokens = 0;

  /** @param clock milliseconds since any fixed moment */
  constructor(clock: { now(): number }) {
    this.#clock = clock;
  }

  get usage(): StreamUsage {
    return { outputTokens: this.#outputTokens, latencyMs: this.#latencyMs, finalsMs: this.#finalsMs };
  }

  /** Notes that audio was received. Without this call, audio counts when it reaches the engine. */
  noteAudio(): void {
    this.#firstAudioAt ??= this.#clock.now();
  }

  /** Wraps an engine so that the streams it opens are measured. */
  watching(engine: SttEngine): SttEngine {
    return {
      info: () => engine.info(),
      ready: () => engine.ready(),
      transcribe: (pcm, options) => engine.transcribe(pcm, options),
      close: () => engine.close(),
      openStream: (options, events) => {
        const stream = engine.openStream(options, {
          result: (result) => {
            this.#countTokens(result.tokens);
            events.result(result);
          },
          error: (error) => events.error(error),
        });
        return {
          write: (pcm) => {
            this.noteAudio();
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

  #countTokens(tokens: readonly LiveToken[]): void {
    const words = tokens.filter(({ text }) => !MARKERS.has(text));
    if (words.length === 0) return;
    const finals = words.filter((token) => token.is_final).length;
    this.#outputTokens += finals;
    if (finals > 0 && this.#endedAt !== null) this.#finalsMs = Math.round(this.#clock.now() - this.#endedAt);
    if (this.#latencyMs === null && this.#firstAudioAt !== null)
      this.#latencyMs = Math.round(this.#clock.now() - this.#firstAudioAt);
  }
}
