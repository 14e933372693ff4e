/** `npm run paths [chart]`: prints the number of generated paths of each chart, or the paths of one with scenarios. */
import { createVitest } from 'vitest/node';

// A reader such as `head` may close the output early.
process.stdout.on('error', () => process.exit());
const chart = process.argv[2] ?? '';
process.env['LIST_PATHS'] = chart;
const vitest = await createVitest('test', { project: 'shared', watch: false, reporters: [{}] });
const { testModules, unhandledErrors } = await vitest.collect(['.paths.test.ts']);
const names = testModules.flatMap(({ children }) => [...children.allTests()].map(({ name }) => name));
const errors = [...unhandledErrors, ...testModules.flatMap((module) => module.errors())];
await vitest.close();

/** Each is a list of lines: the chart, a title, and the scenario. */
const paths = names.map((name) => name.split('\n')).filter((lines) => lines.length > 1);
if (chart) {
  for (const [index, [, title, ...scenario]] of paths.entries())
    console.log([`${index + 1}. ${title}`, ...scenario].join('\n   '));
} else {
  const counts = new Map<string, number>();
  for (const [name = ''] of paths) counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const [name, count] of [...counts].toSorted(([a], [b]) => a.localeCompare(b)))
    console.log(`${String(count).padStart(6)} ${name}`);
}
for (const error of errors) console.error(error);
if (paths.length === 0) console.error(`There is no chart '${chart}': npm run paths names them.`);
process.exitCode = errors.length > 0 || paths.length === 0 ? 1 : 0;
