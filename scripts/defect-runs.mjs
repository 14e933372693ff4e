/** Runs the tests of scripts/defects.mjs, and says which failed first. */
import { spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { findBrowser } from './browser.mjs';
import { cache } from './defect-files.mjs';
import { root } from './setup.mjs';

/** Longest run of a command. A run that hangs counts as not seeing the defect. */
const LIMIT_MS = 600_000;
const report = cache('defects-report.json');
const log = openSync(cache('defects.log'), 'a');

export const node = (...args) => [process.execPath, ...args];
let running;

/** Stops the command that runs, with all its processes. */
export function stopRunning() {
  if (running) process.kill(-running.pid, 'SIGTERM');
}

/** Runs a command in its own process group, with output to .cache/defects.log. @returns its code; null if too slow */
export const run = (command, { env = {}, limitMs = LIMIT_MS, stdio = ['ignore', log, log] } = {}) =>
  new Promise((resolve) => {
    const [program, ...args] = command;
    running = spawn(program, args, { cwd: root, stdio, detached: true, env: { ...process.env, ...env } });
    const { pid } = running;
    const timer = limitMs && setTimeout(() => process.kill(-pid, 'SIGKILL'), limitMs);
    running.once('close', (code) => {
      clearTimeout(timer);
      running = undefined;
      resolve(code);
    });
  });

const readReport = () => (existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {});

/** Runs Vitest. @returns the first failed test, and what runs it again; undefined if none failed */
export async function vitest(files, { suite, project }) {
  rmSync(report, { force: true });
  const only = project ? ['--project', project] : [];
  const flags = [
    '--bail=1',
    '--maxWorkers=2',
    '--passWithNoTests',
    '--reporter=json',
    `--outputFile=${report}`,
    ...only,
  ];
  const code = await run(node('node_modules/vitest/vitest.mjs', 'run', ...flags, ...files), { env: { SUITE: suite } });
  const { testResults = [] } = readReport();
  for (const { name, status, message, assertionResults } of testResults) {
    const file = relative(root, name);
    const failed = assertionResults.find((test) => test.status === 'failed');
    if (failed) return { test: `${file}: ${failed.fullName}`, again: file };
    if (status === 'failed' && message) return { test: `${file}: ${message.split('\n')[0]}`, again: file };
  }
  return code === 0 || code === null ? undefined : { test: 'Vitest failed without a failed test', again: null };
}

const specsOf = ({ suites = [], specs = [] }) => [...specs, ...suites.flatMap(specsOf)];

/** Like {@link vitest}, for journeys. Builds the console and the server first. */
export async function journeys(files, { suite, flags = [] }) {
  rmSync(report, { force: true });
  if ((await run(node('scripts/build.mjs'))) !== 0) return { test: 'the build', again: null };
  const browser = await findBrowser();
  const env = { SUITE: suite, PLAYWRIGHT_JSON_OUTPUT_NAME: report, ...(browser ? { CHROMIUM_PATH: browser } : {}) };
  const command = node('node_modules/playwright/cli.js', 'test', '-x', '--reporter=json', ...flags, ...files);
  const code = await run(command, { env });
  const isFailed = ({ tests }) =>
    tests.some(({ results: tries }) => tries.some(({ status }) => /^(failed|timedOut)$/.test(status)));
  const failed = specsOf(readReport()).find(isFailed);
  if (failed) return { test: `${failed.file}:${failed.line}: ${failed.title}`, again: `${failed.file}:${failed.line}` };
  const isNoneThere = (readReport().errors ?? []).some(({ message }) => message.includes('No tests found'));
  return code === 0 || code === null || isNoneThere
    ? undefined
    : { test: 'Playwright failed without a failed test', again: null };
}

/** Vitest's runs in a suite, each as `project file`. */
export async function runsOf(suite) {
  const list = cache('defects-list.json');
  await run(node('node_modules/vitest/vitest.mjs', 'list', '--filesOnly', `--json=${list}`), { env: { SUITE: suite } });
  const isOwn = ({ projectName }) => projectName !== 's3' && projectName !== 'cluster';
  return JSON.parse(readFileSync(list, 'utf8'))
    .filter(isOwn)
    .map(({ projectName, file }) => `${projectName} ${relative(root, file)}`);
}
