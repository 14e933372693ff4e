import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readPage, withTree } from '../scripts/actor-tree.ts';
import { machineReference, readReference } from '../scripts/machine-reference.ts';

it('docs/architecture.md shows the tree of actors as the charts have it (else: npm run reference)', () => {
  expect(readPage()).toBe(withTree(readPage()));
});

it('docs/machines.md tells states, events and children as the charts have them (else: npm run reference)', () => {
  expect(readReference()).toBe(machineReference());
});

it.each(['README.md', 'docs/architecture.md', 'docs/operating.md', 'machines/README.md', 'model-tests/README.md'])(
  '%s names only files that there are',
  (page) => {
    const named = [
      ...readFileSync(page, 'utf8').matchAll(
        /`((?:src|server|machines|contract|test|model-tests|bench|scripts)\/[\w./-]+)`/g,
      ),
    ].map(([, path = '']) => path);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  },
);
