/**
 * `npm run bench [name…]`: runs benches, prints their figures as a table, and fails if one is over its budget. Without
 * a name runs the short ones; the long ones (`soak`, `fuzz`, `ledger` and others) only by name.
 *
 * `--smallest`: runs all, two at a time and as short as possible, to see that they still measure. Ignores budgets.
 */
import { setUp } from './setup.mjs';

const SHORT = ['bundle', 'start', 'live-page', 'capture', 'transcript', 'recognizer', 'upload', 'rest', 'idle'];
const LONG = ['usage-rows', 'cluster', 'release', 'fuzz', 'soak', 'ledger', 'jobs'];

const isSmallest = process.argv.includes('--smallest');
const wanted = process.argv.slice(2).filter((argument) => argument !== '--smallest');
const unknown = wanted.filter((name) => !SHORT.includes(name) && !LONG.includes(name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}; there are ${[...SHORT, ...LONG].join(', ')}.`);
  process.exit(1);
}

setUp();
const { buildAll } = await import('./build.mjs');
await buildAll();
const { register } = await import('tsx/esm/api');
register();
if (isSmallest) process.env['BENCH_SCALE'] = '0.002';

const rows = [];
const broken = [];
const waiting = wanted.length > 0 ? [...wanted] : isSmallest ? [...LONG, ...SHORT] : [...SHORT];
const measure = async () => {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const { run } = await import(`../bench/${name}.ts`);
    const from = performance.now();
    try {
      rows.push(...(await run()));
    } catch (error) {
      broken.push(name);
      console.error(`${name}:`, error);
    }
    console.log(`${name}: ${((performance.now() - from) / 1000).toFixed(0)} s`);
  }
};
// Two at a time only if budgets do not count.
await Promise.all(isSmallest ? [measure(), measure()] : [measure()]);

const round = (value) =>
  Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 1 ? value.toFixed(1) : value.toFixed(3);
console.table(
  rows.map(({ name, value, unit, budget, ok }) => ({
    figure: name,
    value: round(value),
    unit,
    budget: budget ?? '',
    verdict: budget === undefined || isSmallest ? '' : ok ? 'ok' : 'OVER',
  })),
);
const unmeasured = rows.filter(({ value }) => !Number.isFinite(value)).map(({ name }) => name);
for (const name of [...broken, ...unmeasured]) console.error(`Not measured: ${name}`);
if (isSmallest && broken.length > 0) console.error(`Again: node scripts/bench.mjs --smallest ${broken.join(' ')}`);
process.exit(broken.length + unmeasured.length === 0 && (isSmallest || rows.every((row) => row.ok)) ? 0 : 1);
