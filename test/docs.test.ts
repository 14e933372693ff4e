import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { allCharts, readPage, withTree } from '../scripts/actor-tree.ts';
import { machineReference } from '../scripts/machine-reference.ts';
import { readOperating, withMetrics } from '../scripts/metrics-reference.ts';

it.each([
  ['the tree of actors in docs/architecture.md', readPage, () => withTree(readPage())],
  ['the metrics in docs/operating.md', readOperating, () => withMetrics(readOperating())],
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

it.each(['README.md', 'docs/architecture.md', 'docs/operating.md', 'machines/README.md', 'model-tests/README.md'])(
  '%s names only files that there are',
  (page) => {
    const names = /`((?:src|server|machines|contract|test|model-tests|bench|scripts)\/[\w./-]+)`/g;
    const named = [...readFileSync(page, 'utf8').matchAll(names)].map(([, path = '']) => path);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  },
);
