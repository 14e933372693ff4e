import type { ChildProcess } from 'node:child_process';
import type { FileJob } from './file-job.ts';
import type { RuntimeName } from './ort.ts';
import { PoolStream } from './pool-stream.ts';
import { EngineError } from '../port.ts';
import type { StreamEvents, StreamOptions } from '../port.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

/** The part of a child process that is used. */
export type Child = Pick<ChildProcess, 'pid' | 'connected' | 'send' | 'kill' | 'disconnect' | 'on'>;

/** How often a process is asked for a sign of life, and how many it may owe: an answer waits for one call of native code, well below a second. */
export interface Pulse {
  everyMs: number;
  owed: number;
  /** The same while it loads its model, when it hears nothing. */
  owedLoading: number;
}

export interface ProcessEvents {
  ready(runtime: RuntimeName): void;
  /** The model cannot be loaded, now or later. */
  unusable(error: EngineError): void;
  /** A sign of life, with the memory that the process takes. */
  beat(): void;
  /** It has ended, unless it was told to. Its streams have failed; its recordings are still there. */
  died(error: EngineError): void;
}

/** One recognizer process from its start to its end, and what it works on. */
export class RecognizerProcess {
  readonly streams = new Map<number, PoolStream>();
  readonly files = new Map<number, FileJob>();
  readonly #child: Child;
  readonly #events: ProcessEvents;
  readonly #pulse: NodeJS.Timeout;
  readonly #gone: Promise<void>;
  readonly #early: ToWorker[] = [];
  #owed = 0;
  /** Why it ends, where that is known before. */
  #reason: string | undefined;
  #told = false;
  ready = false;
  /** Memory that it takes, bytes; 0 while it loads. */
  residentBytes = 0;
  /** The least that it has taken since it had loaded. */
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
        if (!this.#told) this.#died();
      };
      child.on('exit', (code, signal) =>
        gone(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`),
      );
      // One that could not be started does not end either.
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

  /** A process that loads is told afterwards: Node loses what comes before somebody listens. */
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

  /** Lets go of its recordings, which another process then goes on with. */
  handOver(): FileJob[] {
    const jobs = [...this.files.values()];
    this.files.clear();
    for (const { id } of jobs) this.post({ type: 'close', id });
    return jobs;
  }

  /** Has it ended for a reason that is told. */
  kill(reason: string): void {
    this.#reason = reason;
    this.#child.kill('SIGKILL');
  }

  /** Ends it for good; nothing of that is told. */
  async end(): Promise<void> {
    this.#told = true;
    clearInterval(this.#pulse);
    this.#child.kill('SIGKILL');
    await this.#gone;
  }

  #send(message: ToWorker): void {
    // What is written to a process that has just died is lost with it; its end tells.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  #ask({ owed, owedLoading }: Pulse): void {
    if (this.#owed >= (this.ready ? owed : owedLoading)) return this.kill('it no longer answered');
    this.#owed += 1;
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
      this.#owed = 0;
      this.residentBytes = residentBytes;
      this.leastBytes = Math.min(this.leastBytes, residentBytes);
      for (const early of this.#early.splice(0)) this.#send(early);
      if (message.type === 'ready') this.#events.ready(message.runtime);
      else this.#events.beat();
    }
  }

  #died(): void {
    const error = new EngineError('worker_crashed', `A speech process died: ${this.#reason}`);
    for (const stream of [...this.streams.values()]) stream.fail(error);
    this.#events.died(error);
  }
}
