/** One recognizer process: loads the model, then serves streams and file jobs until the server ends. */
import { accessSync, constants, writeFileSync } from 'node:fs';
import { loadRuntime } from './ort.ts';
import { EngineError } from '../port.ts';
import type { FromWorker, ToWorker } from './protocol.ts';
import { loadRecognizer } from './recognizer.ts';
import { Scheduler } from './scheduler.ts';
import { loadVad } from './vad.ts';

/**
 * When memory is short, Linux kills the process with the highest score (-1000 to 1000) first: this one, not the server.
 */
const OUT_OF_MEMORY = { file: '/proc/self/oom_score_adj', score: '500' } as const;

// An orderly exit can crash in native code that is still running.
const end = (): void => void process.kill(process.pid, 'SIGKILL');
process.once('disconnect', end);
// The server may have gone while this process was starting.
if (!process.connected) end();
// A terminal or service manager signals every process, but the server decides when this one ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
if (isWritable(OUT_OF_MEMORY.file)) writeFileSync(OUT_OF_MEMORY.file, OUT_OF_MEMORY.score);

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
  const { name, insteadBecause } = runtime;
  send({ type: 'ready', runtime: name, insteadBecause, residentBytes: process.memoryUsage.rss() });
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  send({ type: 'unusable', code: error instanceof EngineError ? error.code : 'not_ready', message });
}
