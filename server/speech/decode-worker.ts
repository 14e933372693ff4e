/** Decodes one file in a thread of its own, a few pieces ahead of the reader: a damaged file can waste no time but this thread's. */
import { parentPort, workerData } from 'node:worker_threads';
import * as v from 'valibot';
import { BUILT_IN } from './audio-format.ts';
import { decodeFile } from './decode-file.ts';
import { EngineError } from './port.ts';
import type { EngineErrorCode } from './port.ts';

export type FromDecoder =
  | { type: 'piece'; samples: Float32Array }
  | { type: 'done' }
  | { type: 'failed'; code: EngineErrorCode; message: string };

/** Pieces sent and not yet taken by the reader. */
const AHEAD_MAX = 4;

const { path, format } = v.parse(v.object({ path: v.string(), format: v.picklist(BUILT_IN) }), workerData);
const port = parentPort;
if (port === null) throw new Error('decode-worker.ts runs in a worker thread only.');
const send = (message: FromDecoder): void => port.postMessage(message);

let ahead = 0;
let wake = (): void => undefined;
port.on('message', () => {
  ahead -= 1;
  wake();
});

try {
  for await (const samples of decodeFile(path, format)) {
    send({ type: 'piece', samples });
    ahead += 1;
    while (ahead >= AHEAD_MAX) await new Promise<void>((resolve) => { wake = resolve; });
  }
  send({ type: 'done' });
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  send({ type: 'failed', code: error instanceof EngineError ? error.code : 'invalid_audio', message });
}
port.close();
