import { availableParallelism } from 'node:os';
import { FileJob } from './file-job.ts';
import type { FileResult } from './file-job.ts';
import { likelyRuntime } from './ort.ts';
import type { RuntimeName } from './ort.ts';
import { PoolStream } from './pool-stream.ts';
import { PoolWorker } from './pool-worker.ts';
import { EngineError } from '../port.ts';
import type { EngineInfo, StreamEvents, StreamOptions, SttEngine, SttStream, TranscribeOptions } from '../port.ts';

/** Live streams that one core keeps up with, as measured with continuous speech. */
const STREAMS_PER_WORKER: Record<RuntimeName, number> = { native: 4, wasm: 2 };
/** More threads than this are of no use to a console and cost 150 to 300 MB each. */
const DEFAULT_WORKERS_MAX = 8;

/** The part of a logger that the engine uses (pino's order of arguments). */
interface EngineLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export interface PoolOptions {
  /** Recognizer threads; by default one per core. */
  workers?: number;
  logger?: EngineLogger;
  /** Called when a worker becomes ready or is lost. */
  onProgress?(state: { ready: number; workers: number }): void;
}

/** Recognizer threads behind the engine's port. Streams stay with their worker; a file moves on when its worker dies. */
export class WorkerPool implements SttEngine {
  readonly #options: PoolOptions;
  readonly #workers: PoolWorker[];
  readonly #ready: Promise<void>;
  #settleReady: { resolve(): void; reject(error: EngineError): void } = {
    resolve: () => undefined,
    reject: () => undefined,
  };
  #runtime = likelyRuntime();
  #lastId = 0;
  #closed = false;

  constructor(options: PoolOptions = {}) {
    this.#options = options;
    this.#ready = new Promise((resolve, reject) => {
      this.#settleReady = { resolve, reject };
    });
    // Nobody may be listening yet when the model turns out to be missing.
    this.#ready.catch(() => undefined);
    const count = Math.max(1, options.workers ?? Math.min(availableParallelism(), DEFAULT_WORKERS_MAX));
    this.#workers = Array.from({ length: count }, () => this.#addWorker());
  }

  info(): EngineInfo {
    const workers = this.#workers.length;
    return {
      runtime: this.#runtime,
      workers,
      maxStreams: workers * STREAMS_PER_WORKER[this.#runtime],
      languages: ['en'],
      ready: !this.#closed && this.#workers.some(({ ready }) => ready),
    };
  }

  ready(): Promise<void> {
    return this.#ready;
  }

  openStream(options: StreamOptions, events: StreamEvents): SttStream {
    const worker = this.#leastLoaded(({ streams, files }) => streams.size * 1000 + files.size);
    const open = this.#workers.reduce((sum, { streams }) => sum + streams.size, 0);
    const { maxStreams } = this.info();
    if (open >= maxStreams) throw new EngineError('overloaded', `All ${maxStreams} live streams are in use.`);
    const id = this.#nextId();
    const stream = new PoolStream(
      id,
      options,
      events,
      (message, transfer) => worker.post(message, transfer),
      () => worker.streams.delete(id),
    );
    worker.streams.set(id, stream);
    return stream;
  }

  async transcribe(pcm: AsyncIterable<Float32Array>, options: TranscribeOptions = {}): Promise<FileResult> {
    const { signal } = options;
    const job = new FileJob(this.#nextId(), options);
    const abort = (): void => job.fail(new EngineError('aborted', 'The transcription was cancelled.'));
    this.#assign(job);
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort);
    try {
      void job.feed(pcm);
      return await job.result;
    } finally {
      signal?.removeEventListener('abort', abort);
      for (const { files } of this.#workers) files.delete(job.id);
      this.#retried.delete(job);
    }
  }

  /** Makes one worker thread die of an error; its place is filled again. For drills and tests. */
  async crashWorker(index: number): Promise<void> {
    await this.#workers[index]?.crash();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const error = new EngineError('aborted', 'The speech engine is shutting down.');
    this.#settleReady.reject(error);
    for (const { streams, files } of this.#workers) {
      for (const stream of [...streams.values()]) stream.fail(error);
      for (const file of [...files.values()]) file.fail(error);
    }
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }

  /** File jobs that have already lost one worker. */
  readonly #retried = new Set<FileJob>();

  #addWorker(): PoolWorker {
    return new PoolWorker({
      ready: (runtime) => {
        this.#runtime = runtime;
        this.#settleReady.resolve();
        this.#report();
        this.#options.logger?.info({ runtime }, 'speech worker ready');
      },
      died: (files, error) => this.#recover(files, error),
    });
  }

  #recover(files: FileJob[], error: EngineError): void {
    this.#options.logger?.warn({ err: error, files: files.length }, 'speech worker lost');
    this.#report();
    if (this.#workers.every(({ broken }) => broken !== undefined)) this.#settleReady.reject(error);
    for (const file of files) {
      try {
        if (this.#retried.has(file)) throw error;
        this.#retried.add(file);
        this.#assign(file);
      } catch (reason) {
        file.fail(reason);
      }
    }
  }

  #assign(job: FileJob): void {
    const worker = this.#leastLoaded(({ streams, files }) => files.size * 1000 + streams.size);
    worker.files.set(job.id, job);
    job.assign((message) => worker.post(message));
  }

  /** The usable worker with least of the given load, a ready one if there is a choice. @throws EngineError when there is none */
  #leastLoaded(load: (worker: PoolWorker) => number): PoolWorker {
    if (this.#closed) throw new EngineError('not_ready', 'The speech engine is closed.');
    const usable = this.#workers.filter(({ broken }) => broken === undefined);
    const [best] = usable.sort((a, b) => load(a) - load(b) || Number(b.ready) - Number(a.ready));
    if (best === undefined)
      throw this.#workers[0]?.broken ?? new EngineError('not_ready', 'The speech engine has no worker.');
    return best;
  }

  #report(): void {
    this.#options.onProgress?.({
      ready: this.#workers.filter(({ ready }) => ready).length,
      workers: this.#workers.length,
    });
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}
