import { describe } from 'vitest';
import { clipboardMachine } from '#machines/root/clipboard/machine.ts';
import { describeWalk } from './walk.ts';

describe('clipboard', () => {
  describeWalk(clipboardMachine, {
    tags: { copied: ['copied'], refused: ['refused'] },
    ignored: {},
    cases: { 'copy.requested': [{ text: 'b61c1e9e', label: 'Project UUID' }] },
  });
});
