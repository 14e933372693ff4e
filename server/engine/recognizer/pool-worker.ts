import { startProcess } from '../../platform/workers.ts';
import type { FileJob } from './file-job.ts';
import type { EngineError, StreamEvents, StreamOptions, SttStream } from '../port.ts';
import type { RuntimeName } from './ort.ts';
import { RecognizerProcess, type Child, type Pulse } from './recognizer-process.ts';

/** A worker whose process dies this often before it is ready is given up. */
const MAX_FAILED_STARTS = 3;
const MEGABYTE = 2 ** 20;

/** What a process may take, megabytes, before it is replaced as soon as that harms nothing. Twice as much ends it at once. */
const MEMORY_MB: Record<RuntimeName, number> = { native: 450, wasm: 800 };

export interface WorkerLimits {
  /** Memory beyond which a process is replaced by a fresh one, megabytes; by default what the runtime needs. */
  memoryMb?: number;
  /** Grown by this much, a process is worth replacing once it is idle, megabytes. */
  growthMb: number;
  /** Time without work after which a worker counts as idle, milliseconds. */
  idleMs: number;
  pulse: Pulse;
  start(): Child;
}

export const USUAL_LIMITS: WorkerLimits = {
  growthMb: 50,
  idleMs: 120_000,
  pulse: { everyMs: 3000, owed: 10, owedLoading: 40 },
  start: () => startProcess('speech-worker'),
};

export interface PoolWorkerEvents {
  ready(runtime: RuntimeName): void;
  /** Its process has died; a new one is starting unless the worker is unusable. Its recordings are handed back. */
  died(files: FileJob[], error: EngineError): void;
  /** Whether this worker, idle, need not be kept warm. */
  maySleep(): boolean;
}

/**
 * A place in the pool: one process at work, filled again when the process dies. A process that has grown too large is replaced without
 * harm: the next one loads beside it, takes over its recordings and all new work, and the old one ends after its last stream.
 */
export class PoolWorker {
  readonly #events: PoolWorkerEvents;
  readonly #limits: WorkerLimits;
  /** Undefined while the worker sleeps. */
  #current: RecognizerProcess | undefined;
  #successor: RecognizerProcess | undefined;
  readonly #leaving = new Set<RecognizerProcess>();
  #memoryMb: number;
  #failedStarts = 0;
  #closing = false;
  #idleSince = performance.now();
  /** The error that makes this worker unusable for good. */
  broken: EngineError | undefined;
  /** Processes that died, and that were replaced before they could. */
  lost = 0;
  replaced = 0;

  /** It sleeps until it is woken. */
  constructor(events: PoolWorkerEvents, limits: WorkerLimits) {
    this.#events = events;
    this.#limits = limits;
    this.#memoryMb = limits.memoryMb ?? MEMORY_MB.native;
  }

  get ready(): boolean {
    return this.#current?.ready === true;
  }

  /** Whether it can take work: now, or as soon as it has woken up. */
  get usable(): boolean {
    return this.broken === undefined;
  }

  get streams(): number {
    return this.#processes.reduce((sum, { streams }) => sum + streams.size, 0);
  }

  get files(): number {
    return this.#processes.reduce((sum, { files }) => sum + files.size, 0);
  }

  get pids(): number[] {
    return this.#processes.flatMap(({ pid }) => pid ?? []);
  }

  get residentBytes(): number {
    return this.#processes.reduce((sum, { residentBytes }) => sum + residentBytes, 0);
  }

  get #processes(): RecognizerProcess[] {
    return [this.#current, this.#successor, ...this.#leaving].filter((process) => process !== undefined);
  }

  /** Loads the model again where the worker sleeps. */
  wake(): RecognizerProcess {
    return (this.#current ??= this.#start());
  }

  openStream(id: number, options: StreamOptions, events: StreamEvents): SttStream {
    const process = this.wake();
    return process.openStream(id, options, events, () => {
      if (this.#leaving.has(process) && process.idle) this.#letGo(process);
      this.#idleSince = performance.now();
    });
  }

  take(job: FileJob): void {
    this.wake().take(job);
  }

  forget({ id }: FileJob): void {
    for (const { files } of this.#processes) if (files.delete(id)) this.#idleSince = performance.now();
  }

  /** Fails all it works on. */
  fail(error: EngineError): void {
    for (const { streams, files } of this.#processes) {
      for (const stream of [...streams.values()]) stream.fail(error);
      for (const file of [...files.values()]) file.fail(error);
    }
  }

  /** Ends its processes for good. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#processes.map((process) => process.end()));
  }

  #start(): RecognizerProcess {
    const process = new RecognizerProcess(this.#limits.start(), this.#limits.pulse, {
      ready: (runtime) => {
        this.#failedStarts = 0;
        this.#memoryMb = this.#limits.memoryMb ?? MEMORY_MB[runtime];
        if (process === this.#successor) this.#succeed(process);
        this.#idleSince = performance.now();
        this.#events.ready(runtime);
      },
      unusable: (error) => {
        // Where one is at work, the model was there before: an installation that is being replaced.
        if (process === this.#current) this.broken = error;
        process.kill(error.message);
      },
      beat: () => this.#judge(process),
      died: (error) => this.#died(process, error),
    });
    return process;
  }

  /** What a sign of life says of the memory, and the lack of work of the worker's need for it. */
  #judge(process: RecognizerProcess): void {
    const { residentBytes, leastBytes } = process;
    const grown = residentBytes - leastBytes > this.#limits.growthMb * MEGABYTE;
    const megabytes = Math.round(residentBytes / MEGABYTE);
    if (grown && megabytes > 2 * this.#memoryMb) return process.kill(`it took ${megabytes} MB of memory`);
    if (process !== this.#current || !process.ready || this.#successor !== undefined) return;
    const idle = process.idle && performance.now() - this.#idleSince > this.#limits.idleMs;
    if (idle && this.#leaving.size === 0 && this.#events.maySleep()) {
      this.#current = undefined;
      this.#letGo(process);
    } else if (grown && (idle || megabytes > this.#memoryMb)) this.#successor = this.#start();
  }

  #succeed(successor: RecognizerProcess): void {
    const former = this.#current;
    this.#successor = undefined;
    this.#current = successor;
    if (former === undefined) return;
    this.replaced += 1;
    for (const job of former.handOver()) successor.take(job);
    if (former.idle) this.#letGo(former);
    else this.#leaving.add(former);
  }

  #letGo(process: RecognizerProcess): void {
    this.#leaving.delete(process);
    void process.end();
  }

  #died(process: RecognizerProcess, error: EngineError): void {
    if (this.#closing) return;
    this.lost += 1;
    this.#leaving.delete(process);
    if (!process.ready && process === this.#current) this.#failedStarts += 1;
    if (this.#failedStarts >= MAX_FAILED_STARTS) this.broken ??= error;
    if (process === this.#successor) this.#successor = undefined;
    if (process === this.#current) {
      this.#current = this.#successor;
      this.#successor = undefined;
      if (this.broken === undefined) this.wake();
    }
    this.#events.died(process.handOver(), this.broken ?? error);
  }
}
