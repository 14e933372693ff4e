import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEmbeddedEngine } from '#server/engine/recognizer/embedded.ts';
import { FileJob } from '#server/engine/recognizer/file-job.ts';
import { PoolWorker, USUAL_LIMITS } from '#server/engine/recognizer/pool-worker.ts';
import type { FromWorker, ToWorker } from '#server/engine/recognizer/protocol.ts';
import type { EngineError, StreamResult } from '#server/engine/port.ts';

const MB = 2 ** 20;
const LOADED = 260;
const LIVE = { sampleRate: 16_000, channels: 1 };

/** A process that does what the test says. */
class FakeProcess extends EventEmitter {
  static all: FakeProcess[] = [];
  pid: number | undefined = FakeProcess.all.push(this);
  readonly heard: ToWorker[] = [];
  connected = true;
  /** What it answers to a beat, megabytes; null: nothing. */
  megabytes: number | null = LOADED;

  send(message: ToWorker): boolean {
    this.heard.push(message);
    if (message.type === 'beat' && this.megabytes !== null)
      this.say({ type: 'beat', residentBytes: this.megabytes * MB });
    return true;
  }

  say(message: FromWorker): void {
    this.emit('message', message);
  }

  load(): void {
    this.say({ type: 'ready', runtime: 'native', residentBytes: LOADED * MB });
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): boolean {
    this.exit(null, signal);
    return true;
  }

  exit(code: number | null, signal: NodeJS.Signals | null = null): void {
    if (!this.connected) return;
    this.connected = false;
    this.emit('exit', code, signal);
  }

  disconnect(): void {
    this.connected = false;
  }

  hears(type: ToWorker['type']): number[] {
    return this.heard.flatMap((message) => (message.type === type && 'id' in message ? [message.id] : []));
  }
}

const PULSE = USUAL_LIMITS.pulse;
/** So many beats. */
const beats = (count: number) => vi.advanceTimersByTime(count * PULSE.everyMs);
const at = (index: number): FakeProcess => {
  const process = FakeProcess.all[index];
  if (process === undefined) throw new Error(`There is no process ${index}.`);
  return process;
};
const running = () => FakeProcess.all.flatMap(({ connected, pid }) => (connected ? (pid ?? []) : []));

function place(maySleep = false) {
  const died: { files: FileJob[]; error: EngineError }[] = [];
  const worker = new PoolWorker(
    { ready: () => undefined, died: (files, error) => died.push({ files, error }), maySleep: () => maySleep },
    { ...USUAL_LIMITS, memoryMb: 450, start: () => new FakeProcess() as never },
  );
  worker.wake();
  let id = 0;
  const open = () => {
    id += 1;
    const results: StreamResult[] = [];
    const errors: EngineError[] = [];
    const stream = worker.openStream(id, LIVE, {
      result: (result) => results.push(result),
      error: (error) => errors.push(error),
    });
    return { id, stream, results, errors };
  };
  const file = () => {
    id += 1;
    const job = new FileJob(id, {});
    worker.take(job);
    return job;
  };
  return { worker, died, open, file };
}

beforeEach(() => {
  FakeProcess.all = [];
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => void vi.useRealTimers());

describe('a recognizer process', () => {
  it('REC-01: that dies fails its streams, hands its recordings back and is followed by another', () => {
    const { worker, died, open, file } = place();
    at(0).load();
    const { errors } = open();
    const job = file();
    at(0).exit(134);
    expect(errors).toMatchObject([
      { code: 'worker_crashed', message: 'A speech process died: it ended with code 134' },
    ]);
    expect(died).toMatchObject([{ files: [job] }]);
    expect(worker).toMatchObject({ ready: false, lost: 1, streams: 0, files: 0 });
    expect(running()).toEqual([2]);
  });

  it('REC-01: is told what it is given while it loads once it has loaded, in order', () => {
    const { open } = place();
    const { id, stream } = open();
    stream.write(new Uint8Array(320));
    stream.end();
    expect(at(0).heard).toEqual([]);
    at(0).load();
    expect(at(0).heard).toMatchObject(['stream.open', 'stream.audio', 'stream.end'].map((type) => ({ type, id })));
  });

  it('REC-02: that no longer answers is ended, and followed by another; a late answer is one', () => {
    const { worker, open } = place();
    at(0).load();
    const { errors } = open();
    at(0).megabytes = null;
    beats(PULSE.owed);
    at(0).say({ type: 'beat', residentBytes: LOADED * MB });
    beats(PULSE.owed);
    expect(errors).toEqual([]);
    beats(1);
    expect(errors).toMatchObject([{ message: 'A speech process died: it no longer answered' }]);
    expect(worker.lost).toBe(1);
    expect(running()).toEqual([2]);
  });

  it('REC-02: has longer to load than to answer, and not for ever', () => {
    place();
    beats(PULSE.owedLoading);
    expect(running()).toEqual([1]);
    beats(1);
    expect(running()).toEqual([2]);
  });

  it('REC-03: that has grown past its share is replaced: the next one loads first, and the former ends with its last stream', () => {
    const { worker, died, open, file } = place();
    at(0).load();
    const first = open();
    const job = file();
    at(0).megabytes = 451;
    beats(1);
    expect(running()).toEqual([1, 2]);
    // As long as the next one loads, the former does all.
    const second = open();
    expect(at(0).hears('stream.open')).toEqual([first.id, second.id]);
    beats(2);
    expect(running()).toEqual([1, 2]);
    at(1).load();
    expect(at(0).hears('close')).toEqual([job.id]);
    expect(at(1).hears('file.open')).toEqual([job.id]);
    const later = open();
    expect(at(1).hears('stream.open')).toEqual([later.id]);
    at(0).say({
      type: 'stream.result',
      id: first.id,
      result: { tokens: [], finalAudioMs: 0, totalAudioMs: 9, finished: true },
    });
    expect(first.results).toHaveLength(1);
    expect(running()).toEqual([1, 2]);
    expect(worker.streams).toBe(2);
    second.stream.abort();
    expect(running()).toEqual([2]);
    expect(worker).toMatchObject({ replaced: 1, lost: 0 });
    expect(died).toEqual([]);
  });

  it('REC-03: that takes twice its share is ended under its streams, which are told so', () => {
    const { open } = place();
    at(0).load();
    const { errors } = open();
    at(0).megabytes = 901;
    beats(1);
    expect(errors).toMatchObject([
      { code: 'worker_crashed', message: 'A speech process died: it took 901 MB of memory' },
    ]);
    expect(running()).toEqual([2]);
  });

  it('REC-03: that needs more than its share from the start is left alone: the next one would need the same', () => {
    const { worker } = place();
    at(0).say({ type: 'ready', runtime: 'native', residentBytes: 1000 * MB });
    at(0).megabytes = 1040;
    beats(3);
    expect(running()).toEqual([1]);
    expect(worker.lost).toBe(0);
  });

  it('REC-03: that loses its successor while that loads stays, and tries again', () => {
    const { worker } = place();
    at(0).load();
    at(0).megabytes = 451;
    beats(1);
    for (let index = 1; index <= 4; index += 1) {
      at(index).exit(1);
      beats(1);
      expect(running()).toEqual([1, index + 2]);
    }
    at(5).say({ type: 'unusable', code: 'model_missing', message: 'The model is gone.' });
    expect(worker).toMatchObject({ usable: true, ready: true });
  });

  it('REC-03: that dies while its successor loads is followed by that one, which has its recordings', () => {
    const { died, file } = place();
    at(0).load();
    const job = file();
    at(0).megabytes = 451;
    beats(1);
    at(0).exit(134);
    expect(died).toMatchObject([{ files: [job] }]);
    expect(running()).toEqual([2]);
  });

  it('REC-04: that is idle sleeps where another is warm, and wakes up for work', () => {
    const { worker, open } = place(true);
    at(0).load();
    const { stream } = open();
    vi.advanceTimersByTime(2 * USUAL_LIMITS.idleMs);
    expect(running()).toEqual([1]);
    stream.abort();
    vi.advanceTimersByTime(USUAL_LIMITS.idleMs);
    expect(running()).toEqual([1]);
    beats(1);
    expect(running()).toEqual([]);
    expect(worker).toMatchObject({ usable: true, ready: false, lost: 0 });
    const { id } = open();
    expect(running()).toEqual([2]);
    at(1).load();
    expect(at(1).hears('stream.open')).toEqual([id]);
  });

  it('REC-04: that is idle and the only warm one is replaced if it has grown, else left alone', () => {
    const { worker } = place();
    at(0).load();
    at(0).megabytes = LOADED + 50;
    vi.advanceTimersByTime(2 * USUAL_LIMITS.idleMs);
    expect(running()).toEqual([1]);
    at(0).megabytes = LOADED + 51;
    beats(1);
    at(1).load();
    expect(running()).toEqual([2]);
    expect(worker.replaced).toBe(1);
  });

  it('REC-05: that dies three times before it has loaded is given up, with the reason', () => {
    const { worker, died } = place();
    for (const index of [0, 1, 2]) at(index).exit(1);
    expect(worker).toMatchObject({ usable: false, broken: { message: 'A speech process died: it ended with code 1' } });
    expect(died).toHaveLength(3);
    expect(running()).toEqual([]);
  });

  it('REC-05: that the system has no room for is one that died', () => {
    const { worker, died } = place();
    for (const index of [0, 1, 2]) {
      at(index).pid = undefined;
      at(index).connected = false;
      at(index).emit('error', new Error('spawn EAGAIN'));
    }
    expect(worker.usable).toBe(false);
    expect(died).toMatchObject(Array(3).fill({ error: { message: 'A speech process died: spawn EAGAIN' } }));
  });

  it('REC-05: without its model is not started again', () => {
    const { worker, died } = place();
    at(0).say({ type: 'unusable', code: 'model_missing', message: 'The model is not installed.' });
    expect(worker).toMatchObject({ usable: false });
    expect(died).toMatchObject([{ error: { code: 'model_missing', message: 'The model is not installed.' } }]);
    expect(running()).toEqual([]);
  });

  it('REC-05: is not followed by another once the engine closes', async () => {
    const { worker } = place();
    at(0).load();
    await worker.close();
    expect(running()).toEqual([]);
    expect(FakeProcess.all).toHaveLength(1);
  });

  it('REC-04 REC-05: of several one starts with the server, the others with work, or in the place of one that cannot', async () => {
    const engine = createEmbeddedEngine({ workers: 3, limits: { start: () => new FakeProcess() as never } });
    expect(running()).toEqual([1]);
    for (const index of [0, 1, 2]) at(index).exit(1);
    expect(running()).toEqual([4]);
    at(3).load();
    await engine.ready();
    engine.openStream(LIVE, { result: () => undefined, error: () => undefined });
    expect(running()).toEqual([4, 5]);
    await engine.close();
  });

  it('REC-05: none of which can start says so', async () => {
    const engine = createEmbeddedEngine({ workers: 2, limits: { start: () => new FakeProcess() as never } });
    for (const index of [0, 1, 2, 3, 4, 5]) at(index).exit(1);
    await expect(engine.ready()).rejects.toMatchObject({ code: 'worker_crashed' });
    expect(running()).toEqual([]);
  });
});
