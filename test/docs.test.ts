import { expect, it } from 'vitest';
import { readPage, withTree } from '../scripts/actor-tree.ts';

it('docs/architecture.md shows the tree of actors as the charts have it (else: npm run actor-tree)', () => {
  expect(readPage()).toBe(withTree(readPage()));
});
