import { describe, expect } from 'vitest';
import { sampleMachine } from '#machines/playground/sample/machine.ts';
import { storedFile } from '#test/machines/playground-fixtures.ts';
import { describeWalk } from './walk.ts';

describe('ONB-05: every way of choosing a sample', () => {
  describeWalk(sampleMachine, {
    tags: { busy: ['adding'], failed: ['failed'] },
    ignored: { 'One is being added': 'sample.chosen in adding' },
    cases: {
      'sample.chosen': [{ name: 'dictation' }, { name: 'noisy-call' }],
      'done addSample': [storedFile()],
    },
    states: {
      adding: ({ context }) => {
        expect(context.name).not.toBeNull();
        expect(context.failure).toBeNull();
      },
      failed: ({ context }) => expect(context.failure).not.toBeNull(),
    },
  });
});
