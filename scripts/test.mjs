/**
 * `npm test`: types, lint, layout, requirement trace, unit and server tests, headless path tests, then the journeys and path
 * tests in Chromium against the built console. Ends by naming what failed, and with a line 'N passed, N failed'.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root, say, setUp } from './setup.mjs';

setUp();
const { ensureBrowser } = await import('./browser.mjs');
const { buildAll } = await import('./build.mjs');
const { ensurePrograms } = await import('./programs.mjs');
const { ensureFetched } = await import('./fetched.mjs');
const { ensurePostgres } = await import('./postgres.mjs');
const { ensureSwift } = await import('./swift.mjs');

const reports = join(root, '.cache/reports');
const total = { passed: 0, failed: 0 };
/** What failed, told once more at the end: in the log of a whole run it stands thousands of lines before. */
const failures = [];

function step(name, args, env = {}) {
  const started = Date.now();
  const result = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  const ok = result.status === 0;
  say(`${name}: ${ok ? 'ok' : 'FAILED'} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  return ok;
}

/** A check that has no count of its own counts as one. */
function check(name, args) {
  const ok = step(name, args);
  total[ok ? 'passed' : 'failed'] += 1;
  if (!ok) failures.push(name);
}

/** Runs a test runner; a runner that leaves no report, or fails without a failed test, counts as one failure. */
function suite(name, args, env, count) {
  const ok = step(name, args, env);
  let counted = { passed: 0, failed: 0, failures: [] };
  try {
    counted = count();
  } catch (error) {
    console.error(`No report of ${name}: ${error.message}`);
  }
  total.passed += counted.passed;
  total.failed += !ok && counted.failed === 0 ? 1 : counted.failed;
  failures.push(...(!ok && counted.failures.length === 0 ? [name] : counted.failures));
}

const read = (file) => JSON.parse(readFileSync(join(reports, file), 'utf8'));

/** The tests of Vitest's report that did not pass: their file, their whole title and the first line of what they said. */
function unpassed({ testResults }) {
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(root, name);
    const told = assertionResults
      .filter(({ status }) => status !== 'passed')
      .map(({ fullName, failureMessages }) => `${file}: ${fullName}: ${firstLine(failureMessages[0])}`);
    return told.length === 0 && message ? [`${file}: ${firstLine(message)}`] : told;
  });
}

/** The journeys of Playwright's report that did not pass. */
function unexpected({ suites = [], specs = [] }) {
  const told = specs
    .filter(({ ok }) => !ok)
    .map(({ file, line, title, tests }) => {
      const error = tests.flatMap(({ results }) => results.flatMap(({ errors }) => errors))[0];
      return `${file}:${line}: ${title}: ${firstLine(error?.message)}`;
    });
  return [...told, ...suites.flatMap(unexpected)];
}

const firstLine = (text) => text?.split('\n')[0] ?? 'not run';

rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });

for (const wing of ['contract', 'machines', 'src', 'server', 'test']) {
  check(`types of ${wing}`, ['node_modules/typescript/bin/tsc', '-p', wing]);
}
check('lint', [
  'node_modules/oxlint/bin/oxlint',
  '--type-aware',
  '--deny-warnings',
  '--ignore-pattern',
  'test/lint/fixtures/**',
]);
check('layout of the code', ['node_modules/oxfmt/bin/oxfmt', '--check']);
check('requirement trace', ['scripts/trace.mjs']);

ensurePrograms();
ensurePostgres();
ensureSwift();
ensureFetched();
// Before the tests, because one lays a release out.
await buildAll();
suite(
  'unit, server and headless path tests',
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${join(reports, 'vitest.json')}`,
  ],
  {},
  () => {
    const report = read('vitest.json');
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests + report.numPendingTests,
      failures: unpassed(report),
    };
  },
);

const browser = await ensureBrowser();
suite(
  'journeys and path tests in Chromium',
  ['node_modules/playwright/cli.js', 'test', '--reporter=list,json'],
  { PLAYWRIGHT_JSON_OUTPUT_NAME: join(reports, 'playwright.json'), ...(browser ? { CHROMIUM_PATH: browser } : {}) },
  () => {
    const report = read('playwright.json');
    const { expected, unexpected: failed, flaky, skipped } = report.stats;
    return { passed: expected, failed: failed + flaky + skipped, failures: unexpected(report) };
  },
);

for (const failure of failures) say(`Failed: ${failure}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
