/** Random clients against the live socket: whatever they send, every session ends, in good form, and leaves nothing behind. */
import { once } from 'node:events';
import * as fc from 'fast-check';
import * as v from 'valibot';
import type WebSocket from 'ws';
import { LiveFrame } from '#contract/live.ts';
import { PCM_FORMATS } from '#server/speech-api/live/pcm-formats.ts';
import { EngineError } from '#server/engine/port.ts';
import type { FakeStream } from '../../fake-engine.ts';
import { connectLive, liveKey, startSpeechServer, type SpeechServer } from '../harness.ts';

/** One thing that a client does, or that happens to its stream. */
type Step =
  | { do: 'start'; config: Record<string, unknown> }
  | { do: 'text'; text: string }
  | { do: 'binary'; size: number }
  | { do: 'fragments'; sizes: number[] }
  | { do: 'flood'; frame: string; times: number }
  | { do: 'ping' }
  | { do: 'await'; what: 'frame' }
  | { do: 'pause' }
  | { do: 'close'; code: number }
  | { do: 'terminate' }
  | { do: 'engine'; what: 'fill' | 'drain' | 'fail' };

interface FuzzOptions {
  /** Groups of clients. */
  runs: number;
  /** Stops earlier, without failing, after so many milliseconds. */
  ms: number;
  seed?: number;
}

const CONFIG = { model: 'parlance-rt-1', audio_format: 's16le', sample_rate: 16_000, num_channels: 1 };
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
  concurrentStreams: 1000,
  organizationStreams: 1000,
  startsPerMinute: 1_000_000,
};

const raw = fc.constantFrom(...PCM_FORMATS);
const format = fc.oneof(
  { weight: 12, arbitrary: raw },
  { weight: 2, arbitrary: raw.map((name) => `pcm_${name}`) },
  { weight: 1, arbitrary: fc.constantFrom('auto', 'wav', 'ogg', 'webm', 'mp3', 'avi', '') },
);
const odd = fc.jsonValue({ maxDepth: 2 });
const config: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      audio_format: format,
      sample_rate: fc.integer({ min: 8000, max: 192_000 }),
      num_channels: fc.integer({ min: 1, max: 8 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        model: odd,
        audio_format: odd,
        sample_rate: odd,
        num_channels: odd,
        language_hints: odd,
        language_hints_strict: odd,
        context: odd,
        enable_endpoint_detection: odd,
        enable_speaker_diarization: odd,
        max_endpoint_delay_ms: odd,
        endpoint_sensitivity: odd,
        endpoint_latency_adjustment_level: odd,
        translation: odd,
        client_reference_id: odd,
        api_key: odd,
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: fc.dictionary(fc.string(), odd) },
);
const control = fc.constantFrom(
  '{"type":"finalize"}',
  '{ "type": "keepalive" }',
  '{"type":"finalize","trailing_silence_ms":100}',
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('binary'), size: fc.constantFrom(0, 1, 2, 3, 641, 3840, 60_000, 300_000) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('text'), text: fc.oneof(control, control, fc.constant('')) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('text'),
      text: fc.oneof(fc.string(), fc.json(), fc.base64String(), fc.string({ unit: 'binary' })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('fragments'),
      sizes: fc.array(fc.nat(2000), { minLength: 1, maxLength: 30 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('flood'), frame: control, times: fc.integer({ min: 1, max: 400 }) }),
  },
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'await', what: 'frame' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Step>(
      { do: 'ping' },
      { do: 'pause' },
      { do: 'terminate' },
      { do: 'binary', size: (1 << 20) + 1 },
    ),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('close'), code: fc.constantFrom(1000, 1001, 3000, 4999) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('engine'), what: fc.constantFrom('fill', 'drain', 'fail') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('start'), config }) },
);
/** Most clients begin as they should. */
const script = fc
  .tuple(fc.option(config, { freq: 8 }), fc.array(step, { maxLength: 20 }))
  .map(([first, steps]): Step[] => (first ? [{ do: 'start', config: first }, ...steps] : steps));

async function take(one: Step, socket: WebSocket, key: string, stream: () => FakeStream | undefined): Promise<void> {
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
    case 'ping':
      return socket.ping('x');
    case 'await':
      // A frame, or the end; one of them comes.
      socket.resume();
      await Promise.race([once(socket, 'message'), once(socket, 'close')]);
      return;
    case 'pause':
      return socket.pause();
    case 'close':
      return socket.close(one.code);
    case 'terminate':
      return socket.terminate();
    case 'engine':
      if (one.what === 'fill') stream()?.fill();
      else if (one.what === 'drain') stream()?.drain();
      else stream()?.fail(new EngineError('worker_crashed', 'x'));
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
    await take(one, client.socket, key, () => server.engine.streams.at(-1));
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
          const { frames, code } = outcome;
          const last = frames.at(-1);
          const end =
            typeof last?.['error_message'] === 'string'
              ? last['error_message']
              : last?.['finished'] === true
                ? 'finished'
                : `closed ${code}`;
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
