import { expect } from 'vitest';
import type { OpenDecoder } from '#server/speech-api/live/audio-path.ts';
import { LIVE_LIMITS, type LiveLimits } from '#server/speech-api/live/limits.ts';
import type { Admission, SessionSummary } from '#server/speech-api/live/ports.ts';
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

export interface SessionOptions {
  engine?: FakeEngineScript;
  limits?: Partial<LiveLimits>;
  /** What the models translate between. */
  translations?: { from: string; to: string }[];
  /** Who has the key; anybody by default. */
  authenticate?: () => Promise<void>;
  /** On the way to a place for the stream, which is opened at once by default. */
  admit?: (open: () => void) => Promise<void> | void;
  /** What is told to the session of its place. */
  admission?: Partial<Admission>;
  /** Opens the decoder of a container; the real one by default. */
  openDecoder?: OpenDecoder;
}

/** Lets all go on that waits for nothing but its turn. */
export const turn = (): Promise<void> => new Promise(setImmediate);

/** A session on a made-up connection, clock and engine; everything it does is written down. */
export const session = ({ limits, translations = [], admission, ...options }: SessionOptions = {}) => {
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
    close: (code: number) => void connection.closed.push(code),
    pause: () => void (connection.paused = true),
    resume: () => void (connection.paused = false),
    pendingBytes: () => connection.pending,
    /** The client reads all that waits. */
    read() {
      this.pending = 0;
      for (const flushed of this.flushed.splice(0)) flushed();
    },
  };
  const engine = createFakeEngine(options.engine);
  const released: SessionSummary[] = [];
  const ended: SessionSummary[] = [];
  const live = new LiveSession({
    connection,
    gate: {
      authenticate: async () => {
        await options.authenticate?.();
        return {
          admit: async (_request, open) => {
            await (options.admit ?? ((run) => run()))(open);
            return {
              maxDurationMs: null,
              costOf: () => null,
              reservedMs: Infinity,
              extend: (ms) => Promise.resolve(ms),
              isKeepable: false,
              release: (summary) => void released.push(summary),
              ...admission,
            };
          },
        };
      },
    },
    engine,
    openDecoder: options.openDecoder ?? openStreamDecoder,
    moreInfo: (type) => `https://errors.test/${type}`,
    models: createCatalogue(['en'], { translations }),
    clock,
    limits: { ...LIVE_LIMITS, ...limits },
    requestId: 'r-1',
    ended: (summary) => void ended.push(summary),
  });
  const refusal = async (): Promise<string> => {
    await turn();
    await eventually(() => expect(connection.closed).toEqual([1000]));
    const { error_code, error_type, reason, error_message, ...others } = frames.at(-1) ?? {};
    expect({ ...others, limit: undefined }).toEqual({
      tokens: [],
      request_id: 'r-1',
      more_info: `https://errors.test/${String(error_type)}`,
    });
    const about = typeof reason === 'string' ? ` ${reason}` : '';
    return `${String(error_code)} ${String(error_type)}${about}: ${String(error_message)}`;
  };
  return {
    clock,
    frames,
    connection,
    engine,
    released,
    ended,
    live,
    /** Sends a start request; a text is sent as it is. */
    begin: (request: object | string = {}): void =>
      live.text(typeof request === 'string' ? request : JSON.stringify({ ...START, ...request })),
    /** A session whose stream is open. */
    async start(request: object = {}): Promise<FakeStream> {
      this.begin(request);
      await turn();
      expect([engine.streams.length, frames]).toEqual([1, []]);
      return engine.streams[0]!;
    },
    /** The refusal that it ends with, in one text; the frame has all that each of them has. */
    refusal,
    /** The same, after so many milliseconds and not before. */
    async refusalAfter(ms: number): Promise<string> {
      const before = frames.length;
      clock.advance(ms - 1);
      expect(frames).toHaveLength(before);
      clock.advance(1);
      return refusal();
    },
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
