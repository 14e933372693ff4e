/**
 * `npm run verify`: runs CI on HEAD. Clones it into a temporary folder, runs `.ci/run` there, and prints the last lines
 * and the ten slowest tests. If it passes, writes HEAD's id to `.cache/verified`.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPlaywright, readVitest } from './report.mjs';
import { root, say } from './setup.mjs';

/** A higher load means that other programs slow the tests down. */
const QUIET_LOAD = 0.7;
const CLOSING_LINES = 12;
const SLOWEST = 10;

const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim();
const head = git('rev-parse', 'HEAD');
const cache = join(root, '.cache');
mkdirSync(cache, { recursive: true });
rmSync(join(cache, 'verified'), { force: true });

if (git('status', '--porcelain') !== '') say('Uncommitted changes are not tested.');
const [load] = loadavg();
if (load > QUIET_LOAD) say(`The machine is busy (load ${load.toFixed(1)}): tests take longer than in CI.`);

const folder = mkdtempSync(join(tmpdir(), 'parlance-verify-'));
const clone = join(folder, 'clone');
for (const args of [
  ['clone', '--quiet', root, clone],
  ['-C', clone, 'checkout', '--quiet', head],
])
  if (spawnSync('git', args, { stdio: 'inherit' }).status !== 0) process.exit(1);

const started = Date.now();
const log = join(cache, 'verify.log');
say(`Running .ci/run on ${head.slice(0, 8)} in ${clone}; its output is also in ${log}.`);
const printed = await ciRun();
const closing = printed.trimEnd().split('\n').slice(-CLOSING_LINES);

const reports = join(clone, '.cache/reports');
// Reports, and what failed browser tests have left, also if they passed at the second try.
for (const left of ['reports', 'playwright']) {
  rmSync(join(cache, left), { recursive: true, force: true });
  if (existsSync(join(clone, '.cache', left)))
    cpSync(join(clone, '.cache', left), join(cache, left), { recursive: true });
}
const slowest = [
  ['vitest.json', readVitest],
  ['playwright.json', readPlaywright],
]
  .flatMap(([file, read]) =>
    existsSync(join(reports, file)) ? read(JSON.parse(readFileSync(join(reports, file), 'utf8')), clone).tests : [],
  )
  .toSorted((a, b) => b.seconds - a.seconds)
  .slice(0, SLOWEST);

console.log(`\n${closing.join('\n')}\n`);
for (const { name, seconds } of slowest) console.log(`${String(seconds).padStart(7)} s  ${name}`);
const took = `${Math.round((Date.now() - started) / 1000)} s`;
if (process.exitCode) say(`FAILED after ${took}. The clone stays in ${clone}.`);
else {
  writeFileSync(join(cache, 'verified'), `${head} ${new Date().toISOString()} ${took}\n`);
  rmSync(folder, { recursive: true, force: true });
  say(`${head} passed in ${took}.`);
}

/** Runs `.ci/run`, and takes over its exit code. @returns its output */
function ciRun() {
  // Without npm's variables for this checkout, which CI does not have.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  const child = spawn('bash', ['.ci/run'], {
    cwd: clone,
    env: { ...env, CI: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const file = createWriteStream(log);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += chunk;
      file.write(chunk);
      process.stdout.write(chunk);
    });
  return new Promise((resolve) =>
    child.once('close', (code) => {
      process.exitCode = code ?? 1;
      file.end();
      resolve(text);
    }),
  );
}
