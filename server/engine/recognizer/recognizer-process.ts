import type { ChildProcess } from 'node:child_process';
import type { FileJob } from './file-job.ts';
import type { RuntimeName } from './ort.ts';
import { PoolStream } from './pool-stream.ts';
import { EngineError } from '../port.ts';
import type { StreamEvents, StreamOptions } from '../port.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

/** The part of a child process that is used. */
export type Child = Pick<ChildProcess, 'pid' | 'connected' | 'send' | 'kill' | 'disconnect' | 'on'>;

/** Heartbeat of a process. An answer waits for at most one call of native code, well below a second. */
export interface Pulse {
  /** Interval between two beats. */
  everyMs: number;
  /** Unanswered beats after which the process is killed. */
  owed: number;
  /** Unanswered beats after which a process that loads its model, and cannot answer meanwhile, is killed. */
  owedLoading: number;
}

export interface ProcessEvents {
  ready(runtime: RuntimeName, insteadBecause?: string): void;
  /** The model cannot be loaded; trying again would not help. */
  unusable(error: EngineError): void;
  /** A heartbeat came; `residentBytes` is up to date. */
  beat(): void;
  /** The process died without `end()`. Its streams have failed; its file jobs are still in `files`. */
  died(error: EngineError): void;
}

/** One recognizer process, from start to end, with its streams and file jobs. */
export class RecognizerProcess {
  readonly streams = new Map<number, PoolStream>();
  readonly files = new Map<number, FileJob>();
  readonly #child: Child;
  readonly #events: ProcessEvents;
  readonly #pulse: NodeJS.Timeout;
  readonly #gone: Promise<void>;
  readonly #early: ToWorker[] = [];
  #unanswered = 0;
  /** Why it dies, if known before it does. */
  #reason: string | undefined;
  #isStopping = false;
  ready = false;
  /** Resident memory, bytes; 0 while it loads. */
  residentBytes = 0;
  /** Lowest resident memory since it has loaded. */
  leastBytes = Infinity;

  constructor(child: Child, pulse: Pulse, events: ProcessEvents) {
    this.#child = child;
    this.#events = events;
    this.#pulse = setInterval(() => this.#ask(pulse), pulse.everyMs);
    child.on('message', (message) => this.#receive(message as FromWorker));
    this.#gone = new Promise((resolve) => {
      const gone = (reason: string): void => {
        clearInterval(this.#pulse);
        this.#reason ??= reason;
        resolve();
        if (!this.#isStopping) this.#died();
      };
      child.on('exit', (code, signal) =>
        gone(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`),
      );
      // A process that could not start emits no `exit`.
      child.on('error', ({ message }) => {
        this.#reason ??= message;
        if (child.pid === undefined) gone(message);
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get idle(): boolean {
    return this.streams.size === 0 && this.files.size === 0;
  }

  /** Sends a message, once the process has loaded: Node would lose one that comes before the process listens. */
  post(message: ToWorker): void {
    if (this.ready) this.#send(message);
    else this.#early.push(message);
  }

  openStream(id: number, options: StreamOptions, events: StreamEvents, onClosed: () => void): PoolStream {
    const stream = new PoolStream(
      id,
      options,
      events,
      (message) => this.post(message),
      () => {
        this.streams.delete(id);
        onClosed();
      },
    );
    this.streams.set(id, stream);
    return stream;
  }

  take(job: FileJob): void {
    this.files.set(job.id, job);
    job.assign((message) => this.post(message));
  }

  /** Gives up its file jobs, so that another process can continue them. */
  handOver(): FileJob[] {
    const jobs = [...this.files.values()];
    this.files.clear();
    for (const { id } of jobs) this.post({ type: 'close', id });
    return jobs;
  }

  /** Kills it; `died` is called with this reason. */
  kill(reason: string): void {
    this.#reason = reason;
    this.#child.kill('SIGKILL');
  }

  /** Kills it without calling `died`. Resolves when it is gone. */
  async end(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#pulse);
    this.#child.kill('SIGKILL');
    await this.#gone;
  }

  #send(message: ToWorker): void {
    // Ignore write errors: if the process has just died, its `exit` event follows.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  #ask({ owed, owedLoading }: Pulse): void {
    if (this.#unanswered >= (this.ready ? owed : owedLoading)) return this.kill('it no longer answered');
    this.#unanswered += 1;
    if (this.ready) this.#send({ type: 'beat' });
  }

  #receive(message: FromWorker): void {
    if ('id' in message) {
      this.streams.get(message.id)?.receive(message);
      this.files.get(message.id)?.receive(message);
    } else if (message.type === 'unusable') {
      this.#events.unusable(new EngineError(message.code, message.message));
    } else {
      const { residentBytes } = message;
      this.ready = true;
      this.#unanswered = 0;
      this.residentBytes = residentBytes;
      this.leastBytes = Math.min(this.leastBytes, residentBytes);
      for (const early of this.#early.splice(0)) this.#send(early);
      if (message.type === 'ready') this.#events.ready(message.runtime, message.insteadBecause);
      else this.#events.beat();
    }
  }

  #died(): void {
    const error = new EngineError('worker_crashed', `A speech process died: ${this.#reason}`);
    for (const stream of [...this.streams.values()]) stream.fail(error);
    this.#events.died(error);
  }
}
