/**
 * `npm run defects`: counts how many planted defects the tests catch. Draws forty sites (scripts/defect-sites.mjs),
 * plants one defect at a time, and runs tests that could see it until one fails: those of the gate, then types and
 * lint, then those of the whole suite. Writes each result to .cache/defects.jsonl; a stopped run continues from there.
 * For each turn it starts itself again, with the id of a site and the steps to take.
 *
 *   --list            only prints the sites      --seed 1         another seed draws other sites
 *   --with 'nice -5'  a prefix for each turn     --until 17:35    begins no turn after this time (UTC)
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { cache, plant, restore } from './defect-files.mjs';
import { journeys, node, run, runsOf, stopRunning, vitest } from './defect-runs.mjs';
import { drawSites } from './defect-sites.mjs';
import { journeysOf, related } from './defect-tests.mjs';
import { say } from './setup.mjs';

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
const results = cache('defects.jsonl');

function stop() {
  restore();
  stopRunning();
  process.exit(130);
}
process.on('SIGINT', stop);
process.on('SIGTERM', stop);

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

function readResults() {
  if (!existsSync(results)) return [];
  const lines = readFileSync(results, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

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
  if (known.some(({ caught }) => caught !== null)) return [];
  return steps.filter((step) => !known.some((one) => one.step === step));
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

/** Columns of the results by the first word of the step that caught a defect. */
const CAUGHT_BY = { gate: 'gate', types: 'types, lint', whole: 'whole' };

/** The column in which a site counts. It is missed when no step is left. */
function columnOf(known) {
  const step = known.find(({ caught }) => caught !== null)?.step;
  if (step !== undefined) return CAUGHT_BY[step.match(/^\w+/)[0]];
  return known.some((one) => one.step === PASSES.flat(2).at(-1)) ? 'missed' : 'not done';
}

/** Prints the results by group. */
function printResults(sites) {
  const all = readResults();
  const rows = Object.fromEntries(
    ['charts', 'views', 'server', 'all'].map((group) => [
      group,
      { sites: 0, gate: 0, 'types, lint': 0, whole: 0, missed: 0, 'not done': 0 },
    ]),
  );
  for (const site of sites) {
    const column = columnOf(all.filter(({ id }) => id === site.id));
    for (const row of [rows[site.group], rows.all]) {
      row.sites += 1;
      row[column] += 1;
    }
    if (column === 'missed') say(`Missed: ${shown(site)}`);
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
