/** One recognizer thread: loads the model, then serves streams and file jobs. */
import { parentPort } from 'node:worker_threads';
import { loadRuntime } from './ort.ts';
import { EngineError } from './port.ts';
import type { FromWorker, ToWorker } from './protocol.ts';
import { loadRecognizer } from './recognizer.ts';
import { Scheduler } from './scheduler.ts';
import { loadVad } from './vad.ts';

const port = parentPort;
if (port === null) throw new Error('worker.ts runs in a worker thread only.');
const send = (message: FromWorker): void => port.postMessage(message);

try {
  const runtime = await loadRuntime();
  const scheduler = new Scheduler(await loadRecognizer(runtime), await loadVad(runtime), send);
  port.on('message', (message: ToWorker) => {
    if (message.type !== 'exit') scheduler.receive(message);
    else if (message.crash) throw new Error('The worker was told to crash.');
    else process.exit();
  });
  send({ type: 'ready', runtime: runtime.name });
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  send({ type: 'unusable', code: error instanceof EngineError ? error.code : 'not_ready', message });
}
