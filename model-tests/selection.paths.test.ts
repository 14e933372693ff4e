import { describe, expect } from 'vitest';
import { selectionMachine } from '#machines/playground/reader/selection/machine.ts';
import { describeWalk } from './walk.ts';

describe('TRN-05: what is selected of a long text', () => {
  describeWalk(selectionMachine, {
    tags: { selected: ['some'] },
    ignored: { 'Nothing is selected': 'selection.cleared in none' },
    cases: {
      'selection.made': [{ rows: [3] }, { rows: [3, 900] }],
    },
    distinguish: ({ context }) => context.rows,
    states: {
      none: ({ context }) => expect(context.rows).toEqual([]),
      some: ({ context }) => expect(context.rows[0]).toBe(3),
    },
  });
});
