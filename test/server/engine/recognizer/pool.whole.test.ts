import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createEmbeddedEngine } from '#server/engine/recognizer/embedded.ts';
import type { EngineError, SttStream, StreamResult } from '#server/engine/port.ts';
import { asPartOf } from '#server/platform/telemetry/work.ts';
import type { WorkerPool } from '#server/engine/recognizer/pool.ts';
import { clip, type Clip } from '#test/audio/clips.ts';
import { finalText } from '#test/audio/drive.ts';
import { wordErrorRate } from '#test/audio/wer.ts';
import { keptLog } from '../../log-lines.ts';

// Recognition is heavy: on a machine that does other work too, it may take its time.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 400_000 });

const LIVE = { sampleRate: 16_000, channels: 1 };
const short = clip('short.wav');

interface Listener {
  stream: SttStream;
  results: StreamResult[];
  errors: EngineError[];
  /** Resolves with the last result, rejects with the error. */
  finished: Promise<StreamResult>;
}

function listen(engine: WorkerPool, options = LIVE): Listener {
  const results: StreamResult[] = [];
  const errors: EngineError[] = [];
  let resolve: (result: StreamResult) => void = () => undefined;
  let reject: (error: EngineError) => void = () => undefined;
  const finished = new Promise<StreamResult>((onResult, onError) => {
    [resolve, reject] = [onResult, onError];
  });
  finished.catch(() => undefined);
  const stream = engine.openStream(options, {
    result: (result) => {
      results.push(result);
      if (result.finished) resolve(result);
    },
    error: (error) => {
      errors.push(error);
      reject(error);
    },
  });
  return { stream, results, errors, finished };
}

/** Sends a recording as fast as the stream takes it. */
async function send(stream: SttStream, pcm: Uint8Array, pieceBytes = 3840): Promise<void> {
  for (let at = 0; at < pcm.length; at += pieceBytes)
    if (!stream.write(pcm.subarray(at, at + pieceBytes))) await stream.drained();
}

/** Sends a recording to its end. @returns its words */
async function heard({ stream, results, finished }: Listener, { pcm }: Clip): Promise<string> {
  await send(stream, pcm);
  stream.end();
  await finished;
  return finalText(results);
}

async function* repeat(
  samples: Float32Array,
  times: number,
  onPiece: (sent: number) => void = () => undefined,
): AsyncGenerator<Float32Array> {
  let sent = 0;
  for (let turn = 0; turn < times; turn += 1) {
    for (let at = 0; at < samples.length; at += 8000) {
      const piece = samples.slice(at, at + 8000);
      sent += piece.length;
      onPiece(sent);
      yield await Promise.resolve(piece);
    }
  }
}

/** Kills a process of the engine. Resolves when the engine knows. */
async function kill(engine: WorkerPool, pid = engine.pids[0] ?? 0, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  process.kill(pid, signal);
  await expect.poll(() => engine.pids, { timeout: 60_000 }).not.toContain(pid);
}

const { log, lines } = keptLog();
let engine: WorkerPool;

beforeAll(async () => {
  engine = createEmbeddedEngine({ workers: 1, logger: log });
  await engine.ready();
});

afterAll(() => engine.close());

describe('live streams', () => {
  it('are admitted up to the limit and refused beyond it, until one closes', () => {
    const { maxStreams, runtime, workers } = engine.info();
    expect(maxStreams).toBe(workers * (runtime === 'native' ? 4 : 2));
    const open = Array.from({ length: maxStreams }, () => listen(engine));
    expect(() => listen(engine)).toThrow(expect.objectContaining({ code: 'overloaded' }));
    open[0]?.stream.abort();
    open[0]?.stream.abort();
    const another = listen(engine);
    expect(() => listen(engine)).toThrow(expect.objectContaining({ code: 'overloaded' }));
    for (const { stream } of [...open, another]) stream.abort();
    expect(another.results).toEqual([]);
  });

  it('ask a fast sender to pause, and hold little', async () => {
    const { stream, finished } = listen(engine);
    const second = new Uint8Array(32_000);
    expect(stream.write(second)).toBe(true);
    expect(stream.write(second)).toBe(true);
    expect(stream.write(second)).toBe(false);
    await stream.drained();
    expect(stream.write(second)).toBe(true);
    stream.end();
    expect((await finished).totalAudioMs).toBe(4000);
  });

  it('wake who waits for room when they are aborted', async () => {
    const { stream } = listen(engine);
    while (stream.write(new Uint8Array(32_000)));
    const drained = stream.drained();
    stream.abort();
    await expect(drained).resolves.toBeUndefined();
  });

  it('do not wait for a process that loads while another has room', async () => {
    const two = createEmbeddedEngine({ workers: 2 });
    await two.ready();
    const first = listen(two);
    const [, loading] = two.pids;
    process.kill(loading ?? 0, 'SIGSTOP');
    const second = listen(two);
    second.stream.end();
    await second.finished;
    first.stream.abort();
    process.kill(loading ?? 0, 'SIGCONT');
    await two.close();
  });

  it('do not mix with each other', async () => {
    const other = clip('two-sentences.wav');
    const [one, two] = await Promise.all([heard(listen(engine), short), heard(listen(engine), other)]);
    expect(wordErrorRate(short.text, one)).toBe(0);
    expect(wordErrorRate(other.text, two)).toBeLessThanOrEqual(0.05);
  });

  it('REC-01 end with one error when their process dies, and the next ones find a new one', async () => {
    const lost = listen(engine);
    lost.stream.write(short.pcm);
    await kill(engine);
    await expect(lost.finished).rejects.toMatchObject({ code: 'worker_crashed' });
    lost.stream.end();
    lost.stream.abort();
    expect(lost.errors).toHaveLength(1);

    expect(wordErrorRate(short.text, await heard(listen(engine), short))).toBe(0);
  });
});

describe('recordings', () => {
  it('are transcribed, with progress, and never read far ahead', async () => {
    const long = clip('two-sentences.wav');
    let settledMs = 0;
    let ahead = 0;
    const progress: number[] = [];
    const { tokens, durationMs } = await engine.transcribe(
      repeat(long.samples, 9, (sent) => {
        ahead = Math.max(ahead, sent / 16 - settledMs);
      }),
      {
        onProgress: (ms) => {
          settledMs = ms;
          progress.push(ms);
        },
      },
    );
    expect(durationMs).toBe(Math.round(long.seconds * 9000));
    expect(
      wordErrorRate(Array.from({ length: 9 }, () => long.text).join(' '), tokens.map(({ text }) => text).join('')),
    ).toBeLessThanOrEqual(0.03);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.length).toBeGreaterThan(5);
    expect(ahead).toBeGreaterThan(20_000);
    expect(ahead).toBeLessThanOrEqual(62_000);
  });

  it('OPS-64 REC-01 go on with another process when theirs dies, from where it was, and the log says of which request', async () => {
    const requestId = randomUUID();
    const { samples, text, seconds } = clip('meeting-notes.wav');
    let killed: Promise<void> | undefined;
    const { tokens, durationMs } = await asPartOf({ requestId }, () =>
      engine.transcribe(repeat(samples, 2), {
        onProgress: (ms) => {
          if (ms > seconds * 700) killed ??= kill(engine);
        },
      }),
    );
    await killed;
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'a recording goes on with another speech process', request_id: requestId }),
    );
    expect(killed).toBeDefined();
    expect(durationMs).toBe(Math.round(seconds * 2000));
    expect(wordErrorRate(`${text} ${text}`, tokens.map((token) => token.text).join(''))).toBeLessThanOrEqual(0.03);
    let last = 0;
    for (const { start_ms: start = -1, end_ms: end = -1 } of tokens) {
      expect(start).toBeGreaterThanOrEqual(last);
      last = end;
    }
    expect(last).toBeGreaterThan(seconds * 1900);
  });

  it('REC-01 go on however often their process dies, as long as they come forward between', async () => {
    const { samples, text } = clip('two-sentences.wav');
    const kills: Promise<void>[] = [];
    const marks = [5000, 15_000, 25_000];
    const { tokens } = await engine.transcribe(repeat(samples, 4), {
      onProgress: (ms) => {
        if (ms >= (marks[kills.length] ?? Infinity)) kills.push(kill(engine));
      },
    });
    await Promise.all(kills);
    expect(kills).toHaveLength(3);
    expect(
      wordErrorRate(Array.from({ length: 4 }, () => text).join(' '), tokens.map((token) => token.text).join('')),
    ).toBeLessThanOrEqual(0.03);
  });

  it('REC-01 fail when a second process dies over the same words', async () => {
    let armed = false;
    const other: WorkerPool = createEmbeddedEngine({
      workers: 1,
      // As soon as it can work: before it has recognized anything.
      onProgress: ({ ready }) => {
        if (armed && ready > 0) for (const pid of other.pids) process.kill(pid, 'SIGKILL');
      },
    });
    await other.ready();
    armed = true;
    const failing = other.transcribe(repeat(clip('two-sentences.wav').samples, 4));
    const [, outcome] = await Promise.all([kill(other), failing.catch((error: unknown) => error)]);
    expect(outcome).toMatchObject({ code: 'worker_crashed' });
    armed = false;
    await expect(other.transcribe(repeat(short.samples, 1))).resolves.toMatchObject({ tokens: expect.anything() });
    await other.close();
  });

  it('stop when they are cancelled, and let go of their source', async () => {
    const abort = new AbortController();
    let closed = false;
    async function* endless(): AsyncGenerator<Float32Array> {
      try {
        for (;;) yield await Promise.resolve(new Float32Array(16_000));
      } finally {
        closed = true;
      }
    }
    await expect(
      engine.transcribe(endless(), {
        signal: abort.signal,
        onProgress: (ms) => {
          if (ms > 3000) abort.abort();
        },
      }),
    ).rejects.toMatchObject({ code: 'aborted' });
    await expect.poll(() => closed).toBe(true);
    await expect(engine.transcribe(endless(), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'aborted',
    });
  });

  it('fail with the error of their source', async () => {
    async function* broken(): AsyncGenerator<Float32Array> {
      yield await Promise.resolve(short.samples);
      throw new Error('no more');
    }
    await expect(engine.transcribe(broken())).rejects.toThrow('no more');
  });

  it('of nothing give nothing', async () => {
    await expect(engine.transcribe(repeat(new Float32Array(0), 0))).resolves.toEqual({ tokens: [], durationMs: 0 });
  });

  it('leave the worker to live streams', async () => {
    const abort = new AbortController();
    const file = engine.transcribe(repeat(clip('meeting-notes.wav').samples, 20), { signal: abort.signal });
    const live = await heard(listen(engine), short);
    abort.abort();
    await expect(file).rejects.toMatchObject({ code: 'aborted' });
    expect(wordErrorRate(short.text, live)).toBe(0);
  });
});

describe('a process', () => {
  const isThere = (pid: number): boolean => existsSync(`/proc/${pid}`);

  it('REC-02: that hangs is ended, and another takes its place', async () => {
    const other = createEmbeddedEngine({
      workers: 1,
      limits: { pulse: { everyMs: 100, owed: 20, owedLoading: 2400 } },
    });
    await other.ready();
    const [pid = 0] = other.pids;
    const { errors } = listen(other);
    await kill(other, pid, 'SIGSTOP');
    expect(isThere(pid)).toBe(false);
    expect(errors).toMatchObject([{ code: 'worker_crashed' }]);
    await other.close();
  });

  it('REC-06: is given no setting of the server, and goes on where a terminal tells all processes to end', async () => {
    const [pid = 0] = engine.pids;
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .filter(Boolean)
      .map((entry) => entry.split('=')[0]);
    expect(names).toContain('PATH');
    expect(
      names.filter((name) => !/^(PATH|LD_LIBRARY_PATH|TMPDIR|PARLANCE_RUNTIME|NODE_CHANNEL_.*)$/.test(name ?? '')),
    ).toEqual([]);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
    await heard(listen(engine), short);
    expect(engine.pids).toEqual([pid]);
  });

  it('REC-06: ends with its server, however that ends', async () => {
    const script = `
      import { createEmbeddedEngine } from '#server/engine/recognizer/embedded.ts';
      const engine = createEmbeddedEngine({ workers: 2 });
      await engine.ready();
      // With work for one, all of them load.
      engine.openStream({ sampleRate: 16000, channels: 1 }, { result: () => undefined, error: () => undefined });
      console.log(engine.pids.join(' '));`;
    const server = spawn(process.execPath, ['--import', 'tsx/esm', '--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(server.stdout, 'data')) as [Buffer];
    const pids = line.toString().trim().split(' ').map(Number);
    expect(pids.filter(isThere)).toHaveLength(2);
    server.kill('SIGKILL');
    await expect.poll(() => pids.filter(isThere), { timeout: 60_000 }).toEqual([]);
  });
});

describe('the engine', () => {
  it('tells its state, and closes with an error for who is still there', async () => {
    const states: number[] = [];
    const other = createEmbeddedEngine({ workers: 1, onProgress: ({ ready }) => states.push(ready) });
    expect(other.info()).toMatchObject({ workers: 1, languages: ['en'], ready: false });
    await other.ready();
    expect(other.info().ready).toBe(true);
    expect(states).toEqual([1]);
    const stream = listen(other);
    const file = other.transcribe(repeat(short.samples, 100));
    const [, outcome] = await Promise.all([other.close(), file.catch((error: unknown) => error)]);
    expect(outcome).toMatchObject({ code: 'aborted' });
    await expect(stream.finished).rejects.toMatchObject({ code: 'aborted' });
    expect(() => listen(other)).toThrow(expect.objectContaining({ code: 'not_ready' }));
    await expect(other.transcribe(repeat(short.samples, 1))).rejects.toMatchObject({ code: 'not_ready' });
    await other.close();
  });
});
