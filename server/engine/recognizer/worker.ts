/** One recognizer process: loads the model, then serves streams and file jobs for as long as the server is there. */
import { accessSync, constants, writeFileSync } from 'node:fs';
import { loadRuntime } from './ort.ts';
import { EngineError } from '../port.ts';
import type { FromWorker, ToWorker } from './protocol.ts';
import { loadRecognizer } from './recognizer.ts';
import { Scheduler } from './scheduler.ts';
import { loadVad } from './vad.ts';

/** Linux ends the process with the highest mark first when memory is short: this one, and not the server. From -1000 to 1000. */
const OUT_OF_MEMORY = { file: '/proc/self/oom_score_adj', mark: '500' } as const;

// Native code that is at work would mind being taken down in order.
const end = (): void => void process.kill(process.pid, 'SIGKILL');
process.once('disconnect', end);
// The server may have gone while this process was starting.
if (!process.connected) end();
// A terminal and a service manager tell every process; how long this one is needed, the server knows.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
if (isWritable(OUT_OF_MEMORY.file)) writeFileSync(OUT_OF_MEMORY.file, OUT_OF_MEMORY.mark);

function send(message: FromWorker): void {
  if (process.send === undefined) throw new Error('worker.ts runs as a process of the server only.');
  process.send(message, undefined, undefined, (error) => {
    if (error !== null) end();
  });
}

try {
  const runtime = await loadRuntime();
  const scheduler = new Scheduler(await loadRecognizer(runtime), await loadVad(runtime), send);
  process.on('message', (message: ToWorker) => {
    if (message.type === 'beat') send({ type: 'beat', residentBytes: process.memoryUsage.rss() });
    else scheduler.receive(message);
  });
  send({ type: 'ready', runtime: runtime.name, residentBytes: process.memoryUsage.rss() });
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  send({ type: 'unusable', code: error instanceof EngineError ? error.code : 'not_ready', message });
}
