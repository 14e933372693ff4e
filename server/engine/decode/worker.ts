/**
 * The decoder thread: decodes recordings one after the other, a few pieces ahead of the reader. Damaged audio can block
 * this thread, but not the server.
 */
import { MessageChannel, parentPort, type MessagePort } from 'node:worker_threads';
import type { BuiltInFormat } from './audio-format.ts';
import type { ThroughFfmpeg } from './codec.ts';
import { decodeMono } from './mono.ts';
import { Notes } from './notes.ts';
import { sendOnRequest, requestPieces } from './over-port.ts';
import { EngineError } from '../port.ts';
import type { EngineErrorCode, RecordingNote } from '../port.ts';

export type FromDecoder =
  /** Asks for the next bytes. */
  | { type: 'more' }
  /** Asks for an ffmpeg that reads from the port `input` and whose output is served on the port `output`. */
  | { type: 'ffmpeg'; input: MessagePort; output: MessagePort }
  | { type: 'piece'; samples: Float32Array }
  | { type: 'done'; notes: readonly RecordingNote[] }
  | { type: 'failed'; code: EngineErrorCode; message: string; cause?: unknown };

export type ToDecoder =
  /** A recording begins, after the last one has ended. */
  | { type: 'start'; format: BuiltInFormat; isLive: boolean; hasFfmpeg: boolean }
  | { type: 'bytes'; bytes: Uint8Array }
  | { type: 'end' }
  /** The reader took one piece. */
  | { type: 'taken' };

/** The largest number of pieces that are sent and not yet taken by the reader. */
const AHEAD_MAX = 4;
/** Sends decoded frames together, up to half a second (at 16 kHz); fewer once the bytes at hand are decoded. */
const PIECE_SAMPLES = 8000;

const port = parentPort;
if (port === null) throw new Error('decode-worker.ts runs in a worker thread only.');
// Decoders log every damaged frame; nobody reads these logs, and they must not pile up.
for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) console[method] = () => undefined;
const send = (message: FromDecoder): void => port.postMessage(message);

let ahead = 0;
let waiting: Float32Array[] = [];
let waitingSamples = 0;
let wake = (): void => undefined;
let give: ((bytes: Uint8Array | null) => void) | undefined;
port.on('message', (message: ToDecoder) => {
  if (message.type === 'start') void decode(message);
  else if (message.type === 'taken') {
    ahead -= 1;
    wake();
  } else give?.(message.type === 'bytes' ? message.bytes : null);
});

function sendWaiting(): void {
  if (waitingSamples === 0) return;
  const samples = new Float32Array(waitingSamples);
  let at = 0;
  for (const piece of waiting) {
    samples.set(piece, at);
    at += piece.length;
  }
  waiting = [];
  waitingSamples = 0;
  port?.postMessage({ type: 'piece', samples } satisfies FromDecoder, [samples.buffer]);
  ahead += 1;
}

async function* source(): AsyncGenerator<Uint8Array> {
  for (;;) {
    sendWaiting();
    const bytes = await new Promise<Uint8Array | null>((resolve) => {
      give = resolve;
      send({ type: 'more' });
    });
    if (bytes === null) return;
    yield bytes;
  }
}

/** The main thread runs the process: nobody would wait for a process that this thread leaves behind. */
const throughFfmpeg: ThroughFfmpeg = (aac) => {
  const [input, output] = [new MessageChannel(), new MessageChannel()];
  void sendOnRequest(input.port1, aac);
  port.postMessage({ type: 'ffmpeg', input: input.port2, output: output.port2 } satisfies FromDecoder, [
    input.port2,
    output.port2,
  ]);
  return requestPieces(output.port1, sendWaiting);
};

async function decode({ format, isLive, hasFfmpeg }: ToDecoder & { type: 'start' }): Promise<void> {
  ahead = 0;
  const notes = new Notes();
  try {
    for await (const samples of decodeMono(source(), format, notes, isLive, hasFfmpeg ? throughFfmpeg : undefined)) {
      waiting.push(samples);
      waitingSamples += samples.length;
      if (waitingSamples >= PIECE_SAMPLES) sendWaiting();
      while (ahead >= AHEAD_MAX)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    sendWaiting();
    send({ type: 'done', notes: notes.list() });
  } catch (error) {
    sendWaiting();
    const known =
      error instanceof EngineError ? error : new EngineError('worker_crashed', 'The decoder failed.', { cause: error });
    send({ type: 'failed', code: known.code, message: known.message, cause: String(known.cause) });
  }
}
