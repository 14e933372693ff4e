import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { EngineError } from '../port.ts';

/**
 * Ends a text for the pipeline: a full stop for the tagger, a superblank with the number, which comes back unchanged, a
 * NUL.
 */
const tail = (number: number): string => `.[][${number}]\0`;
const TAIL_LEFT = /\.?\[\]\[(\d+)\]\s*$/;
const SPECIAL = /[\\^$/[\]{}<>@]/g;
/** Longest answer accepted, bytes. */
const ANSWER_MAX = 1 << 20;

interface PipelineOptions {
  /** A POSIX shell command. */
  command: string;
  /** Longest wait for one text, milliseconds. */
  timeoutMs: number;
  /** The largest number of waiting texts; one more is refused. */
  queueMax: number;
  /** Called when the process has died or was killed for a wrong or late answer. */
  lost?(reason: string): void;
}

interface Task {
  text: string;
  retried: boolean;
  resolve(translation: string): void;
  reject(error: EngineError): void;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/**
 * The translator process of one pair; translates one text after the other. Starts when first needed. If it crashes or
 * hangs, it starts again and gets the text once more.
 */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #queue: Task[] = [];
  #current: Task | undefined;
  #child: Child | undefined;
  #answer: Buffer[] = [];
  #answerBytes = 0;
  /** Number of the last text sent; the answer must carry it. */
  #number = 0;
  #timer: NodeJS.Timeout | undefined;
  #ended: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  /**
   * @throws EngineError 'overloaded' if too many texts wait, 'worker_crashed' if it failed twice, 'aborted' after close
   */
  translate(text: string): Promise<string> {
    if (this.#closed) return Promise.reject(new EngineError('aborted', 'The translator is shutting down.'));
    if (this.#queue.length >= this.#options.queueMax)
      return Promise.reject(new EngineError('overloaded', 'Too many texts wait for their translation.'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ text, retried: false, resolve, reject });
      this.#next();
    });
  }

  /** Kills the process and rejects all waiting texts. Resolves when the process is gone. */
  async close(): Promise<void> {
    this.#closed = true;
    const error = new EngineError('aborted', 'The translator is shutting down.');
    for (const task of [this.#current, ...this.#queue.splice(0)]) task?.reject(error);
    this.#current = undefined;
    this.#stop();
    await this.#ended;
  }

  #next(): void {
    if (this.#current !== undefined) return;
    const task = this.#queue.shift();
    if (task === undefined) return;
    this.#current = task;
    this.#timer = setTimeout(() => this.#lose('no answer in time'), this.#options.timeoutMs);
    const child = (this.#child ??= this.#start());
    this.#number += 1;
    child.stdin.write(escaped(task.text) + tail(this.#number));
  }

  #start(): Child {
    // `detached` makes a process group, so that a kill reaches every program. Of the environment it gets only PATH.
    const child = spawn('/bin/sh', ['-c', this.#options.command], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
      env: { LC_ALL: 'C.UTF-8', PATH: process.env['PATH'] ?? '' },
    });
    const ended = new Promise<void>((resolve) => {
      child.once('close', () => resolve());
      child.once('error', () => resolve());
    });
    this.#ended = Promise.all([this.#ended, ended]).then(() => undefined);
    const lost = (reason: string): void => {
      if (this.#child === child) this.#lose(reason);
    };
    child.once('error', (error) => lost(error.message));
    child.once('exit', (code, signal) => lost(`ended with ${signal ?? code}`));
    // After a broken pipe, the `exit` event follows.
    child.stdin.on('error', () => {});
    child.stdout.on('data', (data: Buffer) => {
      if (this.#child === child) this.#read(data);
    });
    return child;
  }

  #read(data: Buffer): void {
    const end = data.indexOf(0);
    const part = end === -1 ? data : data.subarray(0, end);
    this.#answer.push(part);
    this.#answerBytes += part.length;
    if (this.#answerBytes > ANSWER_MAX) return this.#lose('an answer without end');
    if (end === -1) return;
    const answer = Buffer.concat(this.#answer).toString('utf8');
    // A wrong number, or bytes behind the NUL, means that answers no longer match their texts.
    if (this.#current === undefined || end + 1 < data.length || Number(TAIL_LEFT.exec(answer)?.[1]) !== this.#number)
      return this.#lose('a wrong answer');
    this.#settle()?.resolve(unescaped(answer));
    this.#next();
  }

  /** Ends the current task, and returns it. */
  #settle(): Task | undefined {
    clearTimeout(this.#timer);
    this.#answer = [];
    this.#answerBytes = 0;
    const task = this.#current;
    this.#current = undefined;
    return task;
  }

  #lose(reason: string): void {
    this.#stop();
    const task = this.#settle();
    if (!this.#closed) this.#options.lost?.(reason);
    if (task?.retried === true) task.reject(new EngineError('worker_crashed', 'The translation failed.'));
    else if (task !== undefined) this.#queue.unshift({ ...task, retried: true });
    this.#next();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    const child = this.#child;
    this.#child = undefined;
    if (child?.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The whole group has ended already.
    }
  }
}

const escaped = (text: string): string => text.replace(SPECIAL, String.raw`\$&`);
const unescaped = (answer: string): string =>
  answer.replace(TAIL_LEFT, '').replace(/\\(.)/g, '$1').replace(/\s+/g, ' ').trim();
