import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readPage, withTree } from '../scripts/actor-tree.ts';
import { machineReference, readReference } from '../scripts/machine-reference.ts';
import { readOperating, withMetrics } from '../scripts/metrics-reference.ts';

it.each([
  ['the tree of actors in docs/architecture.md', readPage, () => withTree(readPage())],
  ['states, events and children in docs/machines.md', readReference, machineReference],
  ['the metrics in docs/operating.md', readOperating, () => withMetrics(readOperating())],
])('%s are as the code has them (else: npm run reference)', (_what, page, written) => {
  expect(page()).toBe(written());
});

it.each(['README.md', 'docs/architecture.md', 'docs/operating.md', 'machines/README.md', 'model-tests/README.md'])(
  '%s names only files that there are',
  (page) => {
    const names = /`((?:src|server|machines|contract|test|model-tests|bench|scripts)\/[\w./-]+)`/g;
    const named = [...readFileSync(page, 'utf8').matchAll(names)].map(([, path = '']) => path);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  },
);
