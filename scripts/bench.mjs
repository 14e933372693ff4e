/**
 * `npm run bench [name…]`: measures and prints the figures as a table; fails when one is over its budget. Without a name
 * all that take a minute or two; `soak`, `fuzz`, `ledger`, `usage-rows`, `release`, `cluster` and `jobs` take from three minutes to a
 * quarter of an hour and are run when they are named.
 */
import { setUp } from './setup.mjs';

const SHORT = ['bundle', 'start', 'live-page', 'capture', 'transcript', 'recognizer', 'upload', 'rest', 'idle'];
const LONG = ['soak', 'fuzz', 'ledger', 'usage-rows', 'release', 'cluster', 'jobs'];

const wanted = process.argv.slice(2);
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

const rows = [];
for (const name of wanted.length > 0 ? wanted : SHORT) {
  const { run } = await import(`../bench/${name}.ts`);
  rows.push(...(await run()));
}

const round = (value) =>
  Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 1 ? value.toFixed(1) : value.toFixed(3);
console.table(
  rows.map(({ name, value, unit, budget, ok }) => ({
    figure: name,
    value: round(value),
    unit,
    budget: budget ?? '',
    verdict: budget === undefined ? '' : ok ? 'ok' : 'OVER',
  })),
);
process.exit(rows.every((row) => row.ok) ? 0 : 1);
