/** Decodes one recording in a thread of its own, a few pieces ahead of the reader: damaged audio can waste no time but this thread's. */
import { parentPort, workerData } from 'node:worker_threads';
import * as v from 'valibot';
import { BUILT_IN } from './audio-format.ts';
import { decodeMono } from './decode-mono.ts';
import { EngineError } from './port.ts';
import type { EngineErrorCode } from './port.ts';

/** 'more' asks for bytes; the decoder works on what it was given before. */
export type FromDecoder =
  | { type: 'more' }
  | { type: 'piece'; samples: Float32Array }
  | { type: 'done' }
  | { type: 'failed'; code: EngineErrorCode; message: string };

export type ToDecoder =
  | { type: 'bytes'; bytes: Uint8Array }
  | { type: 'end' }
  /** The reader took one piece. */
  | { type: 'taken' };

/** Pieces sent and not yet taken by the reader. */
const AHEAD_MAX = 4;

const { format } = v.parse(v.object({ format: v.picklist(BUILT_IN) }), workerData);
const port = parentPort;
if (port === null) throw new Error('decode-worker.ts runs in a worker thread only.');
const send = (message: FromDecoder): void => port.postMessage(message);

let ahead = 0;
let wake = (): void => undefined;
let give: ((bytes: Uint8Array | null) => void) | undefined;
port.on('message', (message: ToDecoder) => {
  if (message.type === 'taken') {
    ahead -= 1;
    wake();
  } else give?.(message.type === 'bytes' ? message.bytes : null);
});

async function* source(): AsyncGenerator<Uint8Array> {
  for (;;) {
    const bytes = await new Promise<Uint8Array | null>((resolve) => {
      give = resolve;
      send({ type: 'more' });
    });
    if (bytes === null) return;
    yield bytes;
  }
}

try {
  for await (const samples of decodeMono(source(), format)) {
    send({ type: 'piece', samples });
    ahead += 1;
    while (ahead >= AHEAD_MAX) await new Promise<void>((resolve) => { wake = resolve; });
  }
  send({ type: 'done' });
} catch (error) {
  const known = error instanceof EngineError ? error : new EngineError('worker_crashed', `The decoder failed: ${String(error)}`);
  send({ type: 'failed', code: known.code, message: known.message });
}
port.close();
