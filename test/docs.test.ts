import { expect, it } from 'vitest';
import { readPage, withTree } from '../scripts/actor-tree.ts';
import { machineReference, readReference } from '../scripts/machine-reference.ts';

it('docs/architecture.md shows the tree of actors as the charts have it (else: npm run reference)', () => {
  expect(readPage()).toBe(withTree(readPage()));
});

it('docs/machines.md tells states, events and children as the charts have them (else: npm run reference)', () => {
  expect(readReference()).toBe(machineReference());
});
