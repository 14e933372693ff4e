/** Random clients against the live socket: whatever they send, every session ends, in good form, and leaves nothing behind. */
import { once } from 'node:events';
import * as fc from 'fast-check';
import * as v from 'valibot';
import type WebSocket from 'ws';
import { LiveConfig, LiveFrame } from '#contract/live.ts';
import { PCM_FORMATS } from '#server/speech-api/live/pcm-formats.ts';
import { EngineError } from '#server/engine/port.ts';
import type { FakeStream } from '../../fake-engine.ts';
import { connectLive, liveKey, startSpeechServer, type SpeechServer } from '../harness.ts';
import { CONFIG } from './live-client.ts';
import { weighted } from './weighted.ts';

/** One thing that a client does, or that happens to its stream. */
type Step =
  | { do: 'start'; config: Record<string, unknown> }
  | { do: 'text'; text: string }
  | { do: 'binary'; size: number }
  | { do: 'fragments'; sizes: number[] }
  | { do: 'flood'; frame: string; times: number }
  | { do: 'close'; code: number }
  | { do: 'ping' | 'await' | 'pause' | 'terminate' | 'fill' | 'drain' | 'fail' };

interface FuzzOptions {
  /** Groups of clients. */
  runs: number;
  /** Stops earlier, without failing, after so many milliseconds. */
  ms: number;
  seed?: number;
}

/** Nobody may outlive the limits below by far. */
const HANG_MS = 30_000;
const LIMITS = {
  startTimeoutMs: 400,
  idleTimeoutMs: 400,
  slowWindowMs: 600,
  decodeTimeoutMs: 1500,
  maxDurationMs: 3000,
  finishTimeoutMs: 1000,
  slowReaderTimeoutMs: 500,
  incomingBytes: 1 << 16,
  outgoingBytes: 1 << 16,
  totalBytes: 8 << 20,
  framesPerSecond: 300,
};

const raw = fc.constantFrom(...PCM_FORMATS);
const format = weighted(
  [12, raw],
  [2, raw.map((name) => `pcm_${name}`)],
  [1, fc.constantFrom('auto', 'wav', 'ogg', 'webm', 'mp3', 'avi', '')],
);
const odd = fc.jsonValue({ maxDepth: 2 });
const FIELDS = [...Object.keys(LiveConfig.entries), 'unknown'];
const config = weighted<Record<string, unknown>>(
  [
    6,
    fc.record({
      audio_format: format,
      sample_rate: fc.integer({ min: 8000, max: 192_000 }),
      num_channels: fc.integer({ min: 1, max: 8 }),
    }),
  ],
  [2, fc.record(Object.fromEntries(FIELDS.map((field) => [field, odd])), { requiredKeys: [] })],
  [1, fc.dictionary(fc.string(), odd)],
);
const control = fc.constantFrom(
  '{"type":"finalize"}',
  '{ "type": "keepalive" }',
  '{"type":"finalize","trailing_silence_ms":100}',
);
const text = weighted(
  [3, fc.oneof(control, control, fc.constant(''))],
  [1, fc.oneof(fc.string(), fc.json(), fc.base64String(), fc.string({ unit: 'binary' }))],
);
const step = weighted<Step>(
  [4, fc.constantFrom(0, 1, 2, 3, 641, 3840, 60_000, 300_000).map((size) => ({ do: 'binary', size }))],
  [4, text.map((frame) => ({ do: 'text', text: frame }))],
  [1, fc.array(fc.nat(2000), { minLength: 1, maxLength: 30 }).map((sizes) => ({ do: 'fragments', sizes }))],
  [1, fc.tuple(control, fc.integer({ min: 1, max: 400 })).map(([frame, times]) => ({ do: 'flood', frame, times }))],
  [2, fc.constant<Step>({ do: 'await' })],
  [1, fc.constantFrom<Step[]>({ do: 'ping' }, { do: 'pause' }, { do: 'terminate' }, { do: 'binary', size: 1_048_577 })],
  [1, fc.constantFrom(1000, 1001, 3000, 4999).map((code) => ({ do: 'close', code }))],
  [1, fc.constantFrom<Step[]>({ do: 'fill' }, { do: 'drain' }, { do: 'fail' })],
  [1, config.map((wanted) => ({ do: 'start', config: wanted }))],
);
/** Most clients begin as they should. */
const script = fc
  .tuple(fc.option(config, { freq: 8 }), fc.array(step, { maxLength: 20 }))
  .map(([first, steps]): Step[] => (first ? [{ do: 'start', config: first }, ...steps] : steps));

async function take(one: Step, socket: WebSocket, key: string, stream: FakeStream | undefined): Promise<void> {
  switch (one.do) {
    case 'start':
      return socket.send(JSON.stringify({ ...CONFIG, api_key: key, ...one.config }));
    case 'text':
      return socket.send(one.text);
    case 'binary':
      return socket.send(Buffer.alloc(one.size, 7));
    case 'fragments':
      return one.sizes.forEach((size, n) =>
        socket.send(Buffer.alloc(size, 1), { fin: n === one.sizes.length - 1, binary: true }),
      );
    case 'flood':
      for (let n = 0; n < one.times; n += 1) socket.send(one.frame);
      return;
    case 'await':
      // A frame, or the end; one of them comes.
      socket.resume();
      await Promise.race([once(socket, 'message'), once(socket, 'close')]);
      return;
    case 'close':
      return socket.close(one.code);
    case 'fill':
    case 'drain':
      return stream?.[one.do]();
    case 'fail':
      return stream?.fail(new EngineError('worker_crashed', 'x'));
    case 'ping':
    case 'pause':
    case 'terminate':
      return socket[one.do]();
  }
}

/** How a client fared. */
interface Outcome {
  frames: Record<string, unknown>[];
  code: number;
  /** It hung up itself. */
  left: boolean;
}

/** One client: does its steps, then waits to be closed. */
async function run(server: SpeechServer, key: string, steps: readonly Step[]): Promise<Outcome> {
  const client = connectLive(server);
  client.socket.on('error', () => {});
  let left = false;
  await client.opened;
  for (const one of steps) {
    if (client.socket.readyState !== client.socket.OPEN) break;
    left ||= one.do === 'close' || one.do === 'terminate';
    await take(one, client.socket, key, server.engine.streams.at(-1));
  }
  client.socket.resume();
  const patience = AbortSignal.timeout(HANG_MS);
  const hang = once(patience, 'abort').then(() => Promise.reject(new Error('The session does not end.')));
  return { code: await Promise.race([client.closed, hang]), frames: client.frames, left };
}

function checkFrames({ frames, code, left }: Outcome): void {
  frames.forEach((frame, n) => {
    const last = n === frames.length - 1;
    v.parse(LiveFrame, frame);
    const error = Object.keys(frame).some((name) => name.startsWith('error'));
    if ((error || frame['finished'] === true) && !last)
      throw new Error(`Frame ${n} should have been the last: ${JSON.stringify(frame)}`);
    if (error && (frame['error_code'] === 500 || typeof frame['request_id'] !== 'string'))
      throw new Error(`Not a good refusal: ${JSON.stringify(frame)}`);
  });
  const final = frames.at(-1);
  const told = final !== undefined && ('error_code' in final || final['finished'] === true);
  // A frame that is too long cannot be answered but by its own code.
  if (!left && !(code === 1000 && told) && code !== 1009)
    throw new Error(`Closed with ${code} after ${JSON.stringify(final)}.`);
}

/** Nothing is left of anybody: no session, no stream of the engine, no row that says 'running'. */
async function checkRest(server: SpeechServer): Promise<void> {
  const deadline = AbortSignal.timeout(HANG_MS);
  for (;;) {
    const open = server.speech.liveSessions();
    const live = server.engine.streams.filter(({ calls }) => !calls.includes('end') && !calls.includes('abort')).length;
    const rows = await server.services.db
      .selectFrom('live_sessions')
      .select('id')
      .where('status', '=', 'running')
      .execute();
    if (open === 0 && live === 0 && rows.length === 0) return;
    if (deadline.aborted) throw new Error(`Left behind: ${open} sessions, ${live} streams, ${rows.length} rows.`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * Lets groups of random clients at a server with a scripted engine; each group runs at once.
 * @returns what happened, by error message or end
 * @throws with the seed and the shortest script that breaks a rule
 */
export async function fuzzLive({
  runs,
  ms,
  seed,
}: FuzzOptions): Promise<{ clients: number; ends: Record<string, number> }> {
  const server = await startSpeechServer({
    engine: { auto: true, info: { maxStreams: Infinity } },
    liveLimits: LIMITS,
    limitDefaults: { concurrent_streams: 1000, requests_per_minute: 1_000_000 },
  });
  const user = await server.createUser();
  const key = await liveKey(server, user, { expires_in_seconds: 3600 });
  const ends: Record<string, number> = {};
  const broken: unknown[] = [];
  const note = (error: unknown): void => void broken.push(error);
  process.on('unhandledRejection', note);
  process.on('uncaughtExceptionMonitor', note);
  let clients = 0;
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(script, { minLength: 1, maxLength: 8 }), async (group) => {
        const done = await Promise.all(group.map((steps) => run(server, key, steps)));
        clients += done.length;
        for (const outcome of done) {
          checkFrames(outcome);
          const { error_message, finished } = outcome.frames.at(-1) ?? {};
          const end =
            typeof error_message === 'string' ? error_message : finished ? 'finished' : `closed ${outcome.code}`;
          ends[end] = (ends[end] ?? 0) + 1;
        }
        await checkRest(server);
        if (broken.length > 0) throw new Error(`Unhandled: ${String(broken[0])}`);
      }),
      {
        numRuns: runs,
        interruptAfterTimeLimit: ms,
        markInterruptAsFailure: false,
        ...(seed !== undefined && { seed }),
      },
    );
  } finally {
    process.off('unhandledRejection', note);
    process.off('uncaughtExceptionMonitor', note);
    await server.close();
  }
  return { clients, ends };
}
