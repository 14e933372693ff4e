/**
 * `npm run flaky [names]`: repeats tests ten times, alone and beside two busy loops, and says how often each fails. A
 * name is a test file, for Chromium also with a line (`test/journeys/live.journey.ts:32`). Without names repeats the
 * gate's journeys.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readPlaywright, readVitest, resultOf } from './report.mjs';
import { root, say, setUp } from './setup.mjs';

const TIMES = 10;
const BUSY_LOOPS = 2;
const IN_CHROMIUM = /\.(journey|chromium)\.ts(:\d+)?$/;

setUp();
const { ensureBrowser } = await import('./browser.mjs');
const { buildAll } = await import('./build.mjs');

const names = process.argv.slice(2);
if (names.length === 0) process.env['SUITE'] = 'gate';
const browserNames = names.length === 0 ? ['--grep', '@gate'] : names.filter((name) => IN_CHROMIUM.test(name));
const otherNames = names.filter((name) => !IN_CHROMIUM.test(name));
const report = join(root, '.cache/flaky.json');
mkdirSync(join(root, '.cache'), { recursive: true });
const browser = browserNames.length > 0 ? await ensureBrowser() : undefined;
await buildAll();

/** Counts of failures by load, and the first error, by the command that repeats the test. */
const failed = new Map();
let passed = 0;

function repeat(args, env, read) {
  rmSync(report, { force: true });
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  });
  const result = () => read(JSON.parse(readFileSync(report, 'utf8')), root);
  return resultOf({ name: args[0], again: `node ${args.join(' ')}`, isOk: status === 0, read: result });
}

function note({ passed: more, failures }, load) {
  passed += more;
  for (const { name, again } of failures) {
    const before = failed.get(again) ?? { name, counts: {} };
    before.counts[load] = (before.counts[load] ?? 0) + 1;
    failed.set(again, before);
  }
}

for (const load of ['alone', 'beside two busy loops']) {
  const loops =
    load === 'alone'
      ? []
      : Array.from({ length: BUSY_LOOPS }, () => spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' }));
  say(`${TIMES} times ${load}…`);
  try {
    if (browserNames.length > 0) {
      const args = ['test', ...browserNames, `--repeat-each=${TIMES}`, '--workers=1', '--retries=0', '--reporter=json'];
      const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: report, ...(browser ? { CHROMIUM_PATH: browser } : {}) };
      note(repeat(['node_modules/playwright/cli.js', ...args], env, readPlaywright), load);
    }
    for (let time = 0; otherNames.length > 0 && time < TIMES; time++) {
      const args = ['run', ...otherNames, '--reporter=json', `--outputFile.json=${report}`];
      const { passed: more, failures } = repeat(['node_modules/vitest/vitest.mjs', ...args], {}, readVitest);
      // A test that fails on both databases counts once.
      note({ passed: more, failures: [...new Map(failures.map((one) => [one.again, one])).values()] }, load);
    }
  } finally {
    for (const loop of loops) loop.kill();
  }
}

for (const [again, { name, counts }] of failed) {
  const rates = Object.entries(counts).map(([load, count]) => `${count} of ${TIMES} ${load}`);
  say(`Failed ${rates.join(', ')}: ${name}\n  Again: ${again}`);
}
say(`${passed} passed in all.`);
process.exitCode = failed.size === 0 && passed > 0 ? 0 : 1;
