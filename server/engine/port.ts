/**
 * The port every speech engine fits into: the embedded recognizer, or another one behind the same console.
 * Times are integer milliseconds from the start of the audio; PCM is 16 kHz mono Float32 in [-1, 1] unless said otherwise.
 */
import type { LiveToken } from '#contract/live.ts';
import type { Model } from '#contract/models.ts';
import type { AudioNote, AudioNoteType, TranscriptToken } from '#contract/transcriptions.ts';
import type { Context, Translation } from '#contract/translation.ts';

/** Of all PCM unless said otherwise, Hz. */
export const SAMPLE_RATE = 16_000;

/** What a model can do, as `GET /v1/models` tells it. */
export type ModelAbilities = Omit<Model, 'id' | 'name' | 'aliased_model_id' | 'transcription_mode'>;

export interface EngineInfo {
  /** Which runtime was picked at start-up; 'upstream': another service does the work. */
  runtime: 'native' | 'wasm' | 'upstream';
  /** Recordings that are worth working on at once. */
  workers: number;
  /** Live streams admitted at once; one more is refused with 'overloaded'. */
  maxStreams: number;
  /** Those that are open. */
  streams: number;
  /** ISO 639-1 codes the engine transcribes. */
  languages: readonly string[];
  /** What it translates, source to target; left out when nothing. */
  translations?: readonly { from: string; to: string }[];
  /** What its models can do, where that is not told by `languages` and `translations`; a mode left out is not offered. */
  abilities?: Partial<Record<Model['transcription_mode'], ModelAbilities>>;
  ready: boolean;
  /** Of an engine that works in processes of its own: those that run, their memory, and how many were lost, and replaced for their size, so far. */
  processes?: { running: number; residentBytes: number; lost: number; replaced: number };
}

/** What helps an engine to hear right; one that has no use for it leaves it. */
export interface RecognitionHints {
  languageHints?: readonly string[];
  /** Nothing but the hinted languages is to be heard. */
  languageHintsStrict?: boolean;
  /** `translation_terms` count for translations only. */
  context?: Context;
}

/** Options of one live stream; PCM is s16le, interleaved when there are several channels. */
export interface StreamOptions extends RecognitionHints {
  sampleRate: number;
  channels: number;
  /** Emit an `<end>` token after a pause. */
  endpointDetection?: boolean;
  /** Longest wait for the end of an utterance, 500..3000 ms; the embedded engine ends one after three tenths of it in silence (at least 400 ms). */
  maxEndpointDelayMs?: number;
  translation?: Translation;
  /** Put a `speaker` label on every token. */
  diarization?: boolean;
  /** Put a `language` on every token, doubtful and non-final ones too; markers have none. */
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
  /** Takes PCM (any length, odd bytes are carried over). False asks the caller to pause until `drained()` resolves. */
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
   * Called by an engine that tells its progress late, with the length of the recording in milliseconds, before the recognition of it costs
   * anything; where it rejects, nothing is recognized, and that is what the transcription rejects with.
   */
  onLength?(lengthMs: number): Promise<void>;
  /** Called with the milliseconds of audio processed so far. */
  onProgress?(processedMs: number): void;
  signal?: AbortSignal;
}

export interface SttEngine {
  info(): EngineInfo;
  /** Resolves once a worker can take work; rejects with 'model_missing' when the model cannot be loaded. */
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

/** What a decoder tells of a recording, by the type of the note; of each type once at most. */
export type RecordingNote = AudioNote & { type: AudioNoteType };

/** What a live stream began like: audio of a known format or a tag of such, something else that is known, or nothing known. */
export type StreamBeginning = 'audio' | 'other' | 'unknown';

export interface StreamDecoderEvents {
  /**
   * Decoded audio: s16le, 16 kHz, mono, whole samples. Where a promise is returned, the next piece comes after it resolves:
   * `audio: (pcm) => (stream.write(pcm) ? undefined : stream.drained())`.
   */
  audio(pcm: Uint8Array): Promise<void> | undefined;
  /**
   * At most once, with a sentence fit for the client; no event follows. Codes: 'invalid_audio', 'unsupported_format', 'worker_crashed'.
   */
  error(error: EngineError, began: StreamBeginning): void;
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
  /** What was done with what has come so far; whole after `end()`. */
  notes(): readonly RecordingNote[];
  /** Drops the stream; no event follows. Idempotent, and harmless after `end()`. */
  close(): void;
  /** What the few bytes that have come look like, where that is no recording; null where they are clear, or like nothing known. */
  doubt(): EngineError | null;
}

export interface DecodeOptions {
  maxSeconds: number;
  signal?: AbortSignal;
  /** Called before the first piece with the length that the file declares, if it does; the file may lie. It waits for it, and fails with it. */
  onLength?(seconds: number): void | Promise<void>;
  /** Called after the last piece with what was done with the recording. */
  onNotes?(notes: readonly RecordingNote[]): void;
}

export interface AudioDecoder {
  /**
   * Decodes a file as a stream of 16 kHz mono pieces, never whole in memory. The format is told by content, not by name.
   * A file that declares more than `maxSeconds` is refused before it is decoded; one that holds more is cut off there, whatever it declares.
   * @throws EngineError 'unsupported_format' | 'invalid_audio' | 'audio_too_long' | 'aborted'
   */
  decode(path: string, options: DecodeOptions): AsyncIterable<Float32Array>;
  /** The length that a file declares, from a few reads of it; null where it does not, or where that takes more. The file may lie. @throws EngineError for what is no audio */
  declaredSeconds(path: string): Promise<number | null>;
  /** Opens the decoder of a live stream. The content decides where it contradicts the announced format. */
  openStream(format: StreamFormat, events: StreamDecoderEvents): StreamDecoder;
}
