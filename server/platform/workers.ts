import { fork, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { bundled, serverRoot } from './paths.ts';

/** Our worker threads and processes: the name of the built file beside `main.js`, and its source below `server/`. */
const THREADS = { 'db-worker': 'platform/db/worker.ts', 'decode-worker': 'engine/decode/worker.ts' } as const;
const PROCESSES = { 'speech-worker': 'engine/recognizer/worker.ts' } as const;

/** All of the server's environment that a process of ours is given: its settings, and so its secrets, are not among them. */
const INHERITED = ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot', 'TMPDIR', 'PARLANCE_RUNTIME'];

/** For the short-lived objects of a thread or process. What V8 would take by itself, up to 48 MB each, it does not give back for as long as there is work. */
const YOUNG_GENERATION_MB = 12;

/** Starts a thread from its built file, or from its source where the server itself runs from source (tests, development). */
export function startWorker(name: keyof typeof THREADS, options: WorkerOptions = {}): Worker {
  return new Worker(workerUrl(name), {
    ...options,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB, ...options.resourceLimits },
  });
}

/**
 * Starts a process from its built file, or from its source; messages are cloned as structures, so typed arrays stay what they are.
 * It prints where the server prints, and has to end by itself when the server is gone, which it hears as 'disconnect'.
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

/** Where a thread starts. It does not inherit the main thread's loader, so its source is reached through a line that registers tsx first. */
function workerUrl(name: keyof typeof THREADS): URL {
  if (bundled) return pathToFileURL(join(serverRoot, `${name}.js`));
  // `require` finds the CommonJS twin; the thread imports.
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm/api')).href.replace(/\.cjs$/, '.mjs');
  const source = pathToFileURL(join(serverRoot, THREADS[name])).href;
  const code = `import { register } from ${JSON.stringify(tsx)}; register(); await import(${JSON.stringify(source)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}
