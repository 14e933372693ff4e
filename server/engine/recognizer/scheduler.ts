import { setImmediate } from 'node:timers/promises';
import { FileTranscriber } from './file-transcriber.ts';
import type { FromWorker, ToWorker } from './protocol.ts';
import type { Recognizer } from './recognizer.ts';
import { LiveTranscriber } from './stream.ts';
import type { Vad } from './vad.ts';

interface LiveJob {
  id: number;
  transcriber: LiveTranscriber;
  /** Turn in which it was last served. */
  served: number;
  /** From a finalize on: runs out once no audio has come for a while. */
  quiet: NodeJS.Timeout | null;
  /** How long that is, in ms. */
  quietMs: number;
}

interface FileJob {
  id: number;
  transcriber: FileTranscriber;
  audio: Float32Array[];
  ended: boolean;
  served: number;
}

/**
 * Shares one process among streams and files, in this order: take in all audio; make utterances final; decode the
 * stream that waited longest; serve a file if no stream is due. A late stream is decoded once, however many intervals
 * have passed, so overload only makes results rarer. While a file is decoded, streams go first between any two decoder
 * steps.
 */
export class Scheduler {
  readonly #recognizer: Recognizer;
  readonly #vad: Vad;
  readonly #send: (message: FromWorker) => void;
  readonly #streams = new Map<number, LiveJob>();
  readonly #files = new Map<number, FileJob>();
  #turn = 0;
  #running = false;
  /** Whether a message has come since the loop last began to look for work. */
  #received = false;

  constructor(recognizer: Recognizer, vad: Vad, send: (message: FromWorker) => void) {
    this.#recognizer = recognizer;
    this.#vad = vad;
    this.#send = send;
  }

  receive(message: Exclude<ToWorker, { type: 'beat' }>): void {
    const { id } = message;
    const job = this.#streams.get(id);
    switch (message.type) {
      case 'stream.open':
        this.#streams.set(id, {
          id,
          served: 0,
          quiet: null,
          quietMs: 0,
          transcriber: new LiveTranscriber(this.#recognizer, this.#vad.detector(), message.options),
        });
        break;
      case 'stream.audio':
        job?.transcriber.push({ type: 'audio', pcm: message.pcm });
        if (job?.quiet) this.#awaitQuiet(job);
        break;
      case 'stream.finalize':
        job?.transcriber.push({ type: 'finalize', trailingSilenceMs: message.trailingSilenceMs });
        if (!job) break;
        job.quietMs = message.quietMs;
        this.#awaitQuiet(job);
        break;
      case 'stream.end':
        job?.transcriber.push({ type: 'end' });
        break;
      case 'file.open':
        this.#files.set(id, {
          id,
          served: 0,
          audio: [],
          ended: false,
          transcriber: new FileTranscriber(this.#recognizer, this.#vad.detector(), message.options),
        });
        break;
      case 'file.audio':
        this.#files.get(id)?.audio.push(message.samples);
        break;
      case 'file.end': {
        const file = this.#files.get(id);
        if (file !== undefined) file.ended = true;
        break;
      }
      case 'close':
        this.#streams.delete(id);
        this.#files.delete(id);
        break;
    }
    void this.#run();
  }

  #awaitQuiet(job: LiveJob): void {
    clearTimeout(job.quiet ?? undefined);
    const timer = setTimeout(() => void this.#tellQuiet(job, timer), job.quietMs);
    job.quiet = timer;
  }

  async #tellQuiet(job: LiveJob, timer: NodeJS.Timeout): Promise<void> {
    // If the process was busy, audio has come without being read.
    await setImmediate();
    if (job.quiet !== timer || this.#streams.get(job.id) !== job) return;
    // The recognizer is behind: the server sends no more until this audio is taken in.
    if (job.transcriber.waiting) return this.#awaitQuiet(job);
    job.quiet = null;
    job.transcriber.push({ type: 'quiet' });
    void this.#run();
  }

  async #run(): Promise<void> {
    this.#received = true;
    if (this.#running) return;
    this.#running = true;
    // A message may come after its stream was looked at for the last time: nothing may have come since the last look of
    // all.
    while (this.#received) {
      this.#received = false;
      // Let the event loop run between two turns, so that messages get in.
      while ((await this.#serveStreams()) || (await this.#serveFiles())) await setImmediate();
    }
    this.#running = false;
  }

  /** Takes in all audio, and runs one stream that is due. @returns false if there was nothing to do */
  async #serveStreams(): Promise<boolean> {
    let busy = false;
    for (const job of this.#streams.values()) busy = (await this.#attempt(job, () => this.#takeIn(job))) || busy;
    const due = [...this.#streams.values()].filter(({ transcriber }) => transcriber.due !== null);
    const [next] = due.sort(
      (a, b) => Number(b.transcriber.due === 'close') - Number(a.transcriber.due === 'close') || a.served - b.served,
    );
    if (next === undefined) return busy;
    await this.#attempt(next, async () => {
      this.#turn += 1;
      next.served = this.#turn;
      const result = await next.transcriber.run();
      if (result === null || this.#streams.get(next.id) !== next) return;
      if (result.finished) this.#streams.delete(next.id);
      this.#send({ type: 'stream.result', id: next.id, result });
    });
    return true;
  }

  async #takeIn(job: LiveJob): Promise<boolean> {
    let bytes = 0;
    let busy = false;
    while (job.transcriber.hungry) {
      bytes += await job.transcriber.ingest();
      busy = true;
    }
    if (bytes > 0) this.#send({ type: 'stream.consumed', id: job.id, bytes });
    // Now the server may send what it has held back.
    if (bytes > 0 && job.quiet) this.#awaitQuiet(job);
    return busy;
  }

  async #serveFiles(): Promise<boolean> {
    const ready = [...this.#files.values()].filter(
      ({ audio, ended, transcriber }) => audio.length > 0 || ended || transcriber.waiting > 0,
    );
    const [next] = ready.sort((a, b) => a.served - b.served);
    if (next === undefined) return false;
    this.#turn += 1;
    next.served = this.#turn;
    await this.#attempt(next, () => this.#advance(next));
    return true;
  }

  async #advance(file: FileJob): Promise<void> {
    const { id, transcriber } = file;
    if (transcriber.waiting === 0) {
      const samples = file.audio.shift();
      if (samples !== undefined) await transcriber.append(samples);
      else transcriber.end();
    }
    const last = file.ended && file.audio.length === 0;
    const step = await transcriber.step(async () => {
      do await setImmediate();
      while (await this.#serveStreams());
      if (this.#files.get(id) !== file) throw new Error('The file was closed.');
    });
    if (this.#files.get(id) !== file) return;
    this.#send({ type: 'file.step', id, ...step });
    if (!last || transcriber.waiting > 0 || !transcriber.ended) return;
    this.#files.delete(id);
    this.#send({ type: 'file.done', id });
  }

  /** Runs a job's work. A failure ends only this job, and is not reported if the job was closed meanwhile. */
  async #attempt<T>(job: LiveJob | FileJob, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const known = [this.#streams.delete(job.id), this.#files.delete(job.id)];
      if (known.includes(true))
        this.#send({ type: 'failed', id: job.id, message: error instanceof Error ? error.message : String(error) });
      return undefined;
    }
  }
}
