/** That the walls of the house stand: each line of the fixtures that ends in the name of a rule trips it. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const FIXTURES = 'test/lint/fixtures';
const { stdout } = spawnSync(
  process.execPath,
  ['node_modules/oxlint/bin/oxlint', '--type-aware', '-f', 'json', FIXTURES],
  { encoding: 'utf8' },
);
const { diagnostics } = JSON.parse(stdout) as {
  diagnostics: { code: string; filename: string; labels: { span: { line: number } }[] }[];
};

const files = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
it.each(files)('%s trips the rules that it names', (name) => {
  const file = join(FIXTURES, name);
  const tripped = diagnostics
    .filter(({ filename }) => filename === file)
    .map(({ code, labels }) => `${labels[0]?.span.line} ${code.replace(/^.*\((.+)\)$/, '$1')}`);
  const named = readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) => (line.includes(' // ') ? [`${index + 1} ${line.split(' // ')[1]}`] : []));
  expect(tripped).toEqual(expect.arrayContaining(named));
});
