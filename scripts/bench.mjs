/**
 * `npm run bench [name…]`: measures and prints the figures as a table; fails when one is over its budget. Without a name
 * all that take a minute or two; `soak`, `fuzz`, `ledger`, `usage-rows`, `release`, `cluster` and `jobs` take from three minutes to a
 * quarter of an hour and are run when they are named.
 *
 * `--smallest`: all of them, two at a time, each as short as it can be, to see that they still measure; budgets do not count.
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
// Where no figure counts, two at a time.
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
