/** `npm run bench [name…]`: measures and prints the figures as a table; fails when one is over its budget. */
import { setUp } from './setup.mjs';

setUp();
const { buildAll } = await import('./build.mjs');
await buildAll();
const { register } = await import('tsx/esm/api');
register();

const wanted = process.argv.slice(2);
const rows = [];
for (const name of ['bundle', 'live-page', 'recognizer']) {
  if (wanted.length && !wanted.includes(name)) continue;
  const { run } = await import(`../bench/${name}.ts`);
  rows.push(...(await run()));
}

const round = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 1 ? value.toFixed(1) : value.toFixed(3));
console.table(
  rows.map(({ name, value, unit, budget, ok }) => ({ figure: name, value: round(value), unit, budget: budget ?? '', verdict: budget === undefined ? '' : ok ? 'ok' : 'OVER' })),
);
process.exit(rows.every((row) => row.ok) ? 0 : 1);
