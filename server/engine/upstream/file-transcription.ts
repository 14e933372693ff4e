import * as v from 'valibot';
import { Transcript, Transcription, type TranscriptToken } from '#contract/transcriptions.ts';
import type { Clock } from '../../platform/clock.ts';
import type { TranscribeOptions } from '../port.ts';
import { cancelled, type UpstreamClient } from './client.ts';
import type { UpstreamErrors } from './errors.ts';

/** First and longest pause between two polls of a transcription, milliseconds. */
const POLL_FIRST_MS = 1000;
const POLL_MAX_MS = 10_000;
const POLL_GROWTH = 1.4;
/** Gives up after so many failed polls in a row. */
const FAILED_POLLS_MAX = 5;
/** Longest wait for a transcription, in addition to its recording's length. */
const WAIT_MAX_MS = 3_600_000;
/**
 * Attempts to delete a transcription that the upstream still works on, and the longest pause: a quarter of an hour in
 * all.
 */
const DELETIONS_MAX = 40;
const DELETION_PAUSE_MAX_MS = 30_000;
const SAMPLES_PER_MS = 16;

const Status = v.pick(Transcription, ['id', 'status', 'error_type', 'error_message']);
type Status = v.InferOutput<typeof Status>;

interface FileTranscriberParts {
  client: UpstreamClient;
  errors: UpstreamErrors;
  clock: Clock;
  log?: { warn(details: object, message: string): void } | undefined;
}

/**
 * Transcribes recordings at the upstream: uploads, creates, polls until done, fetches, then deletes everything there.
 */
export class FileTranscriber {
  readonly #parts: FileTranscriberParts;
  readonly #cleaning = new Set<Promise<void>>();

  constructor(parts: FileTranscriberParts) {
    this.#parts = parts;
  }

  /** @throws EngineError, or the error of reading the recording */
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

  /** Resolves when all deletions at the upstream have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#cleaning);
  }

  async #completed(id: string, durationMs: number, signal: AbortSignal | undefined): Promise<void> {
    const { client, errors, clock } = this.#parts;
    const until = clock.now() + WAIT_MAX_MS + durationMs;
    let failed = 0;
    for (let pause = POLL_FIRST_MS; ; pause = Math.min(pause * POLL_GROWTH, POLL_MAX_MS)) {
      let seen: Status | undefined;
      try {
        seen = await client.get(`/transcriptions/${id}`, Status, signal);
        failed = 0;
      } catch (error) {
        failed += 1;
        if (signal?.aborted === true || failed >= FAILED_POLLS_MAX) throw error;
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

  /** Deletes the transcription and the file. What cannot be deleted stays there, and the log names it. */
  async #clean({ file, transcription }: { file?: string; transcription?: string }): Promise<void> {
    if (transcription !== undefined) await this.#delete(`/transcriptions/${transcription}`);
    if (file !== undefined) await this.#delete(`/files/${file}`);
  }

  /** Never rejects. */
  async #delete(path: string): Promise<void> {
    const { client, log } = this.#parts;
    let reason = 'It is still being worked on.';
    try {
      for (let attempt = 1; attempt <= DELETIONS_MAX; attempt += 1) {
        if (await client.delete(path)) return;
        await this.#pause(Math.min(POLL_FIRST_MS * attempt, DELETION_PAUSE_MAX_MS));
      }
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
    log?.warn({ path, reason }, 'could not delete a recording or its transcript at the upstream speech service');
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

/** Counts the samples of a recording while it is read; null if it has none. */
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
