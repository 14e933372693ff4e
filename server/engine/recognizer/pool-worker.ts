import { startProcess } from '../../platform/workers.ts';
import type { FileJob } from './file-job.ts';
import type { EngineError, StreamEvents, StreamOptions, SttStream } from '../port.ts';
import type { RuntimeName } from './ort.ts';
import { RecognizerProcess, type Child, type Pulse } from './recognizer-process.ts';

/** A worker is given up once its process has died so often before it was ready. */
const MAX_FAILED_STARTS = 3;
const MEGABYTE = 2 ** 20;

/** Memory in megabytes from which a process is replaced without interruption. At twice as much it is killed. */
const MEMORY_MB: Record<RuntimeName, number> = { native: 450, wasm: 800 };

export interface WorkerLimits {
  /** Megabytes from which a process is replaced; by default {@link MEMORY_MB}. */
  memoryMb?: number;
  /** An idle process that has grown by so many megabytes is replaced. */
  growthMb: number;
  /** A worker counts as idle after so many milliseconds without work. */
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
  ready(runtime: RuntimeName, insteadBecause?: string): void;
  /** Its process has died; a new one is starting, unless the worker is unusable. Gives back its file jobs. */
  died(files: FileJob[], error: EngineError): void;
  /** Whether this worker may end its process while it is idle. */
  maySleep(): boolean;
}

/**
 * A slot in the pool: runs one process, and starts another when it dies. Replaces a process that has grown too large
 * without interruption: the successor loads, then takes over its files and all new work, and the old one ends after its
 * last stream.
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
  /** How many processes died, and how many were replaced for their size. */
  lost = 0;
  replaced = 0;

  /** Starts asleep. */
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

  /** Starts a process if the worker sleeps. */
  wake(): RecognizerProcess {
    return (this.#current ??= this.#start());
  }

  openStream(id: number, options: StreamOptions, events: StreamEvents): SttStream {
    const process = this.wake();
    return process.openStream(id, options, events, () => {
      if (this.#leaving.has(process) && process.idle) this.#end(process);
      this.#idleSince = performance.now();
    });
  }

  take(job: FileJob): void {
    this.wake().take(job);
  }

  forget({ id }: FileJob): void {
    for (const { files } of this.#processes) if (files.delete(id)) this.#idleSince = performance.now();
  }

  /** Fails all its streams and files. */
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
      ready: (runtime, insteadBecause) => {
        this.#failedStarts = 0;
        this.#memoryMb = this.#limits.memoryMb ?? MEMORY_MB[runtime];
        if (process === this.#successor) this.#succeed(process);
        this.#idleSince = performance.now();
        this.#events.ready(runtime, insteadBecause);
      },
      unusable: (error) => {
        // If only a successor cannot load, the installation is being replaced: the current process goes on.
        if (process === this.#current) this.broken = error;
        process.kill(error.message);
      },
      beat: () => this.#checkMemory(process),
      died: (error) => this.#died(process, error),
    });
    return process;
  }

  /** At a heartbeat, kills a process that is far too large, replaces one that is too large, or ends an idle one. */
  #checkMemory(process: RecognizerProcess): void {
    const { residentBytes, leastBytes } = process;
    const grown = residentBytes - leastBytes > this.#limits.growthMb * MEGABYTE;
    const megabytes = Math.round(residentBytes / MEGABYTE);
    if (grown && megabytes > 2 * this.#memoryMb) return process.kill(`it took ${megabytes} MB of memory`);
    if (process !== this.#current || !process.ready || this.#successor !== undefined) return;
    const idle = process.idle && performance.now() - this.#idleSince > this.#limits.idleMs;
    if (idle && this.#leaving.size === 0 && this.#events.maySleep()) {
      this.#current = undefined;
      this.#end(process);
    } else if (grown && (idle || megabytes > this.#memoryMb)) this.#successor = this.#start();
  }

  #succeed(successor: RecognizerProcess): void {
    const former = this.#current;
    this.#successor = undefined;
    this.#current = successor;
    if (former === undefined) return;
    this.replaced += 1;
    for (const job of former.handOver()) successor.take(job);
    if (former.idle) this.#end(former);
    else this.#leaving.add(former);
  }

  #end(process: RecognizerProcess): void {
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
