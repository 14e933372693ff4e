/**
 * `npm run defects`: counts how many planted defects the tests catch. Draws forty sites (scripts/defect-sites.mjs),
 * plants one defect at a time, and runs tests that could see it until one fails: those of the gate, then types and
 * lint, then those of the whole suite. Writes each result to .cache/defects.jsonl; a stopped run continues from there.
 *
 *   --list            only prints the sites      --seed 1         another seed draws other sites
 *   --with 'nice -5'  a prefix for each turn     --until 17:35    begins no turn after this time (UTC)
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { drawSites } from './defect-sites.mjs';
import { journeysOf, related } from './defect-tests.mjs';
import { findBrowser } from './browser.mjs';
import { root, say } from './setup.mjs';

/** Longest run of a command. A run that hangs counts as not seeing the defect. */
const LIMIT_MS = 600_000;
/** Vitest runs this many of the nearest files first. */
const NEAR = 12;
/**
 * The largest number of files outside the gate to run; for the server, all would be nearly every test on the other
 * database.
 */
const NEAR_WHOLE = 40;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    with: { type: 'string', default: '' },
    until: { type: 'string', default: '' },
  },
});
const cache = (name) => join(root, '.cache', name);
const results = cache('defects.jsonl');
const report = cache('defects-report.json');
/** Holds the original of a changed file, while a defect is planted. */
const kept = cache('defects-original.json');
mkdirSync(cache('.'), { recursive: true });

function restore() {
  if (!existsSync(kept)) return;
  const { file, text } = JSON.parse(readFileSync(kept, 'utf8'));
  writeFileSync(join(root, file), text);
  rmSync(kept);
}

function plant({ file, planted }) {
  writeFileSync(kept, JSON.stringify({ file, text: readFileSync(join(root, file), 'utf8') }));
  writeFileSync(join(root, file), planted);
}

let running;
function stop() {
  restore();
  if (running) process.kill(-running.pid, 'SIGTERM');
  process.exit(130);
}
process.on('SIGINT', stop);
process.on('SIGTERM', stop);

/** Runs a command in its own process group, with output to .cache/defects.log. @returns its code; null if too slow */
const run = (command, { env = {}, limitMs = LIMIT_MS, stdio = ['ignore', log, log] } = {}) =>
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
const log = openSync(cache('defects.log'), 'a');
const node = (...args) => [process.execPath, ...args];
const readReport = () => (existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {});

/** Runs Vitest. @returns the first failed test, and what runs it again; undefined if none failed */
async function vitest(files, { suite, project }) {
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
async function journeys(files, { suite, flags = [] }) {
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

/** Runs tests with the defect. Notes and leaves out a test that fails without it too, and runs the others again. */
async function tryOn(site, notes, runTests, files, how) {
  for (let left = files; left.length > 0;) {
    plant(site);
    const failed = await runTests(left, how).finally(restore);
    if (failed === undefined) return null;
    const isCause = (await runTests(failed.again === null ? left : [failed.again], how)) === undefined;
    if (isCause) return failed.test;
    notes.push(`fails without the defect as well: ${failed.test}`);
    left = failed.again === null ? [] : left.filter((file) => file !== failed.again.replace(/:\d+$/, ''));
  }
  return null;
}

/** Vitest's runs in a suite, each as `project file`. */
async function runsOf(suite) {
  const list = cache('defects-list.json');
  await run(node('node_modules/vitest/vitest.mjs', 'list', '--filesOnly', `--json=${list}`), { env: { SUITE: suite } });
  const isOwn = ({ projectName }) => projectName !== 's3' && projectName !== 'cluster';
  return JSON.parse(readFileSync(list, 'utf8'))
    .filter(isOwn)
    .map(({ projectName, file }) => `${projectName} ${relative(root, file)}`);
}

/** Steps by name. Each resolves with what caught the defect, or null. */
const STEPS = {
  async 'gate: Vitest'(site, notes) {
    const files = [...new Set(related(await runsOf('gate'), site).map(({ file }) => file))];
    const how = { suite: 'gate' };
    return (
      (await tryOn(site, notes, vitest, files.slice(0, NEAR), how)) ??
      tryOn(site, notes, vitest, files.slice(NEAR), how)
    );
  },
  async 'gate: Chromium'(site, notes) {
    const how = { suite: 'gate', flags: ['--grep', '@gate'] };
    const files = journeysOf(site, (text) => text.includes('@gate'));
    const caught = await tryOn(site, notes, journeys, files, how);
    // These journeys open every screen.
    const isSeen = caught === null && site.file.startsWith('src/views/');
    return isSeen ? tryOn(site, notes, journeys, ['test/journeys/screens.journey.ts'], how) : caught;
  },
  async 'types and lint'(site) {
    plant(site);
    if ((await run(node('node_modules/typescript/bin/tsc', '-p', site.file.split('/')[0]))) !== 0) return 'types';
    return (await run(node('node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings', site.file))) === 0
      ? null
      : 'lint';
  },
  async 'whole: Vitest'(site, notes) {
    const inGate = new Set(await runsOf('gate'));
    const runs = related(
      (await runsOf('whole')).filter((name) => !inGate.has(name)),
      site,
    ).slice(0, NEAR_WHOLE);
    for (const project of new Set(runs.map((one) => one.project))) {
      const files = runs.filter((one) => one.project === project).map(({ file }) => file);
      const caught = await tryOn(site, notes, vitest, files, { suite: 'whole', project });
      if (caught !== null) return caught;
    }
    return null;
  },
  'whole: Chromium': (site, notes) =>
    tryOn(
      site,
      notes,
      journeys,
      journeysOf(site, () => true),
      { suite: 'whole' },
    ),
};

/** The first pass runs the gate on all sites, the second the whole suite on those missed. A turn has steps. */
const PASSES = [
  [['gate: Vitest'], ['gate: Chromium', 'types and lint']],
  [['whole: Vitest'], ['whole: Chromium']],
];

const readResults = () =>
  existsSync(results)
    ? readFileSync(results, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];
const shown = ({ id, group, kind, at, before, after }) => `${id} ${group}, ${kind}: ${at}: ${before} → ${after}`;

/** Runs one step for a site, and writes its result. */
async function tryStep(step, site) {
  const started = Date.now();
  const notes = [];
  const caught = await STEPS[step](site, notes).finally(restore);
  const { planted: _, rank: _rank, order: _order, ...facts } = site;
  const seconds = Math.round((Date.now() - started) / 1000);
  appendFileSync(results, `${JSON.stringify({ ...facts, step, caught, notes, seconds })}\n`);
  say(`${step}: ${caught ?? 'nothing'} (${seconds} s)`);
}

/** The steps that a site still needs. */
function leftOf(steps, site) {
  const known = readResults().filter(({ id }) => id === site.id);
  return known.some(({ caught }) => caught !== null)
    ? []
    : steps.filter((step) => !known.some((one) => one.step === step));
}

/** For views all steps are one turn, because Vitest takes only seconds there. */
const turnsOf = (turns, { group }) => (group === 'views' ? [turns.flat()] : turns);

async function tryAll(sites) {
  const prefix = options.with.split(' ').filter(Boolean);
  for (const turns of PASSES)
    for (const site of sites)
      for (const steps of turnsOf(turns, site)) {
        const left = leftOf(steps, site);
        if (left.length === 0) continue;
        if (options.until !== '' && new Date().toISOString().slice(11, 16) >= options.until) return;
        if (left[0] === turns[0][0]) say(shown(site));
        const own = node('scripts/defects.mjs', `--seed=${options.seed}`, site.id, ...left);
        await run([...prefix, ...own], { limitMs: 0, stdio: 'inherit' });
      }
}

/** Prints the results by group. A site counts as missed when no step is left. */
function printResults(sites) {
  const all = readResults();
  const rows = Object.fromEntries(
    ['charts', 'views', 'server', 'all'].map((group) => [
      group,
      { sites: 0, gate: 0, 'types, lint': 0, whole: 0, missed: 0, 'not done': 0 },
    ]),
  );
  for (const site of sites) {
    const known = all.filter(({ id }) => id === site.id);
    const by = known.find(({ caught }) => caught !== null)?.step;
    const isDone = known.some(({ step }) => step === PASSES.flat(2).at(-1));
    const end =
      { gate: 'gate', types: 'types, lint', whole: 'whole' }[/^\w+/.exec(by)?.[0]] ?? (isDone ? 'missed' : 'not done');
    for (const row of [rows[site.group], rows.all]) {
      row.sites += 1;
      row[end] += 1;
    }
    if (end === 'missed') say(`Missed: ${shown(site)}`);
  }
  for (const { at, notes } of all) for (const note of notes) say(`${at}: ${note}`);
  console.table(rows);
}

if (!options.list) restore();
const sites = drawSites(options.seed);
const [id, ...steps] = positionals;
if (options.list) for (const site of sites) console.log(shown(site));
else if (id === undefined) {
  await tryAll(sites);
  printResults(sites);
} else {
  const site = sites.find((one) => one.id === id);
  if (site === undefined || steps.length === 0) {
    console.error('Give the id of a site and steps for it, as a full run does. For the ids: npm run defects -- --list');
    process.exit(1);
  }
  for (const step of steps) if (leftOf([step], site).length > 0) await tryStep(step, site);
}
