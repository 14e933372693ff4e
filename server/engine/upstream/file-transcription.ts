import * as v from 'valibot';
import { Transcript, Transcription, type TranscriptToken } from '#contract/transcriptions.ts';
import type { Clock } from '../../platform/clock.ts';
import { EngineError, type TranscribeOptions } from '../port.ts';
import { cancelled, type UpstreamClient } from './client.ts';
import type { UpstreamErrors } from './errors.ts';

/** Between two looks at a transcription: at first, and at most, milliseconds. */
const LOOK_FIRST_MS = 1000;
const LOOK_MAX_MS = 10_000;
const LOOK_GROWTH = 1.4;
/** Looks that may fail in a row. */
const FAILED_LOOKS_MAX = 5;
/** Longest wait for a transcription, besides the length of its recording. */
const WAIT_MAX_MS = 3_600_000;
/** Attempts to delete what the upstream still works on, and the longest pause between two: a quarter of an hour in all. */
const DELETIONS_MAX = 40;
const DELETION_PAUSE_MAX_MS = 30_000;
const SAMPLES_PER_MS = 16;

const Status = v.pick(Transcription, ['id', 'status', 'error_type', 'error_message']);
type Status = v.InferOutput<typeof Status>;

interface FileTranscriberParts {
  client: UpstreamClient;
  errors: UpstreamErrors;
  clock: Clock;
}

/** Has recordings transcribed by the upstream: upload, create, look until it is done, fetch, and leave nothing there. */
export class FileTranscriber {
  readonly #parts: FileTranscriberParts;
  readonly #cleaning = new Set<Promise<void>>();

  constructor(parts: FileTranscriberParts) {
    this.#parts = parts;
  }

  /** @throws EngineError, or what reading the recording failed with */
  async transcribe(
    model: string,
    pcm: AsyncIterable<Float32Array>,
    options: TranscribeOptions,
  ): Promise<{ tokens: TranscriptToken[]; durationMs: number }> {
    const { client } = this.#parts;
    const { signal } = options;
    if (signal?.aborted === true) throw cancelled();
    const recording = await measured(pcm);
    if (recording === null) return { tokens: [], durationMs: 0 };
    const left: { file?: string; transcription?: string } = {};
    try {
      left.file = await client.upload(recording.pcm, signal);
      const durationMs = Math.round(recording.samples() / SAMPLES_PER_MS);
      await options.onLength?.(durationMs);
      const { id } = await client.post('/transcriptions', requestFor(model, left.file, options), Status, signal);
      left.transcription = id;
      await this.#completed(id, durationMs, signal);
      const { tokens } = await client.get(`/transcriptions/${id}/transcript`, Transcript, signal);
      options.onProgress?.(durationMs);
      return { tokens, durationMs };
    } finally {
      const cleaning: Promise<void> = this.#clean(left).finally(() => this.#cleaning.delete(cleaning));
      this.#cleaning.add(cleaning);
    }
  }

  /** Resolves when nothing is left to be deleted at the upstream, as far as that works. */
  async settled(): Promise<void> {
    await Promise.all(this.#cleaning);
  }

  async #completed(id: string, durationMs: number, signal: AbortSignal | undefined): Promise<void> {
    const { client, errors, clock } = this.#parts;
    const until = clock.now() + WAIT_MAX_MS + durationMs;
    let failed = 0;
    for (let pause = LOOK_FIRST_MS; ; pause = Math.min(pause * LOOK_GROWTH, LOOK_MAX_MS)) {
      let seen: Status | undefined;
      try {
        seen = await client.get(`/transcriptions/${id}`, Status, signal);
        failed = 0;
      } catch (error) {
        failed += 1;
        if (signal?.aborted === true || failed >= FAILED_LOOKS_MAX) throw error;
      }
      if (seen?.status === 'completed') return;
      if (seen?.status === 'error') throw errors.failed(seen.error_type, seen.error_message);
      if (clock.now() >= until) throw errors.lost();
      await this.#pause(pause, signal);
    }
  }

  #pause(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        cancel();
        reject(cancelled());
      };
      const cancel = this.#parts.clock.after(ms, () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      });
      if (signal?.aborted === true) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    });
  }

  /** What cannot be deleted stays: it is not worth failing for. */
  async #clean({ file, transcription }: { file?: string; transcription?: string }): Promise<void> {
    const { client } = this.#parts;
    try {
      if (transcription !== undefined) {
        for (
          let attempt = 1;
          attempt <= DELETIONS_MAX && !(await client.delete(`/transcriptions/${transcription}`));
          attempt += 1
        )
          await this.#pause(Math.min(LOOK_FIRST_MS * attempt, DELETION_PAUSE_MAX_MS));
      }
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
    }
    if (file !== undefined) await client.delete(`/files/${file}`).catch(() => false);
  }
}

function requestFor(
  model: string,
  file: string,
  { diarization, languageIdentification, translation, languageHints, languageHintsStrict, context }: TranscribeOptions,
): object {
  return {
    model,
    file_id: file,
    enable_speaker_diarization: diarization ?? false,
    enable_language_identification: languageIdentification ?? false,
    ...(languageHints && { language_hints: languageHints }),
    ...(languageHintsStrict !== undefined && { language_hints_strict: languageHintsStrict }),
    ...(context !== undefined && { context }),
    ...(translation && { translation }),
  };
}

/** The recording with a count of its samples; null when it has none. */
async function measured(
  pcm: AsyncIterable<Float32Array>,
): Promise<{ pcm: AsyncIterable<Float32Array>; samples(): number } | null> {
  const pieces = pcm[Symbol.asyncIterator]();
  let first = await pieces.next();
  while (first.done !== true && first.value.length === 0) first = await pieces.next();
  if (first.done === true) return null;
  let samples = 0;
  async function* counted(): AsyncGenerator<Float32Array> {
    try {
      for (let piece = first; piece.done !== true; piece = await pieces.next()) {
        samples += piece.value.length;
        yield piece.value;
      }
    } finally {
      await pieces.return?.();
    }
  }
  return { pcm: counted(), samples: () => samples };
}
