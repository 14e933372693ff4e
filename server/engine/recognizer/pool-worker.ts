import type { Worker } from 'node:worker_threads';
import type { FileJob } from './file-job.ts';
import type { PoolStream } from './pool-stream.ts';
import { EngineError } from '../port.ts';
import type { RuntimeName } from './ort.ts';
import type { FromWorker, ToWorker } from './protocol.ts';
import { NativeGuard, guardThread } from './native-guard.ts';
import { startWorker } from '../../platform/workers.ts';

/** A worker that dies this often before it is ready is given up. */
const MAX_FAILED_STARTS = 3;
export interface PoolWorkerEvents {
  ready(runtime: RuntimeName): void;
  /** The thread has died; a new one is starting unless the worker is unusable. Its file jobs are handed back. */
  died(files: FileJob[], error: EngineError): void;
}

/** A place in the pool: one thread, filled again when the thread dies. */
export class PoolWorker {
  readonly streams = new Map<number, PoolStream>();
  readonly files = new Map<number, FileJob>();
  readonly #events: PoolWorkerEvents;
  #thread: Worker;
  #guard = new NativeGuard();
  #failedStarts = 0;
  #closing = false;
  /** The error that makes this worker unusable for good. */
  broken: EngineError | undefined;
  ready = false;

  constructor(events: PoolWorkerEvents) {
    this.#events = events;
    this.#thread = this.#start();
  }

  post(message: ToWorker, transfer: readonly ArrayBuffer[] = []): void {
    this.#thread.postMessage(message, [...transfer]);
  }

  /** Makes the thread die of an error. Resolves when it has. */
  async crash(): Promise<void> {
    const thread = this.#thread;
    const gone = new Promise<void>((resolve) => {
      thread.once('exit', () => resolve());
    });
    this.post({ type: 'crash' });
    await gone;
  }

  /** Ends the thread for good, between two calls of native code. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#guard.stop();
    await this.#thread.terminate();
  }

  #start(): Worker {
    const { guard, release } = guardThread();
    this.#guard = guard;
    const thread = startWorker('speech-worker', { workerData: { guard: guard.buffer } });
    let reason = 'it stopped';
    thread.on('message', (message: FromWorker) => this.#receive(message));
    thread.on('error', (error) => {
      reason = error instanceof Error ? error.message : String(error);
    });
    thread.on('exit', () => {
      release();
      this.#died(reason);
    });
    return thread;
  }

  #receive(message: FromWorker): void {
    if (message.type === 'ready') {
      this.ready = true;
      this.#failedStarts = 0;
      this.#events.ready(message.runtime);
    } else if (message.type === 'unusable') {
      this.broken = new EngineError(message.code, message.message);
    } else {
      this.streams.get(message.id)?.receive(message);
      this.files.get(message.id)?.receive(message);
    }
  }

  #died(reason: string): void {
    if (this.#closing) return;
    const error = this.broken ?? new EngineError('worker_crashed', `A speech worker died: ${reason}`);
    this.#failedStarts += this.ready ? 0 : 1;
    this.ready = false;
    if (this.#failedStarts >= MAX_FAILED_STARTS) this.broken ??= error;
    const files = [...this.files.values()];
    this.files.clear();
    if (this.broken === undefined) this.#thread = this.#start();
    for (const stream of [...this.streams.values()]) stream.fail(error);
    this.#events.died(files, error);
  }
}
