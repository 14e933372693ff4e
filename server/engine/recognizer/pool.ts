import { availableParallelism } from 'node:os';
import { boundTo } from '../../platform/telemetry/work.ts';
import { FileJob } from './file-job.ts';
import type { FileResult } from './file-job.ts';
import { likelyRuntime } from './ort.ts';
import type { RuntimeName } from './ort.ts';
import { LANGUAGE } from './token-writer.ts';
import { PoolWorker, USUAL_LIMITS, type WorkerLimits } from './pool-worker.ts';
import { EngineError } from '../port.ts';
import type { EngineInfo, StreamEvents, StreamOptions, SttEngine, SttStream, TranscribeOptions } from '../port.ts';

/** Live streams of continuous speech that one core keeps up with, as measured. */
const STREAMS_PER_WORKER: Record<RuntimeName, number> = { native: 4, wasm: 2 };
/** More processes are of no use to a console; each takes 250 to 450 MB. */
const DEFAULT_WORKERS_MAX = 8;

/** The part of a logger that the engine uses (pino's order of arguments). */
interface EngineLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export interface PoolOptions {
  /** Recognizer processes; by default one per core. */
  workers?: number;
  logger?: EngineLogger;
  /** Called when a worker becomes ready or is lost. */
  onProgress?(state: { ready: number; workers: number }): void;
  limits?: Partial<WorkerLimits>;
}

/** The engine of recognizer processes. A stream fails with its process; a file continues in another one. */
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
    // If the model is missing, nobody may be listening yet: this is no unhandled rejection.
    this.#ready.catch(() => undefined);
    const count = Math.max(1, options.workers ?? Math.min(availableParallelism(), DEFAULT_WORKERS_MAX));
    this.#workers = Array.from({ length: count }, () => this.#addWorker());
    // The others load when there is work.
    this.#workers[0]?.wake();
  }

  info(): EngineInfo {
    const workers = this.#workers.length;
    return {
      runtime: this.#runtime,
      workers,
      maxStreams: workers * STREAMS_PER_WORKER[this.#runtime],
      streams: this.#workers.reduce((sum, { streams }) => sum + streams, 0),
      languages: [LANGUAGE],
      ready: !this.#closed && this.#workers.some(({ ready }) => ready),
      processes: {
        running: this.#workers.reduce((sum, { pids }) => sum + pids.length, 0),
        residentBytes: this.#workers.reduce((sum, { residentBytes }) => sum + residentBytes, 0),
        lost: this.#workers.reduce((sum, { lost }) => sum + lost, 0),
        replaced: this.#workers.reduce((sum, { replaced }) => sum + replaced, 0),
      },
    };
  }

  ready(): Promise<void> {
    return this.#ready;
  }

  openStream(options: StreamOptions, events: StreamEvents): SttStream {
    const room = STREAMS_PER_WORKER[this.#runtime];
    // A stream does not wait for a loading process while another one has room.
    const worker = this.#leastLoaded(
      ({ ready, streams, files }) => (ready && streams < room ? 0 : 1_000_000) + streams * 1000 + files,
    );
    const { streams: open, maxStreams } = this.info();
    if (open >= maxStreams) throw new EngineError('overloaded', `All ${maxStreams} live streams are in use.`);
    return worker.openStream(this.#nextId(), options, events);
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
      for (const worker of this.#workers) worker.forget(job);
      this.#lostAt.delete(job);
    }
  }

  /** Ids of its processes, for drills and tests. */
  get pids(): number[] {
    return this.#workers.flatMap(({ pids }) => pids);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const error = new EngineError('aborted', 'The speech engine is shutting down.');
    this.#settleReady.reject(error);
    for (const worker of this.#workers) worker.fail(error);
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }

  /**
   * Settled samples of each file when it lost a process. If it loses another at the same place, the file kills them.
   */
  readonly #lostAt = new Map<FileJob, number>();

  #addWorker(): PoolWorker {
    const worker: PoolWorker = new PoolWorker(
      {
        ready: (runtime, insteadBecause) => {
          this.#runtime = runtime;
          this.#settleReady.resolve();
          this.#report();
          this.#options.logger?.info({ runtime }, 'speech process ready');
          if (insteadBecause !== undefined)
            this.#options.logger?.warn({ reason: insteadBecause }, 'the native speech runtime does not load here');
        },
        died: (files, error) => this.#recover(files, error),
        maySleep: () => this.#workers.some((other) => other !== worker && other.ready),
      },
      { ...USUAL_LIMITS, ...this.#options.limits },
    );
    return worker;
  }

  #recover(files: FileJob[], error: EngineError): void {
    this.#options.logger?.warn({ err: error, files: files.length }, 'speech process lost');
    this.#report();
    const usable = this.#workers.filter((worker) => worker.usable);
    if (usable.length === 0) this.#settleReady.reject(error);
    else if (!usable.some(({ ready }) => ready)) usable[0]?.wake();
    for (const file of files) {
      try {
        if (this.#lostAt.get(file) === file.settled) throw error;
        this.#lostAt.set(file, file.settled);
        this.#assign(file);
        boundTo(file.work, () => this.#options.logger?.warn({}, 'a recording goes on with another speech process'))();
      } catch (reason) {
        file.fail(reason);
      }
    }
  }

  #assign(job: FileJob): void {
    this.#leastLoaded(({ streams, files }) => files * 1000 + streams).take(job);
  }

  /**
   * Wakes all usable workers; returns the one with the least load, preferably a ready one.
   * @throws EngineError if none is usable
   */
  #leastLoaded(load: (worker: PoolWorker) => number): PoolWorker {
    if (this.#closed) throw new EngineError('not_ready', 'The speech engine is closed.');
    const usable = this.#workers.filter((worker) => worker.usable);
    for (const worker of usable) worker.wake();
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
