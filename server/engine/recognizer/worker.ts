/** One recognizer thread: loads the model, then serves streams and file jobs. */
import { parentPort, workerData } from 'node:worker_threads';
import * as v from 'valibot';
import { NativeGuard } from './native-guard.ts';
import { loadRuntime } from './ort.ts';
import { EngineError } from '../port.ts';
import type { FromWorker, ToWorker } from './protocol.ts';
import { loadRecognizer } from './recognizer.ts';
import { Scheduler } from './scheduler.ts';
import { loadVad } from './vad.ts';

const port = parentPort;
if (port === null) throw new Error('worker.ts runs in a worker thread only.');
const send = (message: FromWorker): void => port.postMessage(message);

try {
  const { guard } = v.parse(v.object({ guard: v.instance(SharedArrayBuffer) }), workerData);
  const runtime = await loadRuntime(undefined, new NativeGuard(guard));
  const scheduler = new Scheduler(await loadRecognizer(runtime), await loadVad(runtime), send);
  port.on('message', (message: ToWorker) => {
    if (message.type === 'crash') throw new Error('The worker was told to crash.');
    scheduler.receive(message);
  });
  send({ type: 'ready', runtime: runtime.name });
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  send({ type: 'unusable', code: error instanceof EngineError ? error.code : 'not_ready', message });
}
