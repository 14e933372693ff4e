import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { bundled, serverRoot } from './paths.ts';

/** Our worker threads: the name of the built file beside `main.js`, and its source below `server/`. */
const WORKERS = {
  'db-worker': 'platform/db/worker.ts',
  'speech-worker': 'engine/recognizer/worker.ts',
  'decode-worker': 'engine/decode/worker.ts',
} as const;

type WorkerName = keyof typeof WORKERS;

/** For short-lived objects. What V8 would take by itself, up to 48 MB a thread, it does not give back for as long as there is work. */
const YOUNG_GENERATION_MB = 12;

/** Starts a thread from its built file, or from its source where the server itself runs from source (tests, development). */
export function startWorker(name: WorkerName, options: WorkerOptions = {}): Worker {
  return new Worker(workerUrl(name), {
    ...options,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB, ...options.resourceLimits },
  });
}

/** Where a thread starts. It does not inherit the main thread's loader, so its source is reached through a line that registers tsx first. */
function workerUrl(name: WorkerName): URL {
  if (bundled) return pathToFileURL(join(serverRoot, `${name}.js`));
  // `require` finds the CommonJS twin; the thread imports.
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm/api')).href.replace(/\.cjs$/, '.mjs');
  const source = pathToFileURL(join(serverRoot, WORKERS[name])).href;
  const code = `import { register } from ${JSON.stringify(tsx)}; register(); await import(${JSON.stringify(source)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}
