import { EngineError } from './port.ts';

/** Containers that a live stream may come in, by the names of the speech API; 'auto' lets the first bytes decide. */
export const STREAM_FORMATS = ['auto', 'aac', 'aiff', 'amr', 'asf', 'flac', 'mp3', 'ogg', 'wav', 'webm'] as const;
export type StreamFormat = (typeof STREAM_FORMATS)[number];

export const isStreamFormat = (name: string): name is StreamFormat => STREAM_FORMATS.some((known) => known === name);

/** What a stream decoder gives: s16le, mono, at this rate in Hz; fit for `SttStream.write` with one channel. */
export const STREAM_SAMPLE_RATE = 16_000;

export interface StreamDecoderEvents {
  /**
   * Decoded audio: s16le, 16 kHz, mono, whole samples. Where a promise is returned, the next piece comes after it resolves:
   * `audio: (pcm) => (stream.write(pcm) ? undefined : stream.drained())`.
   */
  audio(pcm: Uint8Array): Promise<void> | undefined;
  /** At most once, with a sentence fit for the client; no event follows. Codes: 'invalid_audio', 'unsupported_format', 'worker_crashed'. */
  error(error: EngineError): void;
}

/** Decodes one live stream whose bytes arrive in any cuts. Nothing here throws; failures arrive as `events.error`. */
export interface StreamDecoder {
  /** Takes the next bytes (kept, not copied: do not write to them afterwards). False asks the caller to pause until `drained()` resolves. */
  push(bytes: Uint8Array): boolean;
  /** Resolves when the decoder can take more; also when it failed or was closed. */
  drained(): Promise<void>;
  /** Resolves when all that was pushed is given as audio, as far as whole frames of it have come; also when the decoder failed or was closed. A finalize waits for it. */
  settled(): Promise<void>;
  /** No more bytes. Resolves after the last `audio`, or once the decoder failed or was closed. A stream too short to hold audio is an `error`. */
  end(): Promise<void>;
  /** Drops the stream; no event follows. Idempotent, and harmless after `end()`. */
  close(): void;
}

/** Opens the decoder of a live stream. The content decides where it contradicts the announced format. */
export function openStreamDecoder(format: StreamFormat, events: StreamDecoderEvents): StreamDecoder {
  queueMicrotask(() => events.error(new EngineError('unsupported_format', `Streams of format ${format} are not decoded.`)));
  return { push: () => true, drained: () => Promise.resolve(), settled: () => Promise.resolve(), end: () => Promise.resolve(), close: () => undefined };
}
