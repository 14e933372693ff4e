import { fork, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { bundled, serverRoot } from './paths.ts';

/** The server's worker threads and processes: name of the built file beside `main.js`, and source below `server/`. */
const THREADS = { 'db-worker': 'platform/db/worker.ts', 'decode-worker': 'engine/decode/worker.ts' } as const;
const PROCESSES = { 'speech-worker': 'engine/recognizer/worker.ts' } as const;

/** The environment variables that a process inherits. Not the settings, because they contain secrets. */
const INHERITED = ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot', 'TMPDIR', 'PARLANCE_RUNTIME'];

/**
 * Heap for short-lived objects of a thread or process. By default V8 takes up to 48 MB each, and gives none back while
 * there is work.
 */
const YOUNG_GENERATION_MB = 12;

/** Starts a thread from its built file, or from its source if the server runs from source (tests, development). */
export function startWorker(name: keyof typeof THREADS, options: WorkerOptions = {}): Worker {
  return new Worker(workerUrl(name), {
    ...options,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB, ...options.resourceLimits },
  });
}

/**
 * Starts a process from its built file, or from its source. Messages are structured clones, which keep typed arrays.
 * The process prints where the server prints. It must end itself at 'disconnect', when the server is gone.
 */
export function startProcess(name: keyof typeof PROCESSES): ChildProcess {
  const tsx = bundled ? [] : ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm')).href];
  return fork(join(serverRoot, bundled ? `${name}.js` : PROCESSES[name]), {
    // A semi-space is a third of the young generation.
    execArgv: [...tsx, `--max-semi-space-size=${YOUNG_GENERATION_MB / 3}`],
    env: Object.fromEntries(
      INHERITED.flatMap((key) => (process.env[key] === undefined ? [] : [[key, process.env[key]]])),
    ),
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

/**
 * URL of a thread's code. A thread does not inherit the main thread's loader, so its source needs a stub that registers
 * tsx.
 */
function workerUrl(name: keyof typeof THREADS): URL {
  if (bundled) return pathToFileURL(join(serverRoot, `${name}.js`));
  // `require` resolves to the CommonJS file, but the thread imports the ESM file.
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm/api')).href.replace(/\.cjs$/, '.mjs');
  const source = pathToFileURL(join(serverRoot, THREADS[name])).href;
  const code = `import { register } from ${JSON.stringify(tsx)}; register(); await import(${JSON.stringify(source)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}
