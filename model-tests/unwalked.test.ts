import { expect, it } from 'vitest';
import { unwalkedByAll } from './unwalked.ts';

it('a transition counts as left out only if every variant leaves it out', () => {
  expect(
    unwalkedByAll([
      ['a', 'b'],
      ['b', 'c'],
    ]),
  ).toEqual(['b']);
  expect(unwalkedByAll([['a', 'b'], []])).toEqual([]);
  expect(unwalkedByAll([['a']])).toEqual(['a']);
});
it('transitions of the same name are counted one by one', () => {
  expect(unwalkedByAll([['a', 'a'], ['a']])).toEqual(['a']);
});
