import { once } from 'node:events';
import type { BuiltInFormat } from './audio-format.ts';
import type { FromDecoder } from './decode-worker.ts';
import { EngineError } from './port.ts';
import { startWorker } from '../workers.ts';

/** A decoder that says nothing for this long while it is waited for has lost itself in a damaged file. */
const STALL_MS = 30_000;

/** Runs a built-in decoder in a thread. Leaving the loop early ends the thread. @throws EngineError */
export async function* decodeInThread(path: string, format: BuiltInFormat, signal?: AbortSignal): AsyncGenerator<Float32Array> {
  // Decoders complain on the console about every damaged frame; nobody reads that.
  const thread = startWorker('decode-worker', { workerData: { path, format }, stdout: true, stderr: true });
  thread.stdout.resume();
  thread.stderr.resume();
  const inbox: FromDecoder[] = [];
  thread.on('message', (message: FromDecoder) => inbox.push(message));
  thread.on('error', (error) => inbox.push({ type: 'failed', code: 'invalid_audio', message: error instanceof Error ? error.message : String(error) }));
  thread.on('exit', () => inbox.push({ type: 'failed', code: 'invalid_audio', message: 'the decoder stopped' }));
  try {
    for (;;) {
      const message = inbox.shift();
      if (message === undefined) await somethingFrom(thread, signal);
      else if (message.type === 'done') return;
      else if (message.type === 'failed') throw new EngineError(message.code, `The audio cannot be decoded: ${message.message}`);
      else {
        yield message.samples;
        thread.postMessage('taken');
      }
    }
  } finally {
    await thread.terminate();
  }
}

async function somethingFrom(thread: ReturnType<typeof startWorker>, signal: AbortSignal | undefined): Promise<void> {
  const stalled = AbortSignal.timeout(STALL_MS);
  const stop = signal === undefined ? stalled : AbortSignal.any([signal, stalled]);
  const heard = new AbortController();
  try {
    const until = { signal: AbortSignal.any([stop, heard.signal]) };
    await Promise.race([once(thread, 'message', until), once(thread, 'exit', until)]);
  } catch {
    if (signal?.aborted === true) throw new EngineError('aborted', 'The decoding was cancelled.');
    if (stalled.aborted) throw new EngineError('invalid_audio', 'The audio cannot be decoded: the decoder makes no progress.');
    // Else the thread failed, which is in the inbox.
  } finally {
    heard.abort();
  }
}
