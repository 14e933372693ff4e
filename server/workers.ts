import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { bundled, projectRoot, serverRoot } from './paths.ts';

/**
 * Starts a worker thread from one of our own files.
 * @param name   the built file's name without `.js`, beside `main.js` (e.g. `db-worker`)
 * @param source its TypeScript source, relative to `server/` (e.g. `db/worker.ts`); used when running from source,
 *               where it is bundled on the spot the way the build does it. A worker must not rely on its own `import.meta.url`.
 */
export async function startWorker(name: string, source: string, options: WorkerOptions = {}): Promise<Worker> {
  const file = bundled ? join(serverRoot, `${name}.js`) : await bundleWorker(name, join(serverRoot, source));
  return new Worker(file, options);
}

async function bundleWorker(name: string, source: string): Promise<string> {
  const { build } = await import('esbuild');
  const result = await build({
    entryPoints: [source], bundle: true, packages: 'external', platform: 'node', format: 'esm', target: 'node20', write: false, logLevel: 'silent', absWorkingDir: projectRoot,
    // `#contract/…` are our own files, not packages: bundle them too.
    alias: { '#contract': join(projectRoot, 'contract'), '#server': join(projectRoot, 'server') },
  });
  const code = result.outputFiles[0]?.contents ?? new Uint8Array();
  const folder = join(projectRoot, 'node_modules', '.cache', 'parlance');
  const file = join(folder, `${name}-${createHash('sha256').update(code).digest('hex').slice(0, 16)}.mjs`);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    // Several test processes may do this at once: write aside, then put it in place in one step.
    const aside = `${file}.${randomUUID()}`;
    writeFileSync(aside, code);
    renameSync(aside, file);
  }
  return file;
}
