/** The messages between the pool and its processes. Ids are unique within a pool. */
import type { TranscriptToken } from '#contract/transcriptions.ts';
import type { RuntimeName } from './ort.ts';
import type { EngineErrorCode, RecognitionHints, StreamOptions, StreamResult } from '../port.ts';

export interface FileOptions extends RecognitionHints {
  languageIdentification: boolean;
  diarization: boolean;
  /** Whether the audio continues where another process died. */
  continued: boolean;
}

export type ToWorker =
  | { type: 'stream.open'; id: number; options: StreamOptions }
  | { type: 'stream.audio'; id: number; pcm: Uint8Array }
  /** `quietMs`: how long no audio comes until the client counts as silent. */
  | { type: 'stream.finalize'; id: number; trailingSilenceMs: number; quietMs: number }
  | { type: 'stream.end'; id: number }
  | { type: 'file.open'; id: number; options: FileOptions }
  | { type: 'file.audio'; id: number; samples: Float32Array }
  | { type: 'file.end'; id: number }
  /** Drops a stream or a file; unknown ids are fine. */
  | { type: 'close'; id: number }
  /** Asks for a heartbeat. */
  | { type: 'beat' };

export type FromWorker =
  /** `insteadBecause`: why the native runtime does not load, if it runs on the other one. */
  | { type: 'ready'; runtime: RuntimeName; insteadBecause?: string | undefined; residentBytes: number }
  /** The answer to a beat, with the process's memory. */
  | { type: 'beat'; residentBytes: number }
  /** The model could not be loaded. */
  | { type: 'unusable'; code: EngineErrorCode; message: string }
  | { type: 'stream.result'; id: number; result: StreamResult }
  | { type: 'stream.consumed'; id: number; bytes: number }
  /** New tokens, and the sample up to which the file is settled. */
  | { type: 'file.step'; id: number; tokens: TranscriptToken[]; settled: number }
  | { type: 'file.done'; id: number }
  /** One stream or file failed; the process goes on. */
  | { type: 'failed'; id: number; message: string };
