/**
 * `npm run test:quick [commit]`: checks what has changed since a commit, in under two minutes, and says what it left
 * out. Without a commit checks uncommitted changes or, if there are none, the last commit.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root, say, setUp } from './setup.mjs';

/** Longest time of all tests together, seconds. Two workers take half of it. */
const BUDGET_S = 120;
/** Assumed time of a test file that no whole run has timed on this machine, seconds. */
const UNTIMED_S = 2;
/** The largest number of names of left-out files to print. */
const NAMED = 6;

/** Parts of the project whose types depend on each part. */
const DEPENDENT = {
  contract: ['contract', 'machines', 'src', 'server', 'test'],
  machines: ['machines', 'src', 'test'],
  src: ['src', 'test'],
  server: ['server', 'test'],
};
const BROWSER_TEST = /\.(journey|chromium)\.ts$/;

setUp();
const started = Date.now();
mkdirSync(join(root, '.cache/tsinfo'), { recursive: true });

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) {
    console.error(stderr);
    process.exit(1);
  }
  return stdout.split('\n').filter(Boolean);
}
const uncommitted = [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')];
const base = process.argv[2] ?? (uncommitted.length > 0 ? 'HEAD' : 'HEAD~1');
const isSource = (file) => /\.(m?js|tsx?)$/.test(file) && !file.startsWith('test/lint/fixtures/');
/** Includes deleted files, because others may import them. */
const touched = [...new Set([...git('diff', '--name-only', base), ...uncommitted])];
const wings = [...new Set(touched.filter(isSource).flatMap((file) => DEPENDENT[file.split('/')[0]] ?? ['test']))];
const changed = touched.filter((file) => existsSync(join(root, file)));
const sources = changed.filter(isSource);

const failed = [];
function check(name, args) {
  const result = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (result.status !== 0) failed.push(name);
}

say(`${touched.length} files have changed since ${base}.`);
for (const wing of wings) {
  check(`types of ${wing}`, [
    'node_modules/typescript/bin/tsc',
    '-p',
    wing,
    '--noEmit',
    '--incremental',
    '--tsBuildInfoFile',
    `.cache/tsinfo/${wing}`,
  ]);
}
if (sources.length > 0) {
  check('lint', ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings', ...sources]);
  check('layout', ['node_modules/oxfmt/bin/oxfmt', '--check', ...sources]);
}
check('requirement trace', ['scripts/trace.mjs']);

const { run, left } = withinBudget(affectedTests());
if (run.length > 0)
  check('tests', ['node_modules/vitest/vitest.mjs', 'run', '--project', 'shared', '--project', 'isolated', ...run]);

const journeys = changed.filter((file) => BROWSER_TEST.test(file));
say(`${failed.length === 0 ? 'ok' : `FAILED: ${failed.join(', ')}`} (${Math.round((Date.now() - started) / 1000)} s)`);
const names = left.length > NAMED ? [...left.slice(0, NAMED), '…'] : left;
say(
  `Left out: PostgreSQL, the browser${left.length === 0 ? '' : `, and ${left.length} test files that take too long: ${names.join(', ')}`}.`,
);
if (journeys.length > 0)
  say(`For the journeys that have changed: npm run build && npx playwright test ${journeys.join(' ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Test files that import changed files. Files of the whole suite only if they have changed themselves. */
function affectedTests() {
  const list = join(root, '.cache/affected.json');
  rmSync(list, { force: true });
  spawnSync(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'list',
      '--filesOnly',
      '--project',
      'shared',
      '--project',
      'isolated',
      '--changed',
      base,
      `--json=${list}`,
    ],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if (!existsSync(list)) {
    failed.push('the list of tests');
    return [];
  }
  const files = [...new Set(JSON.parse(readFileSync(list, 'utf8')).map(({ file }) => relative(root, file)))];
  return files.filter((file) => !file.includes('.whole.') || changed.includes(file));
}

/** Chooses files that fit the budget: changed ones first, then the shortest, by their time in the last whole run. */
function withinBudget(files) {
  const report = join(root, '.cache/reports/vitest.json');
  const seconds = new Map(
    existsSync(report)
      ? JSON.parse(readFileSync(report, 'utf8')).testResults.map(({ name, startTime, endTime }) => [
          relative(root, name),
          (endTime - startTime) / 1000,
        ])
      : [],
  );
  const cost = (file) => (changed.includes(file) ? 0 : (seconds.get(file) ?? UNTIMED_S));
  const run = [];
  let spent = 0;
  for (const file of files.toSorted((a, b) => cost(a) - cost(b))) {
    spent += cost(file);
    if (spent > BUDGET_S) break;
    run.push(file);
  }
  return { run, left: files.filter((file) => !run.includes(file)) };
}
