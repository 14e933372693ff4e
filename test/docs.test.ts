import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { Environment } from '#server/platform/environment.ts';
import { allCharts, readPage, withTree } from '../scripts/actor-tree.ts';
import { machineReference } from '../scripts/machine-reference.ts';
import { readMetricsPage, withMetrics } from '../scripts/metrics-reference.ts';

const text = (page: string): string => readFileSync(page, 'utf8');
/** The committed pages; `npm run reference` makes the other one. */
const PAGES = [
  'README.md',
  'machines/README.md',
  'model-tests/README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md') && name !== 'machines.md')
    .map((name) => `docs/${name}`),
];

it.each([
  ['the tree of actors in docs/architecture.md', readPage, () => withTree(readPage())],
  ['the metrics in docs/metrics.md', readMetricsPage, () => withMetrics(readMetricsPage())],
])('%s are as the code has them (else: npm run reference)', (_what, page, written) => {
  expect(page()).toBe(written());
});

it('docs/machines.md, as npm run reference makes it, has the states of each chart, and links to files that there are', () => {
  const page = machineReference();
  const sections = page.split(/^## /m);
  const hasStates = (id: string) => sections.some((one) => one.startsWith(`${id}\n`) && one.includes('\n- **'));
  expect(allCharts().filter(({ machine: { id } }) => !hasStates(id))).toEqual([]);
  const linked = [...page.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, path = '']) => path);
  expect(linked.length).toBeGreaterThan(50);
  expect(linked.filter((path) => !existsSync(path))).toEqual([]);
});

/** What stands for a name, and the example of docs/contributing.md. */
const EXAMPLE = /NAME|AREA|notes|NotesPage/;

it.each(PAGES)('%s names only files that there are', (page) => {
  const names = /`((?:src|server|machines|contract|test|model-tests|bench|scripts)\/[\w./-]+)`/g;
  const named = [...text(page).matchAll(names)].map(([, path = '']) => path);
  expect(named.filter((path) => !existsSync(path) && !EXAMPLE.test(path))).toEqual([]);
});

/** As GitHub makes them of headings. */
const anchorsOf = (page: string): string[] =>
  [...text(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

it.each(PAGES)('%s links only to files and headings that there are', (page) => {
  const links = [...text(page).matchAll(/\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)/g)];
  const broken = links.filter(([, path = '', anchor = '']) => {
    const target = path === '' ? page : relative('.', join(dirname(page), path));
    return !existsSync(target) || (anchor !== '' && !anchorsOf(target).includes(anchor));
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

it('docs/settings.md has a row for each setting, with its default', () => {
  const rows = [...text('docs/settings.md').matchAll(/^\| `([A-Z][A-Z0-9_]+)` \| (.+?) \| /gm)];
  const names = Object.keys(Environment.entries);
  expect(rows.map(([, name = '']) => name).toSorted()).toEqual(names.toSorted());
  const told = Object.fromEntries(rows.map(([, name, fallback]) => [name, fallback]));
  const wrong = Object.entries(Environment.entries).filter(([name, schema]) => {
    const value: unknown = v.getDefault(schema);
    return typeof value === 'string' && value !== '' && told[name]?.includes(`\`${value}\``) !== true;
  });
  expect(wrong.map(([name]) => name)).toEqual([]);
});
