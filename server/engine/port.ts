/**
 * The port every speech engine fits into: the embedded recognizer, or another one behind the same console. Times are
 * integer milliseconds from the start of the audio; PCM is 16 kHz mono Float32 in [-1, 1] unless said otherwise.
 */
import type { LiveToken } from '#contract/live.ts';
import type { Model } from '#contract/models.ts';
import type { AudioNote, AudioNoteType, TranscriptToken } from '#contract/transcriptions.ts';
import type { Context, Translation } from '#contract/translation.ts';

/** Sample rate of all PCM unless said otherwise, Hz. */
export const SAMPLE_RATE = 16_000;

/** A model's abilities, as in `GET /v1/models`. */
export type ModelAbilities = Omit<Model, 'id' | 'name' | 'aliased_model_id' | 'transcription_mode'>;

export interface EngineInfo {
  /** The runtime picked at start-up; 'upstream' means another service. */
  runtime: 'native' | 'wasm' | 'upstream';
  /** How many recordings to transcribe at once. */
  workers: number;
  /** The largest number of open live streams; one more is refused with 'overloaded'. */
  maxStreams: number;
  /** Open live streams. */
  streams: number;
  /** ISO 639-1 codes of the languages the engine transcribes. */
  languages: readonly string[];
  /** Language pairs it translates; left out if none. */
  translations?: readonly { from: string; to: string }[];
  /**
   * Abilities of its models, if more than `languages` and `translations`. It does not offer a mode that is left out.
   */
  abilities?: Partial<Record<Model['transcription_mode'], ModelAbilities>>;
  ready: boolean;
  /**
   * For an engine with processes of its own: how many run, their memory, and how many have died, or were replaced for
   * their size, so far.
   */
  processes?: { running: number; residentBytes: number; lost: number; replaced: number };
}

/** Hints for better recognition; an engine may ignore them. */
export interface RecognitionHints {
  languageHints?: readonly string[];
  /** Whether to transcribe only the hinted languages. */
  languageHintsStrict?: boolean;
  /** Its `translation_terms` apply to translations only. */
  context?: Context;
}

/** Options of one live stream; PCM is s16le, interleaved when there are several channels. */
export interface StreamOptions extends RecognitionHints {
  sampleRate: number;
  channels: number;
  /** Emit an `<end>` token after a pause. */
  endpointDetection?: boolean;
  /**
   * Longest delay from the end of speech to the final tokens, 500..3000 ms. The embedded engine ends an utterance after
   * silence of three tenths of it (at least 400 ms).
   */
  maxEndpointDelayMs?: number;
  translation?: Translation;
  /** Put a `speaker` label on every token. */
  diarization?: boolean;
  /** Put a `language` on every token, even a doubtful or non-final one; markers have none. */
  languageIdentification?: boolean;
}

/** One message of a stream: newly final tokens first (each once), then all current non-final ones. */
export interface StreamResult {
  tokens: LiveToken[];
  finalAudioMs: number;
  totalAudioMs: number;
  /** True on the last result, after `end()`. */
  finished: boolean;
}

export interface StreamEvents {
  result(result: StreamResult): void;
  /** At most once; the stream is closed afterwards. */
  error(error: EngineError): void;
}

export interface SttStream {
  /** Takes PCM of any length; carries odd bytes over. Returns false to make the caller wait for `drained()`. */
  write(pcm: Uint8Array): boolean;
  /** Resolves when the audio written so far is processed closely enough to take more. */
  drained(): Promise<void>;
  /**
   * Makes everything so far final, then emits `<fin>`. May be repeated.
   * @param trailingSilenceMs silence that the client has already seen at the end of the audio
   */
  finalize(trailingSilenceMs?: number): void;
  /** No more audio: the rest becomes final, then a result with `finished: true`. */
  end(): void;
  /** Drops the stream without further results. Idempotent. */
  abort(): void;
}

export interface TranscribeOptions extends RecognitionHints {
  diarization?: boolean;
  languageIdentification?: boolean;
  translation?: Translation;
  /**
   * Called with the recording's length in milliseconds before the recognition costs anything, by an engine that reports
   * progress late. If it rejects, nothing is recognized, and the transcription rejects with the same error.
   */
  onLength?(lengthMs: number): Promise<void>;
  /** Called with the milliseconds of audio processed so far. */
  onProgress?(processedMs: number): void;
  signal?: AbortSignal;
}

export interface SttEngine {
  info(): EngineInfo;
  /** Resolves once a worker can take work; rejects with 'model_missing' if the model cannot be loaded. */
  ready(): Promise<void>;
  /** @throws EngineError 'overloaded' past the admission limit, 'not_ready' after close. */
  openStream(options: StreamOptions, events: StreamEvents): SttStream;
  /** Transcribes a whole recording read as a stream of PCM pieces of any length. @throws EngineError */
  transcribe(
    pcm: AsyncIterable<Float32Array>,
    options?: TranscribeOptions,
  ): Promise<{ tokens: TranscriptToken[]; durationMs: number }>;
  close(): Promise<void>;
}

export type EngineErrorCode =
  | 'not_ready'
  | 'overloaded'
  | 'invalid_audio'
  | 'unsupported_format'
  | 'audio_too_long'
  | 'invalid_context'
  | 'model_missing'
  | 'worker_crashed'
  | 'aborted';

/** A failure with a stable code; `message` is fit for a person. */
export class EngineError extends Error {
  readonly code: EngineErrorCode;
  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineError';
    this.code = code;
  }
}

/** Containers that a live stream may come in, by the names of the speech API; 'auto' lets the first bytes decide. */
const STREAM_FORMATS = ['auto', 'aac', 'aiff', 'amr', 'asf', 'flac', 'mp3', 'ogg', 'wav', 'webm'] as const;
export type StreamFormat = (typeof STREAM_FORMATS)[number];

export const isStreamFormat = (name: string): name is StreamFormat => STREAM_FORMATS.some((known) => known === name);

/** A decoder's note on a recording, such as the number of its mixed tracks. At most one of each type. */
export type RecordingNote = AudioNote & { type: AudioNoteType };

/**
 * What a live stream began with: audio (or a tag in front of it), something else that is recognized, or unknown bytes.
 */
export type StreamBeginning = 'audio' | 'other' | 'unknown';

export interface StreamDecoderEvents {
  /**
   * Decoded audio: s16le, 16 kHz, mono, whole samples. If it returns a promise, the next piece comes after that
   * resolves: `audio: (pcm) => (stream.write(pcm) ? undefined : stream.drained())`.
   */
  audio(pcm: Uint8Array): Promise<void> | undefined;
  /**
   * At most once, with a sentence fit for the client; no event follows. Codes: 'invalid_audio', 'unsupported_format',
   * 'worker_crashed'.
   */
  error(error: EngineError, began: StreamBeginning): void;
}

/** Decodes one live stream, whose bytes may be cut anywhere. No method throws; failures arrive as `events.error`. */
export interface StreamDecoder {
  /**
   * Takes the next bytes without copying them: do not write to them afterwards. Returns false to make the caller wait
   * for `drained()`.
   */
  push(bytes: Uint8Array): boolean;
  /** Resolves when the decoder can take more, has failed or was closed. */
  drained(): Promise<void>;
  /**
   * Resolves when all whole frames pushed so far have been given as audio, or the decoder has failed or was closed. A
   * finalize waits for it.
   */
  settled(): Promise<void>;
  /**
   * No more bytes come. Resolves after the last `audio`, or once the decoder has failed or was closed. A stream too
   * short to hold audio is an `error`.
   */
  end(): Promise<void>;
  /** The notes so far; complete after `end()`. */
  notes(): readonly RecordingNote[];
  /** Drops the stream; no event follows. Idempotent, and harmless after `end()`. */
  close(): void;
  /**
   * The error if the stream ended now, because its few bytes look like no recording; null if they look fine or unknown.
   */
  doubt(): EngineError | null;
}

export interface DecodeOptions {
  maxSeconds: number;
  signal?: AbortSignal;
  /**
   * Called before the first piece with the declared length, if any; it may be wrong. `decode` waits for it, and rejects
   * if it does.
   */
  onLength?(seconds: number): void | Promise<void>;
  /** Called after the last piece. */
  onNotes?(notes: readonly RecordingNote[]): void;
}

export interface AudioDecoder {
  /**
   * Decodes a file; yields pieces of 16 kHz mono, never the whole file. Recognizes the format by content, not by name.
   * Refuses a file that declares more than `maxSeconds` before decoding, and one that holds more once it gets there.
   * @throws EngineError 'unsupported_format' | 'invalid_audio' | 'audio_too_long' | 'aborted'
   */
  decode(path: string, options: DecodeOptions): AsyncIterable<Float32Array>;
  /**
   * The length that a file declares, from a few reads; null if it declares none, or if that takes more reads. It may be
   * wrong. @throws EngineError if the file is not audio
   */
  declaredSeconds(path: string): Promise<number | null>;
  /** Opens the decoder of a live stream. If the content contradicts the announced format, the content decides. */
  openStream(format: StreamFormat, events: StreamDecoderEvents): StreamDecoder;
}
