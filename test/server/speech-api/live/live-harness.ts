import { expect } from 'vitest';
import { LIVE_LIMITS, type LiveLimits } from '#server/speech-api/live/limits.ts';
import type { OpenDecoder } from '#server/speech-api/live/audio-path.ts';
import type { Gate, SessionSummary } from '#server/speech-api/live/ports.ts';
import { LiveSession } from '#server/speech-api/live/session.ts';
import { openStreamDecoder } from '#server/engine/decode/stream.ts';
import { createCatalogue } from '#server/speech-api/models/catalogue.ts';
import { createFakeEngine, type FakeEngineScript, type FakeStream } from '../../fake-engine.ts';
import { eventually } from '../../eventually.ts';
import { createFakeClock } from '../../fake-clock.ts';

/** A start request that is served. */
export const START = {
  api_key: 'k',
  model: 'parlance-rt-1',
  audio_format: 's16le',
  sample_rate: 16_000,
  num_channels: 1,
};

interface Options {
  engine?: FakeEngineScript;
  limits?: Partial<LiveLimits>;
  gate?: Gate;
  keyMaxMs?: number;
  openDecoder?: OpenDecoder;
}

/** A session on a made-up connection, clock and engine; everything it does is written down. */
export const session = (options: Options = {}) => {
  const clock = createFakeClock();
  const frames: Record<string, unknown>[] = [];
  const connection = {
    closed: [] as number[],
    paused: false,
    pending: 0,
    flushed: [] as (() => void)[],
    send(frame: string, flushed: () => void) {
      expect(this.closed).toEqual([]);
      frames.push(JSON.parse(frame));
      this.flushed.push(flushed);
    },
    close(code: number) {
      this.closed.push(code);
    },
    pause() {
      this.paused = true;
    },
    resume() {
      this.paused = false;
    },
    pendingBytes() {
      return this.pending;
    },
    /** The client reads all that waits. */
    read() {
      this.pending = 0;
      for (const flushed of this.flushed.splice(0)) flushed();
    },
  };
  const engine = createFakeEngine(options.engine);
  const released: SessionSummary[] = [];
  const ended: SessionSummary[] = [];
  const gate: Gate = options.gate ?? {
    authenticate: () =>
      Promise.resolve({
        admit: async (_request, open) => {
          open();
          return {
            maxDurationMs: options.keyMaxMs ?? null,
            costOf: () => null,
            isKeepable: false,
            release: (summary) => void released.push(summary),
          };
        },
      }),
  };
  const live = new LiveSession({
    connection,
    gate,
    engine,
    openDecoder: options.openDecoder ?? openStreamDecoder,
    moreInfo: (type) => `https://errors.test/${type}`,
    models: createCatalogue(['en']),
    clock,
    limits: { ...LIVE_LIMITS, ...options.limits },
    requestId: 'r-1',
    ended: (summary) => void ended.push(summary),
  });
  return {
    clock,
    frames,
    connection,
    engine,
    released,
    ended,
    live,
    async start(extra: object = {}): Promise<FakeStream> {
      live.text(JSON.stringify({ ...START, ...extra }));
      await eventually(() => expect(engine.streams.length + frames.length).toBeGreaterThan(0));
      return engine.streams[0]!;
    },
    failure: () =>
      eventually(() => {
        const last = frames.at(-1);
        expect(last).toHaveProperty('error_code');
        expect(connection.closed).toEqual([1000]);
        return last!;
      }),
  };
};

/** A promise that a test settles. */
export const deferred = (): { promise: Promise<void>; resolve: () => void } => {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
};
