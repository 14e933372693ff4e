/**
 * `npm test`, the gate: types, lint, layout, requirement trace, charts, unit and server tests, and a journey in
 * Chromium for each screen and main flow. `npm run test:all`: every test. Ends with the times, each failure with the
 * command that repeats it, and a line 'N passed, N failed'. See docs/testing.md.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { folderInMemory } from './in-memory.mjs';
import { quoted, readPlaywright, readVitest, resultOf, tooManySecondTries } from './report.mjs';
import { root, say, setUp } from './setup.mjs';

const started = Date.now();
const isWhole = process.argv.includes('--all');
const SUITE = isWhole ? 'whole' : 'gate';
// The runners read it, and `report.mjs` in this process.
process.env['SUITE'] = SUITE;
say(
  isWhole
    ? 'Every test: checks of the sources, then Vitest on both databases, a bucket and several machines, then all of Chromium.'
    : 'The gate: checks of the sources, then Vitest, then the journeys in Chromium that have the tag @gate. `npm run test:all` runs every test.',
);

setUp();
const { ensureBrowser } = await import('./browser.mjs');
const { buildAll } = await import('./build.mjs');
const { ensurePrograms } = await import('./programs.mjs');
const { ensureFetched } = await import('./fetched.mjs');
const { ensurePostgres } = await import('./postgres.mjs');
const { ensureSwift } = await import('./swift.mjs');

const reports = join(root, '.cache/reports');
const inMemory = folderInMemory();
const times = [];
const failures = [];
const secondTries = [];
let passed = 0;
let last = started;

/** Says how long the part of the run since the last lap took. */
function lap(name) {
  const took = Math.round((Date.now() - last) / 1000);
  last = Date.now();
  times.push(`${name} ${took} s`);
  say(`${name}: ${took} s`);
}

/** Runs Node. @returns whether it succeeded, and its output if `stdio` pipes it */
const run = (args, { env = {}, stdio = 'inherit' } = {}) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio,
      env: { ...process.env, ...(inMemory && { TMPDIR: inMemory }), ...env },
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (printed += chunk));
    child.once('close', (code) => resolve({ isOk: code === 0, printed }));
  });

/** Runs checks, two at a time. Each counts as one test. */
async function check(checks) {
  const waiting = [...checks];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, ...args] = next;
      const { isOk, printed } = await run(args, { stdio: ['ignore', 'pipe', 'pipe'] });
      say(`${name}: ${isOk ? 'ok' : 'FAILED'}`);
      if (isOk) passed += 1;
      else {
        process.stdout.write(printed);
        failures.push({ name, again: `node ${args.map(quoted).join(' ')}` });
      }
    }
  };
  await Promise.all([work(), work()]);
}

/** Runs a test runner, and adds the results of its report. */
async function suite(name, args, { env, file, read }) {
  const { isOk } = await run(args, { env });
  const report = () => read(JSON.parse(readFileSync(join(reports, file), 'utf8')), root);
  const result = resultOf({ name, again: `SUITE=${SUITE} node ${args.map(quoted).join(' ')}`, isOk, read: report });
  passed += result.passed;
  secondTries.push(...result.secondTries);
  failures.push(...result.failures);
}

rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });
lap('Packages');

// Runs while the next steps wait for the network.
const checked = check([
  [
    'lint and types',
    'node_modules/oxlint/bin/oxlint',
    '--type-aware',
    '--type-check',
    '--deny-warnings',
    '--ignore-pattern',
    'test/lint/fixtures/**',
  ],
  ['layout of the code', 'node_modules/oxfmt/bin/oxfmt', '--check'],
  ['requirement trace', 'scripts/trace.mjs'],
]);
ensurePrograms();
ensurePostgres();
const browser = await ensureBrowser();
if (isWhole) {
  ensureSwift();
  ensureFetched();
}
await checked;
lap('Checks, and programs for the tests');

// Before the tests, because some run the build.
await buildAll();
lap('Build');

await suite(
  'Vitest',
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${join(reports, 'vitest.json')}`,
  ],
  { file: 'vitest.json', read: readVitest },
);
lap('Vitest');

await suite(
  'Chromium',
  ['node_modules/playwright/cli.js', 'test', '--reporter=list,json', ...(isWhole ? [] : ['--grep', '@gate'])],
  {
    env: {
      PLAYWRIGHT_JSON_OUTPUT_NAME: join(reports, 'playwright.json'),
      ...(browser ? { CHROMIUM_PATH: browser } : {}),
    },
    file: 'playwright.json',
    read: readPlaywright,
  },
);
lap('Chromium');

if (isWhole) {
  await check([['benches, as short as they can be', 'scripts/bench.mjs', '--smallest']]);
  lap('Benches');
}

for (const name of secondTries) say(`Needed a second try: ${name}`);
failures.push(...tooManySecondTries(secondTries));
for (const { name, again } of failures) say(`Failed: ${name}\n  Again: ${again}`);
say(`Where the time went: ${times.join(', ')}; in all ${Math.round((Date.now() - started) / 1000)} s.`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1;
