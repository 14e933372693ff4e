/** Builds the console (Vite) and the server (esbuild) into dist/ if the sources have changed. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { root, say } from './setup.mjs';

const SOURCES = [
  'contract',
  'machines',
  'src',
  'server',
  'public',
  'index.html',
  'inspector.html',
  'document.html',
  'vite.config.ts',
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/global-styles.ts',
];
/** Entry points by name. `…-worker` are started as threads or processes; the others are programs, also of a release. */
export const SERVER_ENTRIES = {
  main: 'server/entry.ts',
  admin: 'server/app/admin/entry.ts',
  migrate: 'server/app/migrate.ts',
  backup: 'server/app/backup/backup-entry.ts',
  restore: 'server/app/backup/restore-entry.ts',
  'db-worker': 'server/platform/db/worker.ts',
  'speech-worker': 'server/engine/recognizer/worker.ts',
  'decode-worker': 'server/engine/decode/worker.ts',
};
const COMPRESSED = new Set(['.js', '.css', '.svg', '.json']);

/** A hash of paths, sizes and times of all sources: cheap at every start, and different after every edit. */
function stateOfSources() {
  const hash = createHash('sha256');
  const visit = (path) => {
    const full = join(root, path);
    if (!existsSync(full)) return;
    const stat = statSync(full);
    if (stat.isDirectory()) for (const name of readdirSync(full).sort()) visit(join(path, name));
    else hash.update(`${path} ${stat.size} ${stat.mtimeMs}\n`);
  };
  for (const path of SOURCES) visit(path);
  return hash.digest('hex');
}

async function compress(directory) {
  const jobs = [];
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (!COMPRESSED.has(extname(name))) continue;
    const bytes = readFileSync(path);
    const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
    jobs.push(promisify(gzip)(bytes, { level: 9 }).then((out) => writeFileSync(`${path}.gz`, out)));
    jobs.push(promisify(brotliCompress)(bytes, brotli).then((out) => writeFileSync(`${path}.br`, out)));
  }
  await Promise.all(jobs);
}

/** Builds the server into `dist/server` of a folder. `options` override the usual ones. @returns esbuild's result */
export async function buildServer(into = root, options = {}) {
  const { build } = await import('esbuild');
  const folder = join(into, 'dist/server');
  rmSync(folder, { recursive: true, force: true });
  const result = await build({
    absWorkingDir: root,
    entryPoints: SERVER_ENTRIES,
    outdir: folder,
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    sourcemap: true,
    logLevel: 'warning',
    ...options,
  });
  const samples = join(root, 'server/samples');
  if (existsSync(samples)) cpSync(samples, join(folder, 'samples'), { recursive: true });
  return result;
}

/** A file with the paths of all modules of the console, for the licence notices of a release. */
export const MODULES_OF_WEB = join(root, 'dist/.web-modules.json');

const noteModules = {
  name: 'note-modules',
  buildEnd() {
    writeFileSync(MODULES_OF_WEB, JSON.stringify([...this.getModuleIds()]));
  },
};

async function buildWeb() {
  const { build } = await import('vite');
  await build({ root, configFile: join(root, 'vite.config.ts'), logLevel: 'warn', plugins: [noteModules] });
  await compress(join(root, 'dist/web/assets'));
}

/**
 * Runs `buildWeb` in a process of its own, in production mode. The styles load React there: in the process of a test it
 * would stay in production mode, beside parts of React that later tests load in development mode.
 */
async function buildWebApart() {
  const child = spawn(process.execPath, [import.meta.filename, '--web'], {
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('The console could not be built.');
}

/** Builds if sources have changed; otherwise takes milliseconds. */
export async function buildAll({ force = false } = {}) {
  const stamp = join(root, 'dist/.built');
  const want = stateOfSources();
  if (!force && existsSync(stamp) && readFileSync(stamp, 'utf8') === want) return;
  const started = Date.now();
  say('Building the console and the server…');
  rmSync(stamp, { force: true });
  await Promise.all([buildWebApart(), buildServer()]);
  writeFileSync(stamp, want);
  say(`Built in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv.includes('--web')) await buildWeb();
  else await buildAll({ force: process.argv.includes('--force') });
}
