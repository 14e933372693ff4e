import type { Worker } from 'node:worker_threads';
import { startWorker } from '../workers.ts';
import type { TransferredError, WorkerMessage, WorkerRequest, WorkerSetup } from './protocol.ts';

/** An error of the embedded database. `code` is the SQLSTATE, as with the driver of an outside PostgreSQL. */
class DatabaseError extends Error {
  readonly code: string | undefined;
  readonly constraint: string | undefined;
  readonly detail: string | undefined;
  constructor(error: TransferredError) {
    super(error.message);
    this.name = 'DatabaseError';
    this.code = error.code;
    this.constraint = error.constraint;
    this.detail = error.detail;
  }
}

interface Answer {
  rows: unknown[];
  affected: number;
}
interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}
type Unnumbered<T> = T extends { id: number } ? Omit<T, 'id'> : never;

/** The main thread's end of the embedded database. */
export class PgliteHost {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, Set<(payload: string) => void>>();
  readonly #opened: Promise<void>;
  #settleOpening: { resolve(): void; reject(error: Error): void } = { resolve: () => {}, reject: () => {} };
  #last = 0;
  #gone: Error | undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    this.#opened = new Promise((resolve, reject) => {
      this.#settleOpening = { resolve, reject };
    });
    worker.on('message', (message: WorkerMessage) => this.#take(message));
    worker.on('error', (error) => this.#lose(error));
    worker.on('exit', () => this.#lose(new Error('The database has been closed.')));
  }

  /** @throws when the directory cannot be opened. */
  static async open(directory: string | undefined): Promise<PgliteHost> {
    const setup: WorkerSetup = { directory };
    const worker = startWorker('db-worker', { workerData: setup });
    const host = new PgliteHost(worker);
    await host.#opened;
    return host;
  }

  /** Queries that have no answer yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  async query(sql: string, parameters: readonly unknown[]): Promise<Answer> {
    // A Buffer may be a view of a larger pool: copy only its own bytes.
    return this.#ask({
      kind: 'query',
      sql,
      parameters: parameters.map((value) => (value instanceof Uint8Array ? Uint8Array.from(value) : value)),
    });
  }

  /** Calls `callback` with the payload of every NOTIFY on the channel. @returns a function that stops listening */
  async listen(channel: string, callback: (payload: string) => void): Promise<() => void> {
    if (!this.#listeners.has(channel)) await this.#ask({ kind: 'listen', channel });
    const callbacks = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, callbacks.add(callback));
    return () => callbacks.delete(callback);
  }

  async close(): Promise<void> {
    if (this.#gone !== undefined) return;
    await this.#ask({ kind: 'close' });
    await this.#worker.terminate();
  }

  async #ask(request: Unnumbered<WorkerRequest>): Promise<Answer> {
    const gone = this.#gone;
    if (gone !== undefined) throw gone;
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ ...request, id });
    });
  }

  #take(message: WorkerMessage): void {
    if (message.kind === 'notification') {
      for (const callback of this.#listeners.get(message.channel) ?? []) callback(message.payload);
      return;
    }
    if (message.kind === 'ready') return this.#settleOpening.resolve();
    if (message.kind === 'failed') return this.#lose(new DatabaseError(message.error));
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === 'done') waiting?.resolve(message);
    else waiting?.reject(new DatabaseError(message.error));
  }

  #lose(error: Error): void {
    this.#gone ??= error;
    this.#settleOpening.reject(this.#gone);
    for (const { reject } of this.#waiting.values()) reject(this.#gone);
    this.#waiting.clear();
  }
}
