/** A speech engine that says what a test tells it to. It hears nothing; it counts bytes. */
import type { LiveToken } from '#contract/live.ts';
import type { TranscriptToken } from '#contract/transcriptions.ts';
import { openStreamDecoder } from '#server/engine/decode/stream.ts';
import {
  EngineError,
  type AudioDecoder,
  type EngineInfo,
  type StreamEvents,
  type StreamOptions,
  type SttEngine,
  type SttStream,
  type TranscribeOptions,
} from '#server/engine/port.ts';

export const word = (text: string, startMs: number, isFinal = true): LiveToken => ({
  text,
  start_ms: startMs,
  end_ms: startMs + 100,
  confidence: 0.9,
  is_final: isFinal,
});

export class FakeStream implements SttStream {
  readonly options: StreamOptions;
  readonly events: StreamEvents;
  /** What was called, in order; audio as its byte count. */
  readonly calls: (number | 'finalize' | 'end' | 'abort')[] = [];
  readonly audio: Buffer[] = [];
  #full = false;
  #drained: (() => void)[] = [];
  readonly #auto: boolean;

  constructor(options: StreamOptions, events: StreamEvents, auto: boolean) {
    this.options = options;
    this.events = events;
    this.#auto = auto;
  }

  /** From now on writes answer false, until {@link drain}. */
  fill(): void {
    this.#full = true;
  }
  drain(): void {
    this.#full = false;
    for (const resolve of this.#drained.splice(0)) resolve();
  }
  say(tokens: LiveToken[], finished = false): void {
    const ms = this.audioMs;
    this.events.result({ tokens, finalAudioMs: ms, totalAudioMs: ms, finished });
  }
  fail(error: EngineError): void {
    this.events.error(error);
  }
  get audioMs(): number {
    const bytes = this.audio.reduce((sum, chunk) => sum + chunk.byteLength, 0);
    return Math.round((bytes * 1000) / (this.options.sampleRate * this.options.channels * 2));
  }

  write(pcm: Uint8Array): boolean {
    this.audio.push(Buffer.from(pcm));
    this.calls.push(pcm.byteLength);
    if (this.#auto) this.say([word(' heard', 0, false)]);
    return !this.#full;
  }
  drained(): Promise<void> {
    return this.#full ? new Promise((resolve) => this.#drained.push(resolve)) : Promise.resolve();
  }
  finalize(): void {
    this.calls.push('finalize');
    if (this.#auto) this.say([word(' heard', 0), { text: '<fin>', is_final: true }]);
  }
  end(): void {
    this.calls.push('end');
    if (this.#auto) this.say([word(' done.', 100)], true);
  }
  abort(): void {
    this.calls.push('abort');
    this.drain();
  }
}

export interface FakeEngine extends SttEngine {
  readonly streams: FakeStream[];
  /** How often `transcribe` was called. */
  readonly transcriptions: number;
  close(): Promise<void>;
}

export interface FakeEngineScript {
  info?: Partial<EngineInfo>;
  ready?: () => Promise<void>;
  /** Streams answer by themselves: a non-final word to audio, `<fin>` to finalize, the rest to the end. */
  auto?: boolean;
  onOpen?: (stream: FakeStream) => void;
  transcribe?: (seconds: number, options: TranscribeOptions) => Promise<TranscriptToken[]>;
}

/** What every recording says unless told otherwise. */
export const SPOKEN: TranscriptToken[] = [
  { text: ' Hello', start_ms: 0, end_ms: 400, confidence: 0.98 },
  { text: ' world', start_ms: 400, end_ms: 900, confidence: 0.97 },
];

export function createFakeEngine(script: FakeEngineScript = {}): FakeEngine {
  const streams: FakeStream[] = [];
  let transcriptions = 0;
  return {
    streams,
    get transcriptions() {
      return transcriptions;
    },
    info: () => ({
      runtime: 'wasm',
      workers: 1,
      maxStreams: 100,
      streams: streams.length,
      languages: ['en'],
      ready: true,
      ...script.info,
    }),
    ready: script.ready ?? (() => Promise.resolve()),
    openStream(options, events) {
      if (streams.length >= (script.info?.maxStreams ?? 100)) throw new EngineError('overloaded', 'Too many streams.');
      const stream = new FakeStream(options, events, script.auto ?? false);
      script.onOpen?.(stream);
      streams.push(stream);
      return stream;
    },
    async transcribe(pcm, options = {}) {
      transcriptions += 1;
      let samples = 0;
      for await (const piece of pcm) samples += piece.length;
      const tokens = await (script.transcribe?.(samples / 16_000, options) ?? Promise.resolve(SPOKEN));
      return { tokens, durationMs: Math.round(samples / 16) };
    },
    close: () => Promise.resolve(),
  };
}

/**
 * Yields silence for every file, of two tracks, or fails as told, which may depend on what is allowed.
 * @param length what every file declares, seconds
 * @param sound what every file holds, whole seconds
 */
export function createFakeDecoder(
  fail?: (allowed: { maxSeconds: number }) => EngineError | null,
  length: () => number | undefined = () => undefined,
  sound: () => number = () => 1,
): AudioDecoder {
  return {
    // Live streams in a container are decoded for real.
    openStream: openStreamDecoder,
    declaredSeconds: () => Promise.resolve(length() ?? null),
    async *decode(_path, allowed) {
      const error = fail?.(allowed);
      if (error) throw error;
      const seconds = length();
      if (seconds !== undefined) await allowed.onLength?.(seconds);
      for (let n = sound(); n > 0; n -= 1) yield new Float32Array(16_000);
      allowed.onNotes?.([{ type: 'tracks_mixed', count: 2 }]);
    },
  };
}
