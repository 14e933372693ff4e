import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { WorkerOptions } from 'node:worker_threads';

/** Source file → name of its bundle, which lies next to the bundled server. */
const BUNDLES = { 'worker.ts': 'speech-worker.js', 'decode-worker.ts': 'decode-worker.js' } as const;

export type WorkerSource = keyof typeof BUNDLES;

/**
 * Where a worker starts: its bundle when `here` is bundled code, else its TypeScript source. A thread does not inherit the loader
 * of the main thread, so the source is reached through a one-line module that registers tsx first.
 */
export function workerUrl(source: WorkerSource, here: string = import.meta.url): URL {
  if (!here.endsWith('.ts')) return new URL(BUNDLES[source], here);
  // `require` finds the CommonJS twin; the thread imports.
  const tsx = pathToFileURL(createRequire(here).resolve('tsx/esm/api')).href.replace(/\.cjs$/, '.mjs');
  const code = `import { register } from ${JSON.stringify(tsx)}; register(); await import(${JSON.stringify(new URL(source, here).href)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

export function startWorker(source: WorkerSource, options: WorkerOptions = {}): Worker {
  return new Worker(workerUrl(source), options);
}
